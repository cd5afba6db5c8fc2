package pipeline

import (
	"flag"
	"fmt"
	"maps"
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
	// A single kernel ends in a local minimum now and then, for which a mixture makes up: of 20 tables krvfl ranked the
	// three columns first on 18, averaged on 20.
	for kind, part := range map[string]float64{"averaged": 0.95, "krvfl": 0.85} {
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
		if least := int(math.Ceil(part * float64(*seeds))); ranked < least || named < least {
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

// Which columns count is told where widths of columns can be learned or are given, and only there.
func TestKindsThatTellColumns(t *testing.T) {
	given := func(kind, text string) param.Config {
		return param.With(func(c *param.Config) { c.Kind, c.Kernel = kind, kernel.Must(text) })
	}
	const four = "width=2,relevance=1/0.5/0/2/2"
	onLayers := param.With(func(c *param.Config) { c.Kind, c.Base, c.Hidden = "averaged", "rvfl", 10 })
	for name, c := range map[string]struct {
		param.Config
		want bool
	}{
		"krvfl":                 {given("krvfl", "rbf"), false},
		"krvfl with relevance":  {given("krvfl", "rbf:"+four), true},
		"krvfl+ with relevance": {given("krvfl+", "laplacian:"+four), true},
		"svr with relevance":    {given("svr", "rbf:"+four), false},
		"averaged":              {given("averaged", "rbf"), true},
		"averaged on layers":    {onLayers, false},
		"stack":                 {given("stack", "rbf"), true},
		"rvfl":                  {param.With(func(c *param.Config) { c.Kind, c.Hidden = "rvfl", 10 }), false},
	} {
		if c.Kind == "svr" {
			c.Tol = 1e-3
		}
		m := train(t, mixed(40), dataset.Selection{Target: "y", Priv: "lab_*", Drop: "label", Weight: "w"}, c.Config)
		if got := m.Report.Columns != nil; got != c.want {
			t.Errorf("%s: %v, want %v", name, m.Report.Columns, c.want)
		}
		if c.want && len(m.Report.Columns) != 4 {
			t.Errorf("%s: %v of three columns of numbers and one of categories", name, m.Report.Columns)
		}
	}
}

// Features of factor 0 have no share, and the width of a column of categories is the least of its features.
func TestColumnsOfGivenRelevance(t *testing.T) {
	s := dataset.Selection{Target: "y,x3", Drop: "label,w,lab_*"}
	m := train(t, mixed(60), s, param.With(func(c *param.Config) {
		c.Kind, c.Kernel, c.Linear, c.C = "krvfl", kernel.Must("rbf:width=8,relevance=2/0/1/0.5"), false, 10
	}))
	shares := map[string]float64{}
	for _, c := range m.Report.Columns {
		shares[c.Name] = c.Share
	}
	if shares["x2"] != 0 || !(shares["x1"] > 0) || !(shares["colour"] > 0) || len(shares) != 3 {
		t.Errorf("shares %v", shares)
	}
	want := map[string]float64{"x1": 2, "x2": math.Inf(1), "colour": 8}
	if got := m.ColumnWidths(m.Config.Kernel[0]); !maps.Equal(got, want) {
		t.Errorf("widths %v, want %v", got, want)
	}
}

// A table of too many columns is trained, with a note.
func TestTooManyColumnsAreNotMeasured(t *testing.T) {
	table := &dataset.Table{Rows: 30}
	r := rand.New(rand.NewPCG(1, 1))
	for j := range 6000 {
		table.Columns = append(table.Columns, dataset.Column{Name: fmt.Sprintf("x%d", j), Numbers: make([]float64, 30)})
		for i := range 30 {
			table.Columns[j].Numbers[i] = r.NormFloat64()
		}
	}
	m := train(t, table, dataset.Selection{Target: "x0"}, param.With(func(c *param.Config) {
		one := kernel.Must("rbf:width=6000")
		one[0].Relevance = slices.Repeat([]float64{1}, 5999)
		c.Kind, c.Kernel = "krvfl", one
	}))
	var notes []string
	for _, n := range m.Report.Notes {
		notes = append(notes, n.String())
	}
	if m.Report.Columns != nil || !strings.Contains(strings.Join(notes, "\n"), "which columns count was not measured") {
		t.Errorf("%d shares, notes %q", len(m.Report.Columns), notes)
	}
}

func TestColumnsThatCount(t *testing.T) {
	for _, c := range []struct {
		shares []float64
		want   int
	}{
		{nil, 0},
		{[]float64{1}, 1},
		{[]float64{0.9, 0.1}, 1},
		{[]float64{0.5, 0.31, 0.18, 0.01}, 3},
		{slices.Repeat([]float64{0.1}, 10), 5},
	} {
		var r Report
		for k, share := range c.shares {
			r.Columns = append(r.Columns, ColumnShare{fmt.Sprint(k), share})
		}
		if got := len(r.ColumnsThatCount()); got != c.want {
			t.Errorf("%v: %d columns, want %d", c.shares, got, c.want)
		}
	}
	r := Report{Columns: []ColumnShare{{"a", 0.5}, {"b", 0.25}, {"c", 0.125}, {"d", 0.125}}}
	if largest, rest := r.LargestColumns(2); len(largest) != 2 || rest != 0.25 {
		t.Errorf("%v and %v", largest, rest)
	}
	if largest, rest := r.LargestColumns(9); len(largest) != 4 || rest != 0 {
		t.Errorf("%v and %v", largest, rest)
	}
}
