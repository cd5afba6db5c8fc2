package main

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"rvflplus/dataset"
	"rvflplus/internal/compare"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
)

// situation is a kind of data with a known answer.
type situation struct {
	name  string
	alter func(g *generated) // nil leaves the table as generated
	roles dataset.Selection  // beside the target y and the privileged lab_*
}

// generated is a table of dataset.Synthetic: 3 normal columns, 2 privileged ones, the target.
type generated struct {
	*rand.Rand
	rows       int
	x, priv    [][]float64 // columns
	y, f       []float64   // the target, and what the normal columns tell of it
	group, day []float64   // of each row, where rows depend on each other
	classes    bool        // the target is whether y > 0
}

// noise is the standard deviation of the noise of dataset.Synthetic.
const noise = 0.3

// The privileged columns of dataset.Synthetic explain what the normal ones cannot. Those of the other situations know
// nothing of the target beyond the normal columns, and what groups or times of rows have in common.
var situations = []situation{
	{name: "explains"},
	{name: "noise", alter: func(g *generated) { g.eachPriv(func(int, int) float64 { return g.NormFloat64() }) }},
	{name: "copy", alter: func(g *generated) {
		g.eachPriv(func(i, j int) float64 { return g.x[j][i] })
		g.eachTarget(func(int) float64 { return g.NormFloat64() })
	}},
	{name: "noisy copy", alter: func(g *generated) {
		g.eachPriv(func(i, j int) float64 { return g.x[j][i] + g.NormFloat64()/2 })
		g.eachTarget(func(int) float64 { return g.NormFloat64() })
	}},
	{name: "heteroscedastic", alter: func(g *generated) {
		spread := func(i int) float64 { return math.Abs(g.x[0][i]) }
		g.eachPriv(func(i, j int) float64 { return g.x[j][i] + spread(i)*g.NormFloat64() })
		g.eachTarget(func(i int) float64 { return g.f[i] + spread(i)*g.NormFloat64() })
	}},
	{name: "heavy tails", alter: func(g *generated) {
		t := distuv.StudentsT{Sigma: 1, Nu: 2, Src: g.Rand}
		g.eachPriv(func(i, j int) float64 { return g.x[j][i] + t.Rand()/2 })
		g.eachTarget(func(i int) float64 { return g.f[i] + t.Rand()/2 })
	}},
	{name: "grouped", alter: inGroups, roles: dataset.Selection{Group: "group"}},
	{name: "groups not named", alter: inGroups, roles: dataset.Selection{Drop: "group"}},
	{name: "series", alter: inSeries, roles: dataset.Selection{Time: "day"}},
	{name: "classes", alter: func(g *generated) {
		g.eachPriv(func(i, j int) float64 { return g.x[j][i] + g.NormFloat64()/2 })
		g.eachTarget(func(i int) float64 { return g.f[i] + g.NormFloat64() })
		g.classes = true
	}},
}

// groupRows is the number of rows of a group.
const groupRows = 4

// inGroups gives the rows of a group a common part in each privileged column, and another one in the target.
func inGroups(g *generated) {
	common := func() []float64 {
		values := make([]float64, g.rows)
		for i := range values {
			values[i] = g.NormFloat64()
			if i%groupRows > 0 {
				values[i] = values[i-1]
			}
		}
		return values
	}
	g.group = make([]float64, g.rows)
	for i := range g.group {
		g.group[i] = float64(i / groupRows)
	}
	own := [][]float64{common(), common()}
	g.eachPriv(func(i, j int) float64 { return g.x[j][i]/2 + own[j][i] + g.NormFloat64()/4 })
	shared := common()
	g.eachTarget(func(i int) float64 { return g.f[i] + shared[i] + noise*g.NormFloat64() })
}

// inSeries makes the privileged columns and the noise of the target series whose neighbours are alike: autoregressions
// with the coefficient 0.8.
func inSeries(g *generated) {
	series := func() []float64 {
		values := make([]float64, g.rows)
		for i := range values {
			values[i] = g.NormFloat64()
			if i > 0 {
				values[i] = 0.8*values[i-1] + 0.6*values[i]
			}
		}
		return values
	}
	g.day = make([]float64, g.rows)
	for i := range g.day {
		g.day[i] = float64(i)
	}
	own := [][]float64{series(), series()}
	g.eachPriv(func(i, j int) float64 { return g.x[j][i]/2 + own[j][i] })
	shared := series()
	g.eachTarget(func(i int) float64 { return g.f[i] + shared[i] })
}

func (g *generated) eachPriv(value func(i, j int) float64) {
	for i := range g.rows {
		for j := range g.priv {
			g.priv[j][i] = value(i, j)
		}
	}
}

func (g *generated) eachTarget(value func(i int) float64) {
	for i := range g.rows {
		g.y[i] = value(i)
	}
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
func (s situation) compare(ctx context.Context, rows int, seed uint64, o compare.Options) (*compare.Comparison, error) {
	selection := s.roles
	selection.Target, selection.Priv = "y", "lab_*"
	data, err := roles.Assign(s.table(rows, seed), selection)
	if err != nil {
		return nil, err
	}
	config := param.Default()
	config.Seed = seed
	return compare.Compare(ctx, data, config, o)
}

// table returns the data set of a seed.
func (s situation) table(rows int, seed uint64) *dataset.Table {
	t, truth := dataset.Synthetic{Rows: rows, Strength: 1, Noise: noise, Seed: seed}.Table()
	if s.alter == nil {
		return t
	}
	g := &generated{Rand: rand.New(rand.NewPCG(seed, 2)), rows: rows, f: truth}
	for j := range t.Columns {
		switch numbers := t.Columns[j].Numbers; {
		case j < 3:
			g.x = append(g.x, numbers)
		case j < 5:
			g.priv = append(g.priv, numbers)
		default:
			g.y = numbers
		}
	}
	s.alter(g)
	if g.classes {
		y := &t.Columns[5]
		y.Codes, y.Levels = make([]int, rows), []string{"low", "high"}
		for i, v := range y.Numbers {
			if v > 0 {
				y.Codes[i] = 1
			}
		}
		y.Numbers = nil
	}
	for _, more := range []struct {
		name    string
		numbers []float64
	}{{"group", g.group}, {"day", g.day}} {
		if more.numbers != nil {
			t.Columns = append(t.Columns, dataset.Column{
				Name: more.name, Numbers: more.numbers, Number: len(t.Columns) + 1,
			})
		}
	}
	return t
}
