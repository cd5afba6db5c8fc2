package kernel

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"rvflplus/blas"
)

// Rows gives the bits of AddSymmetric for every kernel, whatever was asked before.
func TestRowsEqualsAddSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	x := blas.New(2*side+7, 5)
	for i := range x.Data {
		x.Data[i] = r.Float64()
	}
	rows := NewMatrices(x)
	for _, text := range []string{
		"linear", "rbf:width=2", "rbf:width=0.1", "poly", "laplacian:width=3", "laplacian:width=0.5", "chi2:width=1",
		"chi2:width=2", "additive-chi2", "wavelet:width=2", "rbf:width=2+poly:degree=2+laplacian:width=1",
		"rbf:width=2,relevance=1/2/0/0/1", "rbf:width=1,relevance=1/2/0/0/1", "rbf:width=2,relevance=1/2/0/1/1",
		"additive-rbf:width=0.2", "linear+additive-laplacian:width=0.2,relevance=1/2/0/1/1",
		"laplacian:width=2,relevance=1/2/0/1/1+rbf:width=2,relevance=0/0/0/0/0",
	} {
		spec, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		one, err := spec.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []Kernel{one, Sum{Linear{}, one}} {
			got, err := rows.Matrix(context.Background(), k)
			if err != nil {
				t.Fatal(err)
			}
			want := blas.New(x.Rows, x.Rows)
			for _, term := range termsOf(k) {
				if err := AddSymmetric(context.Background(), term, 1, x, want, nil); err != nil {
					t.Fatal(err)
				}
			}
			blas.Mirror(want)
			for i, v := range got.Data {
				if v != want.Data[i] {
					t.Fatalf("%s: element %d is %v, want %v", k, i, v, want.Data[i])
				}
			}
		}
	}
}

func TestRowsStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewMatrices(blas.New(10, 2)).Matrix(ctx, RBF{1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
