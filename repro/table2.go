package repro

// Settings drawn on MNIST+, whose validation rows make a choice cheap.
const mnistDraws = 200

func table2() *Experiment {
	krvflPlus, rvflPlus := kernelMethod("KRVFL+", "krvfl+"), layerMethod("RVFL+", "rvfl+", "tribas", triangular)
	return &Experiment{
		Name: "table2", Title: "Methods on MNIST+", Metric: "accuracy",
		Protocols: []Protocol{published("validation", mnistDraws), ours(mnistDraws)},
		Datasets:  []Dataset{mnistPlus()},
		Methods: []Method{
			marginMethod("SVM", "svm", "", "linear"),
			chosenFaster(marginMethod("gSMO-SVM+", "svm+", "gsmo", "linear")),
			marginMethod("Fast SVM+", "svm+", "fast", "linear"),
			marginMethod("SVM", "svm", "", "rbf"),
			chosenFaster(marginMethod("gSMO-SVM+", "svm+", "gsmo", "rbf")),
			marginMethod("CVX-SVM+", "svm+", "ipm", "rbf"),
			chosenFaster(marginMethod("MAT-SVM+", "svm+", "mat", "rbf")),
			marginMethod("Fast SVM+", "svm+", "fast", "rbf"),
			layerMethod("RVFL", "rvfl", "tribas", triangular),
			rvflPlus,
			krvflPlus,
			oursToo(kernelMethod("KRVFL", "krvfl")),
			additive(rvflPlus),
			additive(krvflPlus),
		},
	}
}
