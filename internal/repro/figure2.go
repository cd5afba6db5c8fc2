package repro

import "math"

func figure2() *Experiment {
	m := layerMethod("RVFL+", "rvfl+", "tribas", triangular)
	m.Config.U = math.Exp2(2.5)
	return &Experiment{
		Name: "figure2", Title: "RVFL+ on MNIST+ by C and γ (triangular basis, u = 2^2.5), accuracy on the validation rows", Metric: "accuracy",
		Protocols: []Protocol{atEveryPoint()},
		Datasets:  []Dataset{mnistPlus()},
		Methods:   []Method{m},
		Sweep:     &Sweep{X: "C", Y: "gamma", XValues: decades(-5, 5, 1), YValues: decades(-5, 5, 1)},
	}
}

// decades returns powers of ten from 10^low to 10^high, per of them in each decade.
func decades(low, high, per int) []float64 {
	var out []float64
	for i := low * per; i <= high*per; i++ {
		out = append(out, math.Pow(10, float64(i)/float64(per)))
	}
	return out
}
