package repro

func figure3a() *Experiment {
	return &Experiment{
		Name: "figure3a", Title: "KRVFL+ on MNIST+ by γ, the best over C and width, accuracy on the validation rows", Metric: "accuracy",
		Protocols: []Protocol{atEveryPoint()},
		Datasets:  []Dataset{mnistPlus()},
		Methods:   []Method{kernelMethod("KRVFL+", "krvfl+")},
		Sweep: &Sweep{
			X: "gamma", XValues: []float64{0.01, 0.1, 1, 10, 50, 100, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000},
			Over: map[string][]float64{"C": decades(-1, 3, 4), "width": widthsOfFigures()},
		},
	}
}

// widthsOfFigures are around 0.02 to 0.03, where the paper finds the best.
func widthsOfFigures() []float64 {
	return []float64{0.0025, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16}
}
