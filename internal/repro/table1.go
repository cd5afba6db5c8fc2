package repro

func table1() *Experiment {
	return &Experiment{
		Name: "table1", Title: "RVFL+ with different activation functions on MNIST+", Metric: "accuracy",
		Protocols: []Protocol{published("validation", mnistDraws), ours(mnistDraws)},
		Datasets:  []Dataset{mnistPlus()},
		Methods: []Method{
			layerMethod("RVFL+", "rvfl+", "sigmoid", sigmoid),
			layerMethod("RVFL+", "rvfl+", "sine", "Sine function"),
			layerMethod("RVFL+", "rvfl+", "hardlim", "Hardlim function"),
			layerMethod("RVFL+", "rvfl+", "tribas", "Triangular basis function"),
			layerMethod("RVFL+", "rvfl+", "radbas", "Radial basis function"),
		},
	}
}
