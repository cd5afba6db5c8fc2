package repro

// mnistDraws is for MNIST+, whose validation rows make the choice of kernels cheap.
var mnistDraws = Draws{Kernel: 500, Layer: 300, Margin: 500}

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
