package ridge

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"rvflplus/blas"
	"rvflplus/fault"
)

// deficient returns FFᵀ, of rank 3, whose 1-norm is the second result.
func deficient(r *rand.Rand, n int) (blas.Matrix, float64) {
	f, s := blas.New(n, 3), blas.New(n, n)
	for i := range f.Data {
		f.Data[i] = r.NormFloat64() * math.Pow(10, r.Float64()*4-2)
	}
	if err := blas.Syrk(context.Background(), false, 1, f, 0, s); err != nil {
		panic(err)
	}
	return s, blas.SymNorm(s)
}

func ridged(s blas.Matrix, floor float64) blas.Matrix {
	s = blas.Clone(s)
	for i := range s.Rows {
		s.Data[i*s.Stride+i] += floor
	}
	return s
}

// Where the estimate of the condition number is left out, it would have found
// nothing; where it is needed, it is made.
func TestConditionIsEstimatedWhereTheRidgeDoesNotBoundIt(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 1))
	for _, n := range []int{4, 30, 200} {
		for range 20 {
			s, norm := deficient(r, n)
			for _, share := range []float64{1.01, 10, 1e3} {
				floor := share * leastFloor(norm, n)
				system := ridged(s, floor)
				if err := factorise(context.Background(), system, floor, nil); err != nil {
					t.Fatalf("n=%d, floor %g of norm %g: %v", n, floor, norm, err)
				}
				if rc := blas.RCond(system, norm); rc < minRCond {
					t.Errorf("n=%d, floor %g of norm %g: reciprocal condition number %g was not looked at",
						n, floor, norm, rc)
				}
			}
			floor := norm * 0x1p-56
			if err := factorise(context.Background(), ridged(s, floor), floor, nil); !errors.Is(err, fault.NotSolved) {
				t.Errorf("n=%d, floor %g of norm %g: %v", n, floor, norm, err)
			}
		}
	}
}

// A system that Cholesky factors but whose solution has no digit is refused, with
// its condition number.
func TestHopelessSystemsAreRefused(t *testing.T) {
	s := blas.New(2, 2)
	s.Data[0], s.Data[3] = 1, 0x1p-60
	err := factorise(context.Background(), s, 0x1p-60, nil)
	if !errors.Is(err, fault.NotSolved) || fault.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
	s.Data[0], s.Data[1], s.Data[3] = 1, 0, 0x1p-40
	if err := factorise(context.Background(), s, 0x1p-40, nil); err != nil {
		t.Errorf("a solvable system: %v", err)
	}
}
