package kernel_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/kernel"
)

// A feature of relevance r has the width w/r² in an rbf kernel and w/r in a laplacian one; of a wavelet r scales every
// difference.
func TestRelevanceIsAWidthForEachFeature(t *testing.T) {
	x, y, r := []float64{1, 0, 2, 5}, []float64{0.5, 3, 1, 4}, []float64{2, 0, 0.5, 1.5}
	var square, sum float64
	product := 1.0
	for j := range x {
		d := x[j] - y[j]
		if r[j] > 0 {
			square += d * d / (7 / (r[j] * r[j]))
			sum += math.Abs(d) / (7 / r[j])
		}
		product *= math.Cos(1.75 * r[j] * d / 3)
	}
	for text, want := range map[string]float64{
		"rbf:width=7":                math.Exp(-square),
		"laplacian:width=7":          math.Exp(-sum),
		"wavelet:width=7,dilation=3": product * math.Exp(-square),
	} {
		k, err := kernel.Must(text + ",relevance=2/0/0.5/1.5").Kernel()
		if err != nil {
			t.Fatal(err)
		}
		if got := at(k, x, y); math.Abs(got-want) > 1e-15 {
			t.Errorf("%s: %v, want %v", k, got, want)
		}
	}
}

// What a feature of relevance 0 holds does not matter, not even numbers that overflow.
func TestFeaturesOfRelevanceZeroDoNotCount(t *testing.T) {
	k := kernel.Relevant{Kernel: kernel.RBF{Width: 1}, Factor: []float64{1, 0}}
	if a, b := at(k, []float64{1, 1e300}, []float64{2, -1e300}), math.Exp(-1); math.Abs(a-b) > 1e-16 {
		t.Errorf("%v, want %v", a, b)
	}
}

func TestAutomaticWidthIsThatOfTheScaledRows(t *testing.T) {
	x := blas.Matrix{Rows: 3, Cols: 2, Stride: 2, Data: []float64{0, 5, 1, -7, 3, 2}}
	for text, want := range map[string]string{
		"rbf:relevance=2/0":                    "rbf:width=16,relevance=2/0", // squares of 2, 4, 6
		"rbf:width=auto,relevance=2/0":         "rbf:width=16,relevance=2/0",
		"laplacian:relevance=2/0":              "laplacian:width=4,relevance=2/0",
		"linear+rbf:relevance=0/0+rbf:width=3": "linear+rbf:width=1,relevance=0/0+rbf:width=3",
	} {
		k, err := kernel.Must(text).Resolve(x, 0)
		if err != nil || k.String() != want {
			t.Errorf("%s resolves to %v, want %s (%v)", text, k, want, err)
		}
	}
}

func TestRelevanceOfAnotherLength(t *testing.T) {
	x := blas.New(3, 2)
	_, err := kernel.Must("linear+rbf:relevance=1/2/3").Resolve(x, 0)
	if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), "3 numbers") {
		t.Errorf("three numbers for two features: %v", err)
	}
	k, err := kernel.Must("linear+rbf:width=1,relevance=1/2/3").Kernel()
	if err != nil {
		t.Fatal(err)
	}
	if err := kernel.CheckFeatures(k, 2); !errors.Is(err, fault.Data) || !strings.Contains(err.Error(), "rbf") {
		t.Errorf("three numbers for two features: %v", err)
	}
	if err := errors.Join(kernel.CheckFeatures(k, 3), kernel.CheckFeatures(kernel.Linear{}, 2)); err != nil {
		t.Error(err)
	}
}

func TestRelevanceToBeLearned(t *testing.T) {
	given := kernel.Must("linear+rbf:width=relevance+wavelet:width=relevance,dilation=3+rbf:width=2")
	if !given.LearnsRelevance() || kernel.Must("rbf").LearnsRelevance() || kernel.Spec(nil).LearnsRelevance() {
		t.Error("wrong terms learn")
	}
	if given.HasAutomaticWidth() {
		t.Error("a width that is learned counts as automatic")
	}
	for _, make := range []func() (kernel.Kernel, error){
		given.Kernel, func() (kernel.Kernel, error) { return given.Resolve(blas.New(3, 2), 0) },
	} {
		_, err := make()
		if !errors.Is(err, fault.Usage) || !strings.Contains(fault.HintOf(err), "krvfl+") {
			t.Errorf("%v (hint %q)", err, fault.HintOf(err))
		}
	}
	if got := given.WithoutLearned().String(); got != "linear+rbf+wavelet:dilation=3+rbf:width=2" {
		t.Errorf("with automatic widths: %s", got)
	}
	if again := given.String(); again != "linear+rbf:width=relevance+wavelet:width=relevance,dilation=3+rbf:width=2" {
		t.Errorf("the spec itself became %s", again)
	}
	want := "linear+rbf:width=4,relevance=1/0.5+wavelet:width=4,dilation=3,relevance=1/0.5+rbf:width=2"
	learned := kernel.Must(want)
	plain := "linear+rbf:width=4+wavelet:width=4,dilation=3+rbf:width=2"
	if got := kernel.Spec(nil).Or(learned).String(); got != plain {
		t.Errorf("of the other space: %s", got)
	}
	if got := learned.Or(given).String(); got != want {
		t.Errorf("of its own: %s", got)
	}
	sum := kernel.Must("rbf+chi2:width=1").With("width", kernel.Learned)
	if sum.Validate() != nil || !sum.LearnsRelevance() {
		t.Errorf("%s: %v", sum, sum.Validate())
	}
	if err := kernel.Must("chi2").With("width", kernel.Learned).Validate(); !errors.Is(err, fault.Usage) {
		t.Errorf("chi2 learns a relevance: %v", err)
	}
}

