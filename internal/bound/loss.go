package bound

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/learn"
)

// Loss is a loss of an output f for a class y = ±1, with Lipschitz constant 1.
type Loss string

const (
	// Absolute is |y − f|.
	Absolute Loss = "absolute"
	// Ramp is min(1, max(0, 1 − y·f)), between the share of wrong classes and the
	// hinge loss.
	Ramp Loss = "ramp"
)

// Losses lists the losses.
func Losses() []string { return []string{string(Absolute), string(Ramp)} }

func (l Loss) validate() error {
	if slices.Contains(Losses(), string(l)) {
		return nil
	}
	return fault.Param("loss", "absolute or ramp", string(l))
}

func (l Loss) at(y, f float64) float64 {
	if l == Absolute {
		return math.Abs(y - f)
	}
	return min(1, max(0, 1-y*f))
}

// risk is the mean loss of m on prepared rows x of classes y (N×1).
func (l Loss) risk(m learn.Model, x, y *mat.Dense) float64 {
	n := y.RawMatrix().Rows
	f := mat.NewDense(n, 1, nil)
	m.PredictTo(f, x)
	var sum float64
	for i := range n {
		sum += l.at(y.At(i, 0), f.At(i, 0))
	}
	return sum / float64(n)
}
