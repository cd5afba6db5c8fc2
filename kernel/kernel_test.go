package kernel_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/kerneltest"
	"rvflplus/kernel"
)

func TestEveryKernel(t *testing.T) {
	for _, k := range []kernel.Kernel{
		kernel.Linear{},
		kernel.RBF{Width: 1.5},
		kernel.Polynomial{Degree: 3, Offset: 1},
		kernel.Polynomial{Degree: 2},
		kernel.Laplacian{Width: 2},
		kernel.Wavelet{Width: 2, Dilation: 1.3, Frequency: 1.75},
		kernel.ChiSquare{Width: 0.7},
		kernel.AdditiveRBF{Width: 0.3},
		kernel.AdditiveLaplacian{Width: 0.3},
		kernel.Relevant{Kernel: kernel.AdditiveRBF{Width: 0.1}, Factor: []float64{1, 0, 3}},
		kernel.Relevant{Kernel: kernel.AdditiveLaplacian{Width: 0.1}, Factor: []float64{0, 0, 0}},
		kernel.AdditiveChiSquare{},
		kernel.Sum{kernel.Linear{}, kernel.RBF{Width: 1e+05}},
		kernel.Relevant{Kernel: kernel.RBF{Width: 1.5}, Factor: []float64{2, 0, 1e-07}},
		kernel.Relevant{Kernel: kernel.Laplacian{Width: 2}, Factor: []float64{0, 1e+05, 1.0 / 3}},
		kernel.Relevant{Kernel: kernel.Wavelet{Width: 2, Dilation: 1.3, Frequency: 1.75}, Factor: []float64{1, 0.5, 3}},
		kernel.Relevant{Kernel: kernel.RBF{Width: 1}, Factor: []float64{0, 0, 0}},
		kernel.Sum{kernel.Linear{}, kernel.Relevant{Kernel: kernel.RBF{Width: 1}, Factor: []float64{2, 1, 0}}},
	} {
		t.Run(k.String(), func(t *testing.T) { kerneltest.Run(t, k) })
	}
}

func TestValuesByHand(t *testing.T) {
	x, y := []float64{1, 0, 2}, []float64{0.5, 0, 1}
	for k, want := range map[kernel.Kernel]float64{
		kernel.Linear{}:             2.5,
		kernel.RBF{Width: 2}:        math.Exp(-1.25 / 2),
		kernel.Polynomial{3, 1}:     42.875,
		kernel.Laplacian{Width: 2}:  math.Exp(-0.75),
		kernel.Wavelet{2, 1, 1.75}:  math.Cos(0.875) * math.Cos(1.75) * math.Exp(-1.25/2),
		kernel.ChiSquare{Width: 2}:  math.Exp(-(0.25/1.5 + 1.0/3) / 2),
		kernel.AdditiveChiSquare{}:  2*0.5/1.5 + 4.0/3,
		kernel.AdditiveRBF{2}:       (math.Exp(-0.125) + 1 + math.Exp(-0.5)) / 3,
		kernel.AdditiveLaplacian{2}: (math.Exp(-0.25) + 1 + math.Exp(-0.5)) / 3,
	} {
		if got := at(k, x, y); math.Abs(got-want) > 1e-15 {
			t.Errorf("%s: %v, want %v", k, got, want)
		}
	}
}

func row(v []float64) blas.Matrix {
	return blas.Matrix{Rows: 1, Cols: len(v), Stride: len(v), Data: v}
}

func at(k kernel.Kernel, x, y []float64) float64 {
	out := blas.New(1, 1)
	k.Block(out, row(x), row(y))
	return out.Data[0]
}

func TestEqualRowsHaveDistanceZero(t *testing.T) {
	x := []float64{0.1, 1e8, -3.3333333}
	if got := at(kernel.RBF{Width: 1e-9}, x, slices.Clone(x)); got != 1 {
		t.Errorf("k(x, x) = %v, want exactly 1", got)
	}
}