// Values that texts cannot spell are refused too.
func TestValidateJudgesRelevance(t *testing.T) {
	for _, r := range [][]float64{{}, {1, -1}, {math.NaN()}, {math.Inf(1)}} {
		if err := (kernel.Spec{{Name: "rbf", Relevance: r}}).Validate(); !errors.Is(err, fault.Usage) {
			t.Errorf("relevance %v: %v", r, err)
		}
	}
}

// One row against others takes no new memory.
func TestAgainstTakesNoMemory(t *testing.T) {
	x := blas.New(50, 4)
	for i := range x.Data {
		x.Data[i] = math.Sin(float64(i))
	}
	k, err := kernel.Must("linear+rbf:width=2,relevance=1/0/2/3").Kernel()
	if err != nil {
		t.Fatal(err)
	}
	a, dst := kernel.NewAgainst(k, x), make([]float64, 50)
	a.Row(dst, blas.Row(x, 0))
	if n := testing.AllocsPerRun(100, func() { a.Row(dst, blas.Row(x, 1)) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

// A spec that was read is written so that it reads back the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "rbf", "rbf:width=2+poly:degree=3,offset=1", "rbf:width=1e+05,relevance=1/0.5/1e+07+linear",
		"laplacian:width=relevance", "wavelet:width=auto,dilation=2", "affine:slope=0.1", "rbf:relevance=0x1p-3",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := kernel.Parse(text)
		if err != nil {
			if !errors.Is(err, fault.Usage) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if err := spec.Validate(); err != nil {
			t.Fatalf("%q is read, but %v", text, err)
		}
		again, err := kernel.Parse(spec.String())
		if err != nil || again.String() != spec.String() {
			t.Fatalf("%q is written as %q, which reads as %q (%v)", text, spec, again, err)
		}
		for i, term := range spec {
			if !slices.Equal(term.Relevance, again[i].Relevance) {
				t.Fatalf("%q loses digits", text)
			}
		}
	})
}

func BenchmarkMatrix(b *testing.B) {
	x := blas.New(1000, 20)
	for i := range x.Data {
		x.Data[i] = math.Sin(float64(i * i))
	}
	for _, text := range []string{"rbf:width=20", "linear+rbf:width=20", "laplacian:width=20", "additive-rbf:width=1"} {
		for _, suffix := range []string{"", ",relevance=1" + strings.Repeat("/0.5", 19)} {
			k, err := kernel.Must(text + suffix).Kernel()
			if err != nil {
				b.Fatal(err)
			}
			dst := blas.New(1000, 1000)
			b.Run(fmt.Sprint(text, suffix != ""), func(b *testing.B) {
				for b.Loop() {
					if err := kernel.Add(context.Background(), k, 1, x, x, dst); err != nil {
						b.Fatal(err)
					}
				}
			})
			a := kernel.NewAgainst(k, x)
			b.Run(fmt.Sprint("row ", text, suffix != ""), func(b *testing.B) {
				for b.Loop() {
					a.Row(dst.Data[:1000], blas.Row(x, 3))
				}
			})
		}
	}
}

func TestWidthsOfFeatures(t *testing.T) {
	for text, want := range map[string][]float64{
		"rbf:width=8,relevance=1/2/0":            {8, 2, math.Inf(1)},
		"wavelet:width=8,relevance=2":            {2},
		"laplacian:width=8,relevance=1/2/0":      {8, 4, math.Inf(1)},
		"additive-laplacian:width=8,relevance=4": {2},
		"rbf:width=8":                            nil,
		"rbf:relevance=1/2":                      nil, // the width is automatic
		"rbf:width=relevance":                    nil,
		"linear":                                 nil,
	} {
		if got := kernel.Must(text)[0].Widths(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
