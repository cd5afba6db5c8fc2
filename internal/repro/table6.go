package repro

func table6() *Experiment {
	return &Experiment{
		Name: "table6", Title: "Regression with half of the features, the others privileged", Metric: "rmse",
		Protocols: []Protocol{published("folds", halfDraws), ours(halfDraws)},
		Datasets:  regressions(),
		Methods:   regressors(),
	}
}
