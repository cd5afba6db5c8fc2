package repro

func table8() *Experiment {
	return &Experiment{
		Name: "table8", Title: "Regression on noisy features, the clean ones privileged", Metric: "rmse",
		Noise:     true,
		Protocols: []Protocol{published("folds", halfDraws), ours(halfDraws)},
		Datasets:  regressions(),
		Methods:   regressors(),
	}
}
