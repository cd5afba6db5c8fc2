package repro

// halfDraws is for tables 4, 6, 7 and 8.
var halfDraws = Draws{Kernel: 400, Layer: 100, Margin: 50, ManyRows: 100}

func table4() *Experiment {
	return &Experiment{
		Name: "table4", Title: "Classification with half of the features, the others privileged", Metric: "accuracy",
		Protocols: []Protocol{published("folds", halfDraws), ours(halfDraws)},
		Datasets:  classifications(map[string]int{PublishedName: 1, OursName: 3}),
		Methods:   classifiers(),
	}
}
