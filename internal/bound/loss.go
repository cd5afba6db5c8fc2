package bound

import (
	"math"
	"slices"

	"rvflplus/fault"
)

// Loss is a loss of an output f for a class y = ±1, with Lipschitz constant 1.
type Loss string

const (
	// Absolute is |y − f|.
	Absolute Loss = "absolute"
	// Ramp is min(1, max(0, 1 − y·f)), between the share of wrong classes and the hinge loss.
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

// Risk returns the mean loss of the outputs of rows of the given classes ±1.
func (l Loss) Risk(outputs, classes []float64) float64 {
	var sum float64
	for i, f := range outputs {
		y := classes[i]
		if l == Absolute {
			sum += math.Abs(y - f)
		} else {
			sum += min(1, max(0, 1-y*f))
		}
	}
	return sum / float64(len(outputs))
}
