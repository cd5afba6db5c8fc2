package repro

func figure3b() *Experiment {
	m := kernelMethod("KRVFL+", "krvfl+")
	m.Config.Gamma = gammaOfPaper
	return &Experiment{
		Name: "figure3b", Title: "KRVFL+ on MNIST+ by C and width τ at γ = 5000, accuracy on the validation rows", Metric: "accuracy",
		Protocols: []Protocol{atEveryPoint()},
		Datasets:  []Dataset{mnistPlus()},
		Methods:   []Method{m},
		Sweep:     &Sweep{X: "C", Y: "width", XValues: decades(-2, 3, 4), YValues: widthsOfFigures()},
	}
}
