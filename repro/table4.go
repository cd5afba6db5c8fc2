package repro

// halfDraws is the number of settings drawn for a method of tables 4, 6, 7 and 8.
const halfDraws = 100

func table4() *Experiment {
	return &Experiment{
		Name: "table4", Title: "Classification with half of the features, the others privileged", Metric: "accuracy",
		Protocols: []Protocol{published("folds", halfDraws), ours(halfDraws)},
		Datasets:  classifications(),
		Methods:   classifiers(),
	}
}
