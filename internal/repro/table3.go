package repro

func table3() *Experiment {
	return &Experiment{Name: "table3", Title: "Statistics of the classification data sets", Datasets: ofTable(3)}
}
