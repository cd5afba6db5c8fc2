// Package workload holds the work on which the library's speed is measured. Its Go
// benchmarks and bench/peers run the same work on the same numbers, so what they
// print can be compared.
package workload

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Work is something to time.
type Work struct {
	Flops float64 // floating-point operations of one run, 0 where they are not counted
	Items float64 // rows or numbers that one run handles, 0 where they are not counted
	Unit  string  // of Items: "rows" or "numbers"
	// Reset brings back what Run overwrites; it is not timed and may be nil.
	Reset func()
	Run   func(ctx context.Context) error
	// Answer returns some of the numbers that Run computed, always from the same
	// places, so that other programs' answers can be compared; it may be nil.
	Answer func() []float64
}

// makers prepare works; the size is what the comment says.
var makers = map[string]func(size int) (*Work, error){
	"gemm":          gemm,           // side of square matrices
	"syrk":          squareSyrk,     // side of a square matrix
	"panel":         panel,          // rows of a tall matrix
	"cholesky":      cholesky,       // side
	"exp":           exponential,    // numbers
	"rvfl+":         rvflPlus,       // rows
	"krvfl":         krvflFit,       // rows
	"krvfl+":        krvflPlus,      // rows
	"rvfl-predict":  rvflPredict,    // rows
	"krvfl-predict": krvflPredict,   // rows
	"peak":          multiplyAndAdd, // steps of the loop on each thread
}

// Names lists the works that New knows.
func Names() []string {
	var names []string
	for name := range makers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// New prepares the work called name at the given size, ≥ 1.
func New(name string, size int) (*Work, error) {
	maker, known := makers[name]
	if !known || size < 1 {
		return nil, fmt.Errorf("bench: no work %q of size %d; works: %v", name, size, Names())
	}
	return maker(size)
}

// Time runs the work once, after Reset, and returns how long Run took.
func (w *Work) Time(ctx context.Context) (time.Duration, error) {
	if w.Reset != nil {
		w.Reset()
	}
	start := time.Now()
	err := w.Run(ctx)
	return time.Since(start), err
}

// An answer has this many numbers, whose places two primes spread.
const places, spreadRows, spreadCols = 512, 7919, 104729

// sample returns numbers of a rows×cols matrix, from the upper triangle only when
// upper is true.
func sample(rows, cols int, upper bool, at func(i, j int) float64) []float64 {
	out := make([]float64, places)
	for t := range out {
		i, j := t*spreadRows%rows, t*spreadCols%cols
		if upper && i > j {
			i, j = j, i
		}
		out[t] = at(i, j)
	}
	return out
}
