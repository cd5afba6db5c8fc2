package blas

import "sync"

// rowStrip is the number of elements of a single row that are summed up at a time: they stay in the first level of
// cache.
const rowStrip = 512

var rowSums = sync.Pool{New: func() any { return new([rowStrip]float64) }}

// oneRow reports whether C is a single row for which packing B would cost more than the product.
func (p product) oneRow() bool {
	const worthwhile, most = 16, 1 << 20 // shorter rows waste vectors, larger products are worth several cores
	return p.c.Rows == 1 && p.c.Cols >= worthwhile && p.c.Cols*p.k <= most &&
		!p.tB && p.part == wholeMatrix && p.packed == nil
}

// computeOneRow computes a single row from the rows of B as they lie, with the same operations.
func (p product) computeOneRow(beta float64) {
	sums := rowSums.Get().(*[rowStrip]float64)
	defer rowSums.Put(sums)
	_, stepK := steps(p.a, p.tA)
	piece := share(p.k, kBlock, 8)
	for lo := 0; lo < p.c.Cols; lo += rowStrip {
		hi := min(lo+rowStrip, p.c.Cols)
		dst := Row(p.c, 0)[lo:hi]
		if beta != 0 && beta != 1 {
			for j := range dst {
				dst[j] *= beta
			}
		}
		for k0 := 0; k0 < p.k; k0 += piece {
			sum := sums[:len(dst)]
			if k0 == 0 && beta == 0 {
				sum = dst
			}
			clear(sum)
			for k := k0; k < min(k0+piece, p.k); k++ {
				Axpy(p.alpha*p.a.Data[k*stepK], Row(p.b, k)[lo:hi], sum)
			}
			if k0 > 0 || beta != 0 {
				Axpy(1, sum, dst)
			}
		}
	}
}
