package relevance

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// formula is a model whose outputs are functions of a row.
type formula struct {
	features int
	outputs  []func(x []float64) float64
}

func (f formula) Dims() (features, outputs int) { return f.features, len(f.outputs) }

func (f formula) PredictTo(dst, x *mat.Dense) {
	for i := range x.RawMatrix().Rows {
		for o, of := range f.outputs {
			dst.Set(i, o, of(x.RawRowView(i)))
		}
	}
}

func rowsOf(rows, features int) *mat.Dense {
	m := normal(rand.New(rand.NewPCG(5, 6)), rows, features)
	return mat.NewDense(rows, features, m.Data)
}

func measured(t *testing.T, s Shares) []float64 {
	t.Helper()
	shares, err := s.Measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return shares
}

// The formula, written out: features of one column are silenced together, outputs count in their scale.
func TestSharesEqualTheFormula(t *testing.T) {
	x := rowsOf(30, 5)
	m := formula{5, []func([]float64) float64{
		func(x []float64) float64 { return 2*x[0] + x[1]*x[2] },
		func(x []float64) float64 { return 100 * math.Sin(x[3]+x[1]) },
	}}
	s := Shares{Model: m, X: x, Columns: []int{0, 1, 1, 2, 3}, Scale: []float64{1, 0.01}}
	var want [4]float64
	var sum float64
	for column := range want {
		without := mat.DenseCopyOf(x)
		for j, of := range s.Columns {
			if of == column {
				mean := mat.Sum(x.ColView(j)) / 30
				for i := range 30 {
					without.Set(i, j, mean)
				}
			}
		}
		a, b := mat.NewDense(30, 2, nil), mat.NewDense(30, 2, nil)
		m.PredictTo(a, x)
		m.PredictTo(b, without)
		for i := range 30 {
			want[column] += math.Pow(a.At(i, 0)-b.At(i, 0), 2) + math.Pow((a.At(i, 1)-b.At(i, 1))/100, 2)
		}
		sum += want[column]
	}
	got := measured(t, s)
	for j, v := range want {
		if math.Abs(got[j]-v/sum) > 1e-12 {
			t.Errorf("column %d: %v, want %v", j, got[j], v/sum)
		}
	}
	if got[3] != 0 {
		t.Errorf("a column that the model does not look at has the share %v", got[3])
	}
}

// A column that acts through another column alone, and on either side alike, counts.
func TestColumnsThatInteractCount(t *testing.T) {
	s := Shares{Model: formula{3, []func([]float64) float64{func(x []float64) float64 { return x[0] * x[1] }}},
		X: rowsOf(400, 3), Columns: []int{0, 1, 2}, Scale: []float64{1}}
	got := measured(t, s)
	if math.Abs(got[0]-0.5) > 0.05 || math.Abs(got[1]-0.5) > 0.05 || got[2] != 0 {
		t.Errorf("shares %v of x0·x1", got)
	}
}

// Of many rows some are drawn by the seed, and they stand for all.
func TestSharesOfASample(t *testing.T) {
	s := Shares{Model: formula{2, []func([]float64) float64{func(x []float64) float64 { return 3*x[0] + x[1] }}},
		X: rowsOf(3000, 2), Columns: []int{0, 1}, Scale: []float64{1}}
	got := measured(t, s)
	if math.Abs(got[0]-0.9) > 0.02 {
		t.Errorf("shares %v, want 0.9 and 0.1", got)
	}
	if !slices.Equal(got, measured(t, s)) {
		t.Error("the same seed gives other shares")
	}
	if s.Seed = 1; slices.Equal(got, measured(t, s)) {
		t.Error("another seed gives the same shares")
	}
}

func TestRowsOfShares(t *testing.T) {
	for _, c := range []struct{ rows, features, support, want int }{
		{150, 20, 150, 150},
		{5000, 20, 5000, 500},
		{1000, 784, 1000, 32}, // 2·10¹⁰ / (784·784·1000)
		{1000, 1200, 1000, 0},
		{10, 20, 10, 10},
		{10, 40000, 10, 0},
	} {
		s := Shares{X: mat.NewDense(c.rows, c.features, nil), Columns: make([]int, c.features), Support: c.support}
		for j := range s.Columns {
			s.Columns[j] = j
		}
		if got := s.Rows(); got != c.want {
			t.Errorf("%d rows of %d columns, %d of support: %d, want %d", c.rows, c.features, c.support, got, c.want)
		}
		if c.want == 0 {
			if shares, err := s.Measure(t.Context()); shares != nil || err != nil {
				t.Errorf("%v, %v from no row", shares, err)
			}
		}
	}
}

// There are no shares of nothing, nor of outputs that overflow.
func TestOutputsWithoutShares(t *testing.T) {
	for name, of := range map[string]func([]float64) float64{
		"constant": func([]float64) float64 { return 7 },
		"overflow": func(x []float64) float64 { return 1e200 * x[0] },
		"infinite": func(x []float64) float64 { return math.Exp(1e4 * x[0]) },
	} {
		s := Shares{Model: formula{2, []func([]float64) float64{of}}, X: rowsOf(50, 2), Columns: []int{0, 1},
			Scale: []float64{1}}
		if got := measured(t, s); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSharesCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := Shares{X: rowsOf(100, 200), Columns: make([]int, 200), Scale: []float64{1}, Model: formula{200,
		[]func([]float64) float64{func(x []float64) float64 { return x[0] }}}}
	for j := range s.Columns {
		s.Columns[j] = j
	}
	var told []int
	s.Progress = func(stage string, done, total int) {
		if told = append(told, done); stage != "columns" || total != 200 {
			t.Errorf("stage %q of %d", stage, total)
		}
		cancel()
	}
	if _, err := s.Measure(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if len(told) != 1 || told[0] >= 200 {
		t.Errorf("columns done: %v", told)
	}
}
