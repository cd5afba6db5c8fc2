package main

import (
	"context"
	"math/rand/v2"

	"rvflplus/dataset"
	"rvflplus/lupi"
	"rvflplus/pipeline"
)

// situation is a kind of data with a known answer.
type situation struct {
	name  string
	alter func(r *rand.Rand, x, priv, y []float64) // one row; nil leaves it as generated
}

// The privileged columns of dataset.Synthetic explain what the normal ones cannot.
// Those of the other situations know nothing of the target beyond them.
var situations = []situation{
	{"explains", nil},
	{"noise", func(r *rand.Rand, x, priv, y []float64) {
		for j := range priv {
			priv[j] = r.NormFloat64()
		}
	}},
	{"copy", func(r *rand.Rand, x, priv, y []float64) {
		copy(priv, x)
		y[0] = r.NormFloat64()
	}},
	{"noisy copy", func(r *rand.Rand, x, priv, y []float64) {
		for j := range priv {
			priv[j] = x[j] + r.NormFloat64()/2
		}
		y[0] = r.NormFloat64()
	}},
}

func situationByName(name string) (situation, bool) {
	for _, s := range situations {
		if s.name == name {
			return s, true
		}
	}
	return situation{}, false
}

// compare judges the data set of a seed.
func (s situation) compare(ctx context.Context, rows int, seed uint64, o lupi.Options) (*lupi.Comparison, error) {
	data, err := dataset.WithRoles(s.table(rows, seed), dataset.Selection{Target: "y", Priv: "lab_*"})
	if err != nil {
		return nil, err
	}
	return lupi.Compare(ctx, data, pipeline.Config{Seed: seed}, o)
}

// table returns the data set of a seed: 3 normal columns, 2 privileged ones, the target.
func (s situation) table(rows int, seed uint64) *dataset.Table {
	t, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.3, Seed: seed}.Table()
	if s.alter == nil {
		return t
	}
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range rows {
		x, priv, y := cells(t, i, 0, 3), cells(t, i, 3, 5), cells(t, i, 5, 6)
		s.alter(r, x, priv, y)
		for j, v := range append(priv, y...) {
			t.Columns[3+j].Numbers[i] = v
		}
	}
	return t
}

func cells(t *dataset.Table, row, from, to int) []float64 {
	var v []float64
	for _, c := range t.Columns[from:to] {
		v = append(v, c.Numbers[row])
	}
	return v
}
