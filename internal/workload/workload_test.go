package workload

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// The sizes of go test -bench; with -short, sizes that only show that it works.
func BenchmarkGemm(b *testing.B)     { each(b, "gemm", 128, 1024, 2048, 4096) }
func BenchmarkSyrk(b *testing.B)     { each(b, "syrk", 128, 1024, 2048, 4096) }
func BenchmarkPanel(b *testing.B)    { each(b, "panel", 512, 43500) }
func BenchmarkCholesky(b *testing.B) { each(b, "cholesky", 128, 1024, 2048, 4096) }

// Numbers that fit the first cache, the second, and neither.
func BenchmarkExp(b *testing.B) { each(b, "exp", 1024, 1024, 1<<15, 1<<23) }

func BenchmarkRVFLPlusFit(b *testing.B)    { each(b, "rvfl+", 256, 43500) }
func BenchmarkKRVFLFit(b *testing.B)       { each(b, "krvfl", 256, 5000) }
func BenchmarkKRVFLPlusFit(b *testing.B)   { each(b, "krvfl+", 50, 50, 100, 200, 400) }
func BenchmarkRVFLPredict(b *testing.B)    { each(b, "rvfl-predict", 256, 43500) }
func BenchmarkKRVFLPredict(b *testing.B)   { each(b, "krvfl-predict", 64, 2000) }
func BenchmarkMultiplyAndAdd(b *testing.B) { each(b, "peak", 1000, 20_000_000) }

func each(b *testing.B, name string, short int, sizes ...int) {
	if testing.Short() {
		sizes = []int{short}
	}
	for _, size := range sizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) { measure(b, name, size) })
	}
}

func measure(b *testing.B, name string, size int) {
	w, err := New(name, size)
	if err != nil {
		b.Fatal(err)
	}
	var total time.Duration
	for b.Loop() {
		took, err := w.Time(ctx)
		if err != nil {
			b.Fatal(err)
		}
		total += took
	}
	report(b, w, total.Seconds()/float64(b.N))
	// With b.Loop, Go measures before it sets GOMAXPROCS to the first value of -cpu
	// (golang.org/issue/49980): print what it was.
	b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "threads")
}

// report prints what one run took without Reset.
func report(b *testing.B, w *Work, seconds float64) {
	b.ReportMetric(seconds*1e9, "ns/op")
	if w.Flops > 0 {
		b.ReportMetric(w.Flops/seconds/1e9, "GFLOP/s")
	}
	if w.Items > 0 {
		b.ReportMetric(w.Items/seconds, w.Unit+"/s")
	}
}

// The numbers are those that the author of SplitMix64's C code publishes for the
// seed 1234567: https://rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64
func TestSplitMix(t *testing.T) {
	want := []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821}
	for i, v := range want {
		if got := splitMix(1234567, uint64(i)+1); got != v {
			t.Errorf("number %d is %d, want %d", i+1, got, v)
		}
	}
}

func TestUniformFillsItsRange(t *testing.T) {
	v := make([]float64, 10000)
	uniform(v, 3, -10, 10)
	if lo, hi := slices.Min(v), slices.Max(v); lo < -10 || lo > -9.9 || hi < 9.9 || hi >= 10 {
		t.Errorf("numbers from %v to %v", lo, hi)
	}
}

// run does the work twice, to see that it can be repeated, and returns its answer.
func run(t *testing.T, name string, size int) []float64 {
	t.Helper()
	w, err := New(name, size)
	if err != nil {
		t.Fatal(err)
	}
	var first []float64
	for range 2 {
		if _, err := w.Time(ctx); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = slices.Clone(w.Answer())
		}
	}
	if !slices.Equal(first, w.Answer()) {
		t.Errorf("%s gives another answer the second time", name)
	}
	return first
}

func TestEveryWorkAnswers(t *testing.T) {
	for _, name := range Names() {
		answer := run(t, name, 80)
		var size float64
		for _, v := range answer {
			size += math.Abs(v)
		}
		if !(size > 0) || math.IsInf(size, 0) {
			t.Errorf("the answer of %s adds up to %v", name, size)
		}
	}
}

func TestUnknownWork(t *testing.T) {
	for _, size := range []int{0, 5} {
		if _, err := New(map[int]string{0: "gemm", 5: "gem"}[size], size); err == nil {
			t.Errorf("size %d: no error", size)
		}
	}
}

// near compares an answer with gonum's.
func near(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= 1e-12*math.Max(1, math.Abs(v))) {
			t.Fatalf("%s: number %d is %v, gonum has %v", name, i, got[i], v)
		}
	}
}

func TestProductsAreWhatTheyAreCalled(t *testing.T) {
	const n = 50
	a, b := dense(Matrix(1, n, n)), dense(Matrix(2, n, n))
	var ab, ata mat.Dense
	ab.Mul(a, b)
	ata.Mul(a.T(), a)
	near(t, "gemm", run(t, "gemm", n), sample(n, n, false, ab.At))
	near(t, "syrk", run(t, "syrk", n), sample(n, n, true, ata.At))
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(n, PositiveDefinite(n).Data)) {
		t.Fatal("not positive definite")
	}
	var u mat.TriDense
	chol.UTo(&u)
	near(t, "cholesky", run(t, "cholesky", n), sample(n, n, true, u.At))
	x := Exponents(n)
	near(t, "exp", run(t, "exp", n), sample(1, n, false, func(_, j int) float64 { return math.Exp(x.Data[j]) }))
}

// A loop's sum shows that it does the work it is credited with.
func TestPeakCountsItsWork(t *testing.T) {
	for _, l := range loops() {
		const steps = 1000
		got, want := l.run(steps, math.Pi, 0.1), steps*math.Pi*0.1*l.flops/2
		if !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%s: %v, want %v", l.name, got, want)
		}
	}
}

// Row-major matrices of both sides mean the same.
func TestMatrixIsRowMajor(t *testing.T) {
	m := Matrix(1, 2, 3)
	want := make([]float64, 6)
	uniform(want, 1, -1, 1)
	if m.Stride != 3 || m.Data[4] != want[4] {
		t.Errorf("%+v", m)
	}
}
