package calibrate

import "math"

// Sigmoid is Platt's curve, p = 1/(1 + exp(A·score + B)).
type Sigmoid struct{ A, B float64 }

// At implements Curve.
func (s Sigmoid) At(score float64) float64 { return logistic(s.A*score + s.B) }

// logistic is 1/(1+exp(z)), without overflow.
func logistic(z float64) float64 {
	if z >= 0 {
		e := math.Exp(-z)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(z))
}

const (
	newtonSteps  = 100
	leastStep    = 1e-10
	hessianRidge = 1e-12
	gradientStop = 1e-11 // of the sum of weights
)

// FitSigmoid minimises the cross-entropy of smoothed targets,
//
//	Σ vᵢ [tᵢ(Asᵢ+B) + ln(1 + exp(−Asᵢ−B))],  t = (N₊+1)/(N₊+2) or 1/(N₋+2),
//
// by Newton's method with backtracking: the algorithm of H.-T. Lin, C.-J. Lin and R. C. Weng, "A note on Platt's
// probabilistic outputs for support vector machines", Machine Learning 68 (2007), on standardised scores. Weights may
// be nil. Scores that are all equal give A = 0. Cost 20·N operations a step, some 10 steps.
func FitSigmoid(scores []float64, positive []bool, weight []float64) Sigmoid {
	high, low, np, nn := targets(positive, weight)
	centre, spread := moments(scores, weight)
	f := sigmoidFit{weight: weight, total: np + nn}
	f.target, f.score = make([]float64, len(scores)), make([]float64, len(scores))
	for i, s := range scores {
		f.score[i], f.target[i] = (s-centre)/spread, low
		if positive[i] {
			f.target[i] = high
		}
	}
	s := f.minimise(Sigmoid{0, math.Log((nn + 1) / (np + 1))})
	return Sigmoid{s.A / spread, s.B - s.A*centre/spread}
}

// moments returns the weighted mean and standard deviation; 1 for none.
func moments(v, weight []float64) (mean, sd float64) {
	var total, square float64
	for i, x := range v {
		w := weightOf(weight, i)
		if w == 0 {
			continue
		}
		total += w
		d := x - mean
		mean += d * w / total
		square += w * d * (x - mean)
	}
	if sd = math.Sqrt(square / total); !(sd > 0) {
		return mean, 1
	}
	return mean, sd
}

type sigmoidFit struct {
	score, target, weight []float64
	total                 float64
}

// loss is the objective at s.
func (f sigmoidFit) loss(s Sigmoid) float64 {
	var sum float64
	for i, x := range f.score {
		z := s.A*x + s.B
		// Two forms of one value, neither of which overflows.
		if z >= 0 {
			sum += weightOf(f.weight, i) * (f.target[i]*z + math.Log1p(math.Exp(-z)))
		} else {
			sum += weightOf(f.weight, i) * ((f.target[i]-1)*z + math.Log1p(math.Exp(z)))
		}
	}
	return sum
}

// minimise makes Newton steps, each halved until the loss has fallen enough.
func (f sigmoidFit) minimise(s Sigmoid) Sigmoid {
	loss := f.loss(s)
	for range newtonSteps {
		var ga, gb, hab float64 // the gradient and the Hessian
		haa, hbb := hessianRidge, hessianRidge
		for i, x := range f.score {
			w, p := weightOf(f.weight, i), s.At(x)
			d, h := w*(f.target[i]-p), w*p*(1-p)
			ga += x * d
			gb += d
			haa += x * x * h
			hab += x * h
			hbb += h
		}
		if max(math.Abs(ga), math.Abs(gb)) <= gradientStop*f.total {
			return s
		}
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, (hab*ga-haa*gb)/det
		slope, step := ga*da+gb*db, 1.0
		for {
			next := Sigmoid{s.A + step*da, s.B + step*db}
			if lower := f.loss(next); lower < loss+1e-4*step*slope {
				s, loss = next, lower
				break
			}
			if step /= 2; step < leastStep {
				return s // rounding leaves no descent
			}
		}
	}
	return s
}
