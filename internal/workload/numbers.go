package workload

import "rvflplus/blas"

// splitMix returns the n-th number, from 1, of SplitMix64 (Steele, Lea, Flood 2014,
// doi:10.1145/2660193.2660195). It can be computed for all n at once, which the
// Python side does to get the same bits.
func splitMix(seed, n uint64) uint64 {
	z := seed + n*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform sets v to numbers between lo and hi.
func uniform(v []float64, seed uint64, lo, hi float64) {
	for i := range v {
		v[i] = lo + (hi-lo)*(float64(splitMix(seed, uint64(i)+1)>>11)*0x1p-53)
	}
}

// Matrix returns a rows×cols matrix of numbers between -1 and 1; the same seed gives
// the same numbers.
func Matrix(seed uint64, rows, cols int) blas.Matrix {
	m := blas.New(rows, cols)
	uniform(m.Data, seed, -1, 1)
	return m
}
