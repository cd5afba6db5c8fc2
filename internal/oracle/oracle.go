// Package oracle reads the reference answers in testdata/oracles, which
// independent NumPy code computed from the definitions (see the README there).
package oracle

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Case is one file of reference answers; fields that a file lacks stay empty.
type Case struct {
	Name       string
	Activation string
	Targets    string
	Kernel     string
	C, Gamma   float64
	Width      float64
	Offset     float64
	Degree     float64
	Dilation   float64
	Frequency  float64

	X, Priv, Y, Xtest Rows
	A, PrivA          Rows
	B, PrivB          []float64

	H, W, Test, Loo  Rows
	WithoutPriv      Rows `json:"w_without_priv"`
	Pinv             Rows
	K, Omega, Alpha  Rows
	AlphaWithoutPriv Rows `json:"alpha_without_priv"`
}

// Rows is a matrix as a list of rows.
type Rows [][]float64

// Dense returns the matrix, nil when it is empty.
func (r Rows) Dense() *mat.Dense {
	if len(r) == 0 {
		return nil
	}
	m := mat.NewDense(len(r), len(r[0]), nil)
	for i, row := range r {
		m.SetRow(i, row)
	}
	return m
}

// Folder returns the folder of reference answers: RVFL_ORACLES, or the one in
// testdata.
func Folder() string {
	if dir := os.Getenv("RVFL_ORACLES"); dir != "" {
		return dir
	}
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "testdata", "oracles")
}

// Read returns the cases whose file names match the pattern; there must be some.
func Read(t testing.TB, pattern string) []Case {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Folder(), pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reference answers match %s in %s (%v)", pattern, Folder(), err)
	}
	var cases []Case
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := Case{Name: filepath.Base(file)}
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		cases = append(cases, c)
	}
	return cases
}

// Near fails unless got equals want to relative 1e-9, relative to want's largest
// element.
func Near(t testing.TB, what string, got mat.Matrix, want Rows) {
	t.Helper()
	rows, cols := got.Dims()
	if rows != len(want) || cols != len(want[0]) {
		t.Fatalf("%s is %d×%d, want %d×%d", what, rows, cols, len(want), len(want[0]))
	}
	var scale, worst float64
	for i, row := range want {
		for j, w := range row {
			scale = math.Max(scale, math.Abs(w))
			worst = math.Max(worst, math.Abs(got.At(i, j)-w))
		}
	}
	if !(worst <= 1e-9*scale) {
		t.Errorf("%s is off by %.2g of its largest element", what, worst/scale)
	}
}
