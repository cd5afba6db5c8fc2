package kernel

import (
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/blas"
)

// Every kernel's rows are those of its blocks, across the edges of strips.
func TestRowsAreThoseOfBlocks(t *testing.T) {
	x := blas.New(1100, 7)
	for i := range x.Data {
		x.Data[i] = 1 + math.Sin(float64(i*i))
	}
	copy(blas.Row(x, 1030), blas.Row(x, 3)) // equal rows have distance 0
	for _, text := range []string{
		"linear", "rbf:width=3", "poly", "laplacian:width=2", "wavelet:width=2", "chi2:width=1", "additive-chi2",
		"rbf:width=1+linear", "rbf:width=2,relevance=1/0/0.5/0/3/1/1",
		"additive-rbf:width=0.2", "additive-laplacian:width=2,relevance=1/0/0.5/0/3/1/1",
		"laplacian:width=2,relevance=0/0/0.5/0/3/1/1+linear",
	} {
		spec, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		k, err := spec.Kernel()
		if err != nil {
			t.Fatal(err)
		}
		rows := NewRows(k, x)
		got := make([]float64, x.Rows)
		for _, i := range []int{0, 3, 511, 512, 1099} {
			rows.Row(got, i)
			want := blas.New(1, x.Rows)
			if err := Add(t.Context(), k, 1, blas.View(x, i, i+1, 0, 7), x, want); err != nil {
				t.Fatal(err)
			}
			for j, v := range got {
				if w := want.Data[j]; math.Abs(v-w) > 1e-13*(1+math.Abs(w)) {
					t.Fatalf("%s: element %d, %d is %v, want %v", text, i, j, v, w)
				}
			}
			if got[i] != rows.Diag()[i] || i == 3 && got[1030] != got[3] {
				t.Errorf("%s: row %d has %v on the diagonal, Diag says %v; its copy has %v",
					text, i, got[i], rows.Diag()[i], got[1030])
			}
		}
		if rows.Size() != 1100 {
			t.Errorf("size %d", rows.Size())
		}
	}
}

// Values between a row and fixed rows have the bits of Add, which evaluates blocks.
func TestAgainstHasTheBitsOfAdd(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {100, 100}, {300, 7}, {129, 385}, {40, 800}} {
		y, x := blas.New(shape[0], shape[1]), blas.New(3, shape[1])
		for _, m := range []blas.Matrix{y, x} {
			for i := range m.Data {
				m.Data[i] = 1 + math.Sin(float64(i*i))
			}
		}
		copy(blas.Row(x, 1), blas.Row(y, shape[0]/2)) // equal rows have distance 0
		for _, text := range []string{
			"linear", "rbf:width=3", "poly", "laplacian:width=2", "wavelet:width=2", "chi2:width=1", "additive-chi2",
			"rbf:width=1+linear", "linear+rbf:width=50+chi2:width=9", "rbf:width=3,relevance=R",
			"additive-rbf:width=0.1+rbf:width=1", "additive-laplacian:width=0.1,relevance=R",
			"linear+laplacian:width=3,relevance=R+rbf:width=2+rbf:width=2,relevance=R",
		} {
			k, err := Must(strings.ReplaceAll(text, "R", everyThird(shape[1]))).Kernel()
			if err != nil {
				t.Fatal(err)
			}
			want, got := blas.New(3, shape[0]), make([]float64, shape[0])
			if err := Add(t.Context(), k, 1, x, y, want); err != nil {
				t.Fatal(err)
			}
			a := NewAgainst(k, y)
			for i := range 3 {
				a.Row(got, blas.Row(x, i))
				if !slices.Equal(got, blas.Row(want, i)) {
					t.Errorf("%s, %v: row %d has other bits than those of Add", text, shape, i)
				}
			}
		}
	}
}

// everyThird returns the text of a relevance of n features, every third of which does not count.
func everyThird(n int) string {
	var factors []string
	for j := range n {
		factors = append(factors, number(float64((j+1)%3)/2))
	}
	return strings.Join(factors, "/")
}

// Rows shared among cores, and rows of many features.
func TestRowsOfManyFeatures(t *testing.T) {
	x := blas.New(600, 2000)
	for i := range x.Data {
		x.Data[i] = math.Sin(float64(i))
	}
	rows := NewRows(RBF{Width: 500}, x)
	got, want := make([]float64, 600), blas.New(1, 600)
	rows.Row(got, 7)
	if err := Add(t.Context(), RBF{Width: 500}, 1, blas.View(x, 7, 8, 0, 2000), x, want); err != nil {
		t.Fatal(err)
	}
	for j, v := range got {
		if math.Abs(v-want.Data[j]) > 1e-12 || j == 7 && v != 1 {
			t.Fatalf("element %d is %v, want %v", j, v, want.Data[j])
		}
	}
}