func TestNegativeFeaturesCountAsZeroInPrediction(t *testing.T) {
	for _, k := range []kernel.Kernel{kernel.ChiSquare{Width: 1}, kernel.AdditiveChiSquare{}} {
		if a, b := at(k, []float64{-0.5, 1}, []float64{1, 1}), at(k, []float64{0, 1}, []float64{1, 1}); a != b {
			t.Errorf("%s: %v, want %v", k, a, b)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "rbf",
		"rbf":                               "rbf",
		"rbf:width=auto":                    "rbf:width=auto",
		"rbf:width=2+poly:degree=3":         "rbf:width=2+poly:degree=3",
		"poly:offset=0:degree=2":            "poly:degree=2,offset=0",
		"rbf:width=1e+05 + linear":          "rbf:width=100000+linear",
		"laplacian:width=1e5+additive-chi2": "laplacian:width=100000+additive-chi2",
		"rbf:relevance=1/ 0.5/0":            "rbf:relevance=1/0.5/0",
		"rbf:relevance=1e+30/3e+07,width=2+laplacian:width=1e+05,relevance=1e-30": "rbf:width=2," +
			"relevance=1e+30/3e+07+laplacian:width=100000,relevance=1e-30",
		"linear+rbf:width=relevance": "linear+rbf:width=relevance",
	} {
		spec, err := kernel.Parse(text)
		if err != nil || spec.String() != want {
			t.Errorf("%q reads as %q, want %q (%v)", text, spec, want, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"rfb", "rbf+", "+rbf", "rbf:wdth=2", "rbf:width=0", "rbf:width=-1", "rbf:width=NaN", "rbf:width=Inf",
		"rbf:width", "rbf:width=", "poly:degree=2.5", "poly:degree=0", "poly:offset=-1", "poly:degree=auto",
		"linear:width=2", "wavelet:dilation=0", "rbf:width=2,width=3",
		"rbf:width=-2", "chi2:width=relevance", "poly:degree=relevance", "linear:relevance=1", "chi2:relevance=1",
		"rbf:relevance", "rbf:relevance=", "rbf:relevance=1/", "rbf:relevance=1/-1", "rbf:relevance=1/NaN",
		"rbf:relevance=Inf", "rbf:relevance=1,relevance=1", "rbf:width=relevance,relevance=1",
	} {
		if spec, err := kernel.Parse(text); !errors.Is(err, fault.Usage) {
			t.Errorf("%q: read as %q, error %v", text, spec, err)
		}
	}
}

func TestAutomaticWidthIsTheMedianDistance(t *testing.T) {
	// Distances between 0, 0, 1, 3: 0 (left out), 1, 1, 3, 3, 2.
	x := blas.Matrix{Rows: 4, Cols: 1, Stride: 1, Data: []float64{0, 0, 1, 3}}
	for text, want := range map[string]string{
		"rbf":                   "rbf:width=4", // 1, 1, 4, 9, 9
		"laplacian":             "laplacian:width=2",
		"chi2":                  "chi2:width=1", // 1, 1, 3, 3, 4/4
		"rbf+laplacian:width=7": "rbf:width=4+laplacian:width=7",
		"additive-rbf":          "additive-rbf:width=4",
		"additive-laplacian":    "additive-laplacian:width=2",
	} {
		spec, err := kernel.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		k, err := spec.Resolve(x, 0)
		if err != nil || k.String() != want {
			t.Errorf("%s resolves to %v, want %s (%v)", text, k, want, err)
		}
	}
}

func TestAutomaticWidthOfManyRows(t *testing.T) {
	x := blas.New(3000, 1)
	for i := range x.Data {
		x.Data[i] = float64(i)
	}
	first, err := kernel.Spec(nil).Resolve(x, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := kernel.Spec(nil).Resolve(x, 1)
	other, _ := kernel.Spec(nil).Resolve(x, 2)
	if first != again {
		t.Errorf("the same seed gives %v and %v", first, again)
	}
	if first == other {
		t.Errorf("two seeds give the same sample's width %v", first)
	}
	// The median of |i-j| over 0…n-1 is n(1-1/√2).
	exact := math.Pow(3000*(1-math.Sqrt(0.5)), 2)
	if w := first.(kernel.RBF).Width; math.Abs(w/exact-1) > 0.1 {
		t.Errorf("width %g, over all pairs %g", w, exact)
	}
}

// The width of additive kernels is the median over pairs and columns.
func TestAutomaticWidthOfColumns(t *testing.T) {
	x := blas.Matrix{Rows: 3, Cols: 2, Stride: 2, Data: []float64{0, 5, 1, 5, 3, 9}} // 1, 3, 2 and (0,) 4, 4
	for text, want := range map[string]string{
		"additive-rbf":                           "additive-rbf:width=9",
		"additive-laplacian":                     "additive-laplacian:width=3",
		"additive-laplacian:relevance=0/0.5":     "additive-laplacian:width=2,relevance=0/0.5",
		"linear+additive-rbf:width=auto+poly":    "linear+additive-rbf:width=9+poly:degree=3,offset=1",
		"additive-rbf:width=0.1,relevance=10/10": "additive-rbf:width=0.1,relevance=10/10",
	} {
		k, err := kernel.Must(text).Resolve(x, 0)
		if err != nil || k.String() != want {
			t.Errorf("%s resolves to %v, want %s (%v)", text, k, want, err)
		}
	}
	wide := blas.New(2000, 400) // of 50 rows
	for i := range wide.Rows {
		for j := range wide.Cols {
			wide.Data[i*wide.Stride+j] = float64(i)
		}
	}
	first, err := kernel.Must("additive-laplacian").Resolve(wide, 1)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := kernel.Must("additive-laplacian").Resolve(wide, 1); first != again {
		t.Errorf("the same seed gives %v and %v", first, again)
	}
	exact := 2000 * (1 - math.Sqrt(0.5)) // the median of |i-j|
	if w := first.(kernel.AdditiveLaplacian).Width; math.Abs(w/exact-1) > 0.25 {
		t.Errorf("width %g, over all pairs %g", w, exact)
	}
}

// An additive kernel of one feature is the plain one.
func TestAdditiveKernelOfOneFeature(t *testing.T) {
	k := kernel.Relevant{Kernel: kernel.AdditiveRBF{Width: 3}, Factor: []float64{0, 2}}
	x, y := []float64{1, 0.5}, []float64{7, -1}
	if a, b := at(k, x, y), math.Exp(-9.0/3); math.Abs(a-b) > 1e-16 {
		t.Errorf("%v, want %v", a, b)
	}
}

func TestEqualRowsGiveWidthOne(t *testing.T) {
	k, err := kernel.Spec(nil).Resolve(blas.New(5, 2), 0)
	if err != nil || k != (kernel.RBF{Width: 1}) {
		t.Errorf("%v, %v", k, err)
	}
}

func TestNegativeFeaturesAreRefusedInTraining(t *testing.T) {
	for _, name := range []string{"chi2", "additive-chi2"} {
		spec, _ := kernel.Parse(name)
		_, err := spec.Resolve(row([]float64{1, -2}), 0)
		if !errors.Is(err, fault.Usage) || !strings.Contains(fault.HintOf(err), "minmax") {
			t.Errorf("%s: %v (hint %q)", name, err, fault.HintOf(err))
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x := blas.New(3, 1)
	if err := kernel.Add(ctx, kernel.Linear{}, 1, x, x, blas.New(3, 3)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestFormulasAreShown(t *testing.T) {
	for _, name := range kernel.Names() {
		if kernel.Formula(name) == "" {
			t.Errorf("%s has no formula", name)
		}
	}
	if _, err := kernel.ParseParam("width", "0"); !errors.Is(err, fault.Usage) {
		t.Errorf("width 0: %v", err)
	}
	if _, err := kernel.ParseParam("width", "auto"); err != nil {
		t.Errorf("width auto: %v", err)
	}
}

// TestMatricesEqualSinglePairs compares kernel matrices of more rows than are
// evaluated at once with the kernel of each pair.
func TestMatricesEqualSinglePairs(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, n := range []int{1, 127, 128, 129, 300} {
		x := blas.Matrix{Rows: n, Cols: 5, Stride: 8, Data: make([]float64, 8*n)}
		for i := range x.Data {
			x.Data[i] = r.Float64()
		}
		y := blas.View(x, 0, (n+1)/2, 0, 5)
		for _, k := range []kernel.Kernel{kernel.RBF{Width: 1.5}, kernel.Laplacian{Width: 2},
			kernel.AdditiveRBF{Width: 0.2}, kernel.AdditiveLaplacian{Width: 0.2},
			kernel.Sum{kernel.Linear{}, kernel.RBF{Width: 1}, kernel.Polynomial{Degree: 2, Offset: 1}},
			kernel.Relevant{Kernel: kernel.RBF{Width: 1.5}, Factor: []float64{1, 0, 2, 0.5, 0}},
			kernel.Sum{kernel.Linear{},
				kernel.Relevant{Kernel: kernel.RBF{Width: 1}, Factor: []float64{1, 0, 2, 0.5, 0}},
				kernel.Relevant{Kernel: kernel.Laplacian{Width: 1}, Factor: []float64{0, 0, 0, 3, 0}}}} {
			checkPairs(t, k, x, y)
		}
	}
}

func checkPairs(t *testing.T, k kernel.Kernel, x, y blas.Matrix) {
	t.Helper()
	ctx := context.Background()
	both, square := padded(x.Rows, y.Rows), padded(x.Rows, x.Rows)
	done, total := 0, 1
	if err := errors.Join(kernel.Add(ctx, k, 2, x, y, both),
		kernel.AddSymmetric(ctx, k, 2, x, square, func(d, n int) { done, total = d, n })); err != nil {
		t.Fatal(err)
	}
	if done != total {
		t.Errorf("%s, %d rows: %d of %d told", k, x.Rows, done, total)
	}
	for i := range x.Rows {
		for j := range x.Rows {
			want := 1 + 2*at(k, blas.Row(x, i), blas.Row(x, j))
			if j < y.Rows && both.Data[i*both.Stride+j] != want || j >= i && square.Data[i*square.Stride+j] != want {
				t.Fatalf("%s, %d rows: element (%d, %d) is not %v", k, x.Rows, i, j, want)
			}
		}
		if both.Data[i*both.Stride+y.Rows] != 1 || square.Data[i*square.Stride+x.Rows] != 1 {
			t.Fatalf("%s, %d rows: the word beside row %d was changed", k, x.Rows, i)
		}
	}
}

// padded returns a matrix of ones, with ones between its rows.
func padded(rows, cols int) blas.Matrix {
	m := blas.Matrix{Rows: rows, Cols: cols, Stride: cols + 3, Data: make([]float64, rows*(cols+3))}
	for i := range m.Data {
		m.Data[i] = 1
	}
	return m
}
