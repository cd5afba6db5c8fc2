package main

import (
	"context"
	"math/rand/v2"

	"rvflplus/dataset"
	"rvflplus/internal/compare"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
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

// fewPermutations are made first where a comparison may end early. They are the first of
// any number.
const fewPermutations = 39

// compare judges the data set of a seed. With early it makes all permutations only if
// the first leave a chance of helps.
func (s situation) compare(ctx context.Context, rows int, seed uint64, o compare.Options,
	early bool) (*compare.Comparison, error) {
	data, err := roles.Assign(s.table(rows, seed), dataset.Selection{Target: "y", Priv: "lab_*"})
	if err != nil {
		return nil, err
	}
	config := param.Default()
	config.Seed = seed
	if early {
		first := o
		first.Permutations = fewPermutations
		if c, err := compare.Compare(ctx, data, config, first); err != nil || !mayHelp(c, o.Permutations) {
			return c, err
		}
	}
	return compare.Compare(ctx, data, config, o)
}

// mayHelp reports whether a p-value of so many permutations (0: the default), of which c has the first, or of held-out
// rows, can be at most 0.05 after Holm's adjustment: at least one has to be when it is multiplied by the number of
// tests.
func mayHelp(c *compare.Comparison, permutations int) bool {
	if permutations == 0 {
		permutations = 199
	}
	for _, t := range c.Permutation.Tests {
		if 20*(1+t.Reached())*c.Tests() <= permutations+1 {
			return true
		}
	}
	for _, t := range c.HeldOut {
		if 20*t.P*float64(c.Tests()) <= 1 {
			return true
		}
	}
	return false
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
