package lupi_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/lupi"
	"rvflplus/pipeline"
)

// The studies of docs/compare.md; by default small enough for every run of the tests.
var (
	studyRows         = flag.Int("study.rows", 60, "rows of a data set")
	studySeeds        = flag.Int("study.seeds", 2, "data sets of each kind")
	studyPermutations = flag.Int("study.permutations", 19, "permutations of a comparison")
	studySplits       = flag.Int("study.splits", 4, "splits of a comparison")
	studyTest         = flag.Float64("study.test", 0, "share of test rows, 0 for the default")
	studyMethods      = flag.String("study.methods", "krvfl,krvfl+:additive", "methods, or all")
)

// situation is a kind of data with a known answer.
type situation struct {
	name  string
	alter func(r *rand.Rand, x, priv, y []float64) // one row; nil leaves it as generated
	helps bool
}

// Synthetic's privileged columns explain what the normal ones cannot. Those of the
// other situations know nothing of the target beyond them.
var situations = []situation{
	{"explains", nil, true},
	{"noise", func(r *rand.Rand, x, priv, y []float64) {
		for j := range priv {
			priv[j] = r.NormFloat64()
		}
	}, false},
	{"copy", func(r *rand.Rand, x, priv, y []float64) {
		copy(priv, x)
		y[0] = r.NormFloat64()
	}, false},
	{"noisy copy", func(r *rand.Rand, x, priv, y []float64) {
		for j := range priv {
			priv[j] = x[j] + r.NormFloat64()/2
		}
		y[0] = r.NormFloat64()
	}, false},
}

// table returns the data of a situation.
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

func TestStudy(t *testing.T) {
	o := lupi.Options{Splits: *studySplits, Permutations: *studyPermutations, Test: *studyTest}
	if *studyMethods != "all" {
		o.Methods = strings.Split(*studyMethods, ",")
	}
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			helped := 0
			for seed := range uint64(*studySeeds) {
				data, err := dataset.WithRoles(s.table(*studyRows, seed), dataset.Selection{Target: "y", Priv: "lab_*"})
				if err != nil {
					t.Fatal(err)
				}
				c, err := lupi.Compare(context.Background(), data, pipeline.Config{Seed: seed}, o)
				if err != nil {
					t.Fatal(err)
				}
				if c.Verdict == lupi.Helps {
					helped++
				}
				t.Logf("%d rows, seed %d: %s (%s, p = %s, gain %s, upper bound %s, %.0f s)", *studyRows, seed,
					c.Verdict, c.Best, c.PValue(c.Best), c.Range(c.Difference), c.Gain(c.Upper), c.Seconds)
			}
			t.Logf("helps in %d of %d", helped, *studySeeds)
			switch n := *studySeeds; {
			case s.helps && 10*helped < 9*n:
				t.Errorf("helps in %d of %d", helped, n)
			case !s.helps && 20*helped > 3*n+17: // 3 of 20; one of few seeds
				t.Errorf("helps in %d of %d", helped, n)
			}
		})
	}
}
