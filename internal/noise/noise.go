// Package noise adds white Gaussian noise to numbers.
package noise

import (
	"math"

	"rvflplus/fault"
	"rvflplus/internal/rng"
)

// White is white Gaussian noise: independent draws of mean 0 and of variance 10^(DBW/10), which is the power of such
// noise.
type White struct {
	DBW  float64 // power in decibels relative to one watt, -300 to 300; 10 is variance 10
	Seed uint64
}

// maxDBW keeps a sum of a finite number and noise finite.
const maxDBW = 300

// Validate returns a fault.Usage error for a power outside -300 to 300 dBW.
func (w White) Validate() error {
	if !(math.Abs(w.DBW) <= maxDBW) {
		return fault.Param("noise", "between -300 and 300 dBW", w.DBW)
	}
	return nil
}

// Power returns the variance of the noise, 10^(DBW/10).
func (w White) Power() float64 { return math.Pow(10, w.DBW/10) }

// AddTo sets dst[i] to values[i] plus noise; the slices have the same length and may
// be the same. Noise i depends on the seed, on the stream's name and on i alone:
// give each column a stream of its own. NaN stays NaN.
func (w White) AddTo(dst, values []float64, name string) {
	if len(dst) != len(values) {
		panic("noise: dimension mismatch")
	}
	r := rng.New(w.Seed, "noise."+name)
	deviation := math.Sqrt(w.Power())
	for i, v := range values {
		dst[i] = v + deviation*r.NormFloat64()
	}
}
