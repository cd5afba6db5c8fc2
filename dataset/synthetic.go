package dataset

import (
	"math"
	"math/rand/v2"
	"strconv"
)

// Synthetic describes a generated regression table with known truth,
//
//	y = f(x) + Strength·g(x̃) + Noise·ε,  f(x) = sin(2x₁) + x₂x₃/2,  g(x̃) = x̃₁ + x̃₂²/2 − 1/2
//
// where all features and ε are standard normal: the privileged features explain
// the part of y that the normal features cannot.
type Synthetic struct {
	Rows     int
	Strength float64
	Noise    float64
	Seed     uint64
}

const (
	syntheticNormal = 3
	syntheticPriv   = 2
)

// Table returns the generated table with columns x1 … x3, lab_1, lab_2, y and the
// truth f(x) of each row, the prediction of a perfect model.
func (s Synthetic) Table() (t *Table, truth []float64) {
	r := rand.New(rand.NewPCG(s.Seed, 0x73796e7468)) // "synth"
	t = &Table{Rows: s.Rows, Columns: make([]Column, syntheticNormal+syntheticPriv+1)}
	for i := range t.Columns {
		t.Columns[i] = Column{Name: syntheticName(i), Numbers: make([]float64, s.Rows), Number: i + 1}
	}
	truth = make([]float64, s.Rows)
	row := make([]float64, syntheticNormal+syntheticPriv)
	for i := range s.Rows {
		for j := range row {
			row[j] = r.NormFloat64()
			t.Columns[j].Numbers[i] = row[j]
		}
		truth[i] = math.Sin(2*row[0]) + row[1]*row[2]/2
		g := row[3] + (row[4]*row[4]-1)/2
		t.Columns[len(row)].Numbers[i] = truth[i] + s.Strength*g + s.Noise*r.NormFloat64()
	}
	return t, truth
}

func syntheticName(i int) string {
	switch {
	case i < syntheticNormal:
		return "x" + strconv.Itoa(i+1)
	case i < syntheticNormal+syntheticPriv:
		return "lab_" + strconv.Itoa(i+1-syntheticNormal)
	}
	return "y"
}
