package blas

import "time"

// LeastRate is a number of floating-point operations a second that no machine
// falls short of by much.
const LeastRate = 1e9

// Rate measures how many floating-point operations a second large products do on
// this machine with GOMAXPROCS threads; it takes some hundredths of a second (with portable code
// some tenths).
func Rate() float64 {
	const n = 768
	a, b, c := New(n, n), New(n, n), New(n, n)
	best := 0.0
	for range 3 {
		start := time.Now()
		_ = Gemm(background, false, false, 1, a, b, 0, c)
		best = max(best, 2*n*n*n/time.Since(start).Seconds())
	}
	return best
}
