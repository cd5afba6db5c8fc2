package repro

func table7() *Experiment {
	return &Experiment{
		Name: "table7", Title: "Classification of noisy features, the clean ones privileged", Metric: "accuracy",
		Noise:     true,
		Protocols: []Protocol{published("folds", halfDraws), ours(halfDraws)},
		Datasets:  classifications(map[string]int{PublishedName: 1, OursName: 1}),
		Methods:   classifiers(),
	}
}
