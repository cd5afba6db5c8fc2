package repro

func table5() *Experiment {
	return &Experiment{Name: "table5", Title: "Statistics of the regression data sets", Datasets: ofTable(5)}
}
