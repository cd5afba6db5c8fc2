package metric

import "rvflplus/blas"

// Bin is what becomes of rows whose probabilities of a class are near each other.
type Bin struct {
	Mean  float64 // of the probabilities
	Share float64 // of the rows that are of the class
	Rows  float64 // by weight
}

// Calibration returns bins of equal width for the probabilities of class k, those without rows left out. r must be
// Probable.
func (r Classified) Calibration(k, bins int) []Bin {
	sums := make([]Bin, bins)
	for i, class := range r.Truth {
		p, w := blas.Row(r.Values, i)[k], weightOf(r.Weight, i)
		b := &sums[min(bins-1, int(p*float64(bins)))]
		b.Rows += w
		b.Mean += w * p
		if class == k {
			b.Share += w
		}
	}
	var out []Bin
	for _, b := range sums {
		if b.Rows > 0 {
			out = append(out, Bin{b.Mean / b.Rows, b.Share / b.Rows, b.Rows})
		}
	}
	return out
}
