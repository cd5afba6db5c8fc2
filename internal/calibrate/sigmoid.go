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
// by Newton's method with backtracking: algorithm of H.-T. Lin, C.-J. Lin and R.
// C. Weng, "A note on Platt's probabilistic outputs for support vector machines",
// Machine Learning 68 (2007), on standardised scores. Weights may be nil. Scores
// that are all equal give A = 0. Cost 20·N operations a step, some 10 steps.
func FitSigmoid(scores []float64, positive []bool, weight []float64) Sigmoid {
	high, low, np, nn := targets(positive, weight)
	centre, spread := moments(scores, weight)
	f := sigmoidFit{target: make([]float64, len(scores)), score: make([]float64, len(scores)), weight: weight, total: np + nn}
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

// slope returns the gradient and the Hessian.
func (f sigmoidFit) slope(s Sigmoid) (ga, gb, haa, hab, hbb float64) {
	haa, hbb = hessianRidge, hessianRidge
	for i, x := range f.score {
		w, p := weightOf(f.weight, i), s.At(x)
		d, h := w*(f.target[i]-p), w*p*(1-p)
		ga += x * d
		gb += d
		haa += x * x * h
		hab += x * h
		hbb += h
	}
	return ga, gb, haa, hab, hbb
}

func (f sigmoidFit) minimise(s Sigmoid) Sigmoid {
	loss := f.loss(s)
	for range newtonSteps {
		ga, gb, haa, hab, hbb := f.slope(s)
		if max(math.Abs(ga), math.Abs(gb)) <= gradientStop*f.total {
			return s
		}
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, (hab*ga-haa*gb)/det
		next, lower, ok := f.backtrack(s, da, db, loss, ga*da+gb*db)
		if !ok {
			return s // rounding leaves no descent
		}
		s, loss = next, lower
	}
	return s
}

// backtrack halves the step until the loss has fallen enough.
func (f sigmoidFit) backtrack(s Sigmoid, da, db, loss, slope float64) (next Sigmoid, lower float64, ok bool) {
	for step := 1.0; step >= leastStep; step /= 2 {
		next = Sigmoid{s.A + step*da, s.B + step*db}
		if lower = f.loss(next); lower < loss+1e-4*step*slope {
			return next, lower, true
		}
	}
	return s, loss, false
}
