package workload

import (
	"context"
	"math"
	"runtime"

	"rvflplus/internal/parallel"
)

// loop is fused multiply-adds on registers alone: nothing that computes with them
// can be faster. It adds a·b to many sums and returns the sum of all.
type loop struct {
	name  string
	flops float64 // of one step
	run   func(steps int, a, b float64) float64
}

// PeakName says with which instructions the work "peak" measures the machine.
func PeakName() string { return loops()[0].name }

// loops lists those that this machine can run, the widest first.
func loops() []loop {
	return append(nativeLoops(), loop{"portable Go", 8 * 2, scalarLoop})
}

// multiplyAndAdd runs the loop on every thread at once.
func multiplyAndAdd(steps int) (*Work, error) {
	threads, l := runtime.GOMAXPROCS(0), loops()[0]
	sums := make([]float64, threads)
	return &Work{
		Flops: float64(threads) * float64(steps) * l.flops,
		Run: func(ctx context.Context) error {
			return parallel.For(ctx, threads, func(i int) { sums[i] = l.run(steps, math.Pi, 0.1) })
		},
		Answer: func() []float64 { return sums },
	}, nil
}

// scalarLoop keeps eight sums, more than a multiply-add takes cycles.
func scalarLoop(steps int, a, b float64) float64 {
	var s0, s1, s2, s3, s4, s5, s6, s7 float64
	for range steps {
		s0, s1, s2, s3 = math.FMA(a, b, s0), math.FMA(a, b, s1), math.FMA(a, b, s2), math.FMA(a, b, s3)
		s4, s5, s6, s7 = math.FMA(a, b, s4), math.FMA(a, b, s5), math.FMA(a, b, s6), math.FMA(a, b, s7)
	}
	return (s0 + s1 + s2 + s3) + (s4 + s5 + s6 + s7)
}
