package pipeline

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/param"
	"rvflplus/kernel"
)

// The seeds of TestInformativeColumnsAreNamed. More of them:
// go test ./internal/pipeline -run InformativeColumns -v -seeds 20
var seeds = flag.Int("seeds", 2, "generated tables on which the informative columns are looked for")

// threeOfTwenty is a table of 20 columns of which y = sin(2x1) + x2·x3 + x3 + 0.3ε depends on the first three.
func threeOfTwenty(rows int, seed uint64) *dataset.Table {
	r := rand.New(rand.NewPCG(seed, 20))
	t := &dataset.Table{Rows: rows}
	for j := range 20 {
		t.Columns = append(t.Columns, dataset.Column{Name: fmt.Sprintf("x%d", j+1), Numbers: make([]float64, rows)})
	}
	y := dataset.Column{Name: "y", Numbers: make([]float64, rows)}
	for i := range rows {
		for j := range 20 {
			t.Columns[j].Numbers[i] = r.NormFloat64()
		}
		x := func(j int) float64 { return t.Columns[j-1].Numbers[i] }
		y.Numbers[i] = math.Sin(2*x(1)) + x(2)*x(3) + x(3) + 0.3*r.NormFloat64()
	}
	t.Columns = append(t.Columns, y)
	return t
}

func withLearnedWidths(kind string) param.Config {
	return param.With(func(c *param.Config) {
		c.Kind, c.Kernel, c.Free = kind, kernel.Must("rbf:width=relevance"), []param.Param{param.C}
	})
}

func TestInformativeColumnsAreNamed(t *testing.T) {
	for _, kind := range []string{"averaged", "krvfl"} {
		ranked, named := 0, 0
		for seed := range *seeds {
			m := train(t, threeOfTwenty(150, uint64(seed)+1), dataset.Selection{Target: "y"}, withLearnedWidths(kind))
			first, told := namesOf(m.Report.Columns[:3]), namesOf(m.Report.ColumnsThatCount())
			if first == "x1,x2,x3" {
				ranked++
			}
			if told == "x1,x2,x3" {
				named++
			}
			t.Logf("%s, seed %d: %v", kind, seed+1, m.Report.Columns[:5])
			sum := 0.0
			for _, c := range m.Report.Columns {
				sum += c.Share
			}
			if len(m.Report.Columns) != 20 || math.Abs(sum-1) > 1e-12 {
				t.Errorf("%d shares with the sum %v", len(m.Report.Columns), sum)
			}
		}
		t.Logf("%s: the three columns have the largest shares on %d of %d tables, and are what is named on %d", kind,
			ranked, *seeds, named)
		if least := *seeds - *seeds/20; ranked < least || named < least {
			t.Errorf("%s: fewer than %d", kind, least)
		}
	}
}

// namesOf lists the names of columns in alphabetical order.
func namesOf(columns []ColumnShare) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}
