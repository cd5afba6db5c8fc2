package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/rng"
	"rvflplus/internal/roles"
	"rvflplus/internal/split"
	"rvflplus/learn"
)

// dependent is generated data with a column of groups of so many rows and a column of days, in random order.
func dependent(t *testing.T, rows, size int, sel dataset.Selection) *roles.Data {
	t.Helper()
	table := *synthetic(t, rows, numbers).Table
	group, day := make([]float64, rows), make([]float64, rows)
	for i, k := range rng.New(1, "days").Perm(rows) {
		group[i], day[i] = float64(i/size), float64(k)
	}
	table.Columns = append(slices.Clone(table.Columns), dataset.Column{Name: "group", Numbers: group},
		dataset.Column{Name: "day", Numbers: day})
	d, err := roles.Assign(&table, sel)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// drawn returns the splits that a comparison of d makes, and its run.
func drawn(t *testing.T, d *roles.Data, o Options) (*run, []split.Split) {
	t.Helper()
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Options: o, config: param.Default(), data: d}
	if err := r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []split.Split
	for i := range r.Splits {
		s, err := r.draw(i, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return r, all
}

func TestWholeGroupsAreLeftOut(t *testing.T) {
	sel := dataset.Selection{Target: "kind", Priv: "lab_*", Group: "group", Drop: "y,day"}
	for _, most := range []int{200, 40} {
		r, splits := drawn(t, dependent(t, 80, 4, sel), Options{Splits: 12, Rows: most})
		for _, s := range splits {
			if len(s.Train) > most || len(s.Test) < 8 || len(s.Train)+len(s.Test) > 80 {
				t.Errorf("%d training, %d test rows", len(s.Train), len(s.Test))
			}
			trained, classes := map[int]bool{}, map[int]bool{}
			for _, i := range s.Train {
				trained[r.group[i]], classes[r.data.Find("kind").Codes[i]] = true, true
			}
			for _, i := range s.Test {
				if trained[r.group[i]] {
					t.Fatalf("group %d is in both parts", r.group[i])
				}
			}
			if len(classes) != 2 {
				t.Error("a class is not trained on")
			}
		}
	}
}

// Rows of a split are tested on after those that are trained on, whatever their order in the table.
func TestLaterRowsAreTestedOn(t *testing.T) {
	sel := dataset.Selection{Target: "y", Priv: "lab_*", Time: "day", Drop: "kind,group"}
	r, splits := drawn(t, dependent(t, 80, 4, sel), Options{Splits: 30})
	days := r.data.Find("day").Numbers
	if len(splits) != 17 || r.groups != 16 { // of windows of 64 rows
		t.Fatalf("%d splits, %d blocks", len(splits), r.groups)
	}
	starts := map[int]bool{}
	for _, s := range splits {
		if last, first := days[s.Train[len(s.Train)-1]], days[s.Test[0]]; last >= first || len(s.Train) != 48 {
			t.Errorf("day %v is trained on, and day %v tested, with %d rows", last, first, len(s.Train))
		}
		starts[s.Train[0]] = true
	}
	if len(starts) != 17 {
		t.Errorf("%d different splits", len(starts))
	}
}

func TestGroupsAndTimesAreCompared(t *testing.T) {
	for _, c := range []struct {
		sel    dataset.Selection
		left   string
		groups int
		says   string
	}{
		{dataset.Selection{Group: "group", Drop: "day,kind"}, "groups", 15, "groups are independent"},
		{dataset.Selection{Time: "day", Drop: "group,kind"}, "blocks", 12, "far from each other in time"},
		{dataset.Selection{Group: "group", Time: "day", Drop: "kind"}, "groups", 15, "groups are independent"},
		{dataset.Selection{Drop: "group,day,kind"}, "rows", 0, "rows are independent"},
	} {
		c.sel.Target, c.sel.Priv = "y", "lab_*"
		got, err := Compare(t.Context(), dependent(t, 60, 4, c.sel), param.Default(), few)
		if err != nil {
			t.Fatal(err)
		}
		distilled := slices.ContainsFunc(got.Methods, func(s Score) bool { return s.Name == "distill" })
		if got.LeftOut != c.left || got.Groups != c.groups || !strings.Contains(got.Assumes.String(), c.says) ||
			distilled != (c.left == "rows") || len(got.Permutation.Tests) < 2 {
			t.Errorf("%s: %d groups, %s; %v", got.LeftOut, got.Groups, got.Assumes, got.Notes)
		}
	}
}

func TestFewGroupsAreRefused(t *testing.T) {
	sel := dataset.Selection{Target: "y", Priv: "lab_*", Group: "group", Drop: "kind,day"}
	_, err := Compare(t.Context(), dependent(t, 66, 6, sel), param.Default(), few)
	if !errors.Is(err, fault.Data) || !strings.Contains(err.Error(), "has 11 groups") {
		t.Error(err)
	}
}

// What the rows of a group have in common stays with whole groups, and what distinguishes them stays in its group.
func TestGroupsAreExchangedWhole(t *testing.T) {
	groups := [][]int{{0, 3}, {1, 4, 5}, {2}}
	v := mat.NewDense(6, 1, []float64{10, 100, 1000, 12, 104, 108})
	means := []float64{11, 104, 1000}
	moved := false
	for k := range 20 {
		out := exchanger{groups: groups}.exchanged(v, rng.New(uint64(k), "test"))
		var got []float64
		for _, g := range groups {
			var values, own []float64
			mean := 0.0
			for _, i := range g {
				mean += out.At(i, 0) / float64(len(g))
			}
			for _, i := range g {
				values = append(values, math.Round(out.At(i, 0)-mean))
				own = append(own, v.At(i, 0)-means[len(got)])
			}
			slices.Sort(values)
			slices.Sort(own)
			if !slices.Equal(values, own) {
				t.Errorf("differences %v, not %v", values, own)
			}
			got = append(got, math.Round(mean))
		}
		moved = moved || !slices.Equal(got, means)
		slices.Sort(got)
		if !slices.Equal(got, means) {
			t.Errorf("means %v", got)
		}
	}
	if !moved {
		t.Error("groups never moved")
	}
}

// A series is shifted: neighbours stay neighbours, and no shift is so short that most rows keep theirs.
func TestSeriesAreShifted(t *testing.T) {
	const n = 100
	v := mat.NewDense(n, 1, nil)
	for i := range n {
		v.Set(i, 0, float64(i))
	}
	shifts := map[int]bool{}
	for k := range 200 {
		out := exchanger{series: true}.exchanged(v, rng.New(uint64(k), "test"))
		shift := int(out.At(0, 0))
		shifts[shift] = true
		for i := range n {
			if int(out.At(i, 0)) != (i+shift)%n {
				t.Fatalf("row %d has %v after a shift by %d", i, out.At(i, 0), shift)
			}
		}
		if shift < 5 || shift > 95 {
			t.Errorf("shifted by %d", shift)
		}
	}
	if len(shifts) < 60 {
		t.Errorf("%d different shifts", len(shifts))
	}
}

// Exchanged residuals have the spread of their new place.
func TestResidualsKeepTheirSpread(t *testing.T) {
	random := rng.New(3, "test")
	const n = 200
	x, priv := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.Set(i, 0, random.NormFloat64())
		priv.Set(i, 0, x.At(i, 0)+math.Abs(x.At(i, 0))*random.NormFloat64())
	}
	left, err := new(run).newResiduals(context.Background(), learn.Problem{X: x, Priv: priv}, 0)
	if err != nil {
		t.Fatal(err)
	}
	inner, outer, count := 0.0, 0.0, [2]float64{}
	for range 20 {
		out := left.shuffled(random)
		for i := range n {
			switch size := math.Abs(out.At(i, 0) - left.mean.out.At(i, 0)); {
			case math.Abs(x.At(i, 0)) < 0.3:
				inner, count[0] = inner+size, count[0]+1
			case math.Abs(x.At(i, 0)) > 1.2:
				outer, count[1] = outer+size, count[1]+1
			}
		}
	}
	// The mean sizes of the data are in the ratio of about 0.15 to 1.7.
	if ratio := (outer / count[1]) / (inner / count[0]); ratio < 3 {
		t.Errorf("the spread is %g times as large where it is about ten times as large in the data", ratio)
	}
}

func TestSuspects(t *testing.T) {
	const rows = 60
	number := func(of func(i int) float64) []float64 {
		v := make([]float64, rows)
		for i := range v {
			v[i] = of(i)
		}
		return v
	}
	random := rng.New(1, "test")
	noise := number(func(int) float64 { return random.NormFloat64() })
	twins := number(func(i int) float64 { return noise[i/2] })
	fours := number(func(i int) float64 { return float64(i / 4) })
	twos := number(func(i int) float64 { return float64(i % 2) })
	x := dataset.Column{Name: "x", Numbers: noise}
	code := dataset.Column{Name: "postcode", Codes: make([]int, rows)}
	for i := range rows {
		code.Codes[i] = i / 3
	}
	for k := range rows / 3 {
		code.Levels = append(code.Levels, fmt.Sprint("p", k))
	}
	for name, c := range map[string]struct {
		columns []dataset.Column
		id      int
		want    string
	}{
		"id": {[]dataset.Column{{Name: "who", Numbers: fours}, x}, 0,
			`column "who" has 15 different cells in 60 rows`},
		"name":  {[]dataset.Column{{Name: "Patient_ID", Numbers: fours}, x}, -1, `column "Patient_ID" has 15`},
		"texts": {[]dataset.Column{code, x}, -1, `column "postcode" has 20`},
		"twins": {[]dataset.Column{{Name: "x1", Numbers: twins}, {Name: "x2", Numbers: twins},
			{Name: "x3", Numbers: twins}}, -1,
			"60 of 60 rows have the same"},
		"nothing":    {[]dataset.Column{{Name: "acid", Numbers: fours}, x}, -1, ""},
		"two groups": {[]dataset.Column{{Name: "group", Numbers: twos}, x}, -1, ""},
	} {
		d := &roles.Data{Table: &dataset.Table{Rows: rows, Columns: c.columns}, Roles: roles.Columns{ID: c.id, Key: -1}}
		for i := range c.columns {
			if i != c.id {
				d.Roles.Normal = append(d.Roles.Normal, i)
			}
		}
		r := &run{data: d, rows: rows}
		text := fmt.Sprint(r.suspects())
		if c.want == "" && text != "[]" || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", name, text)
		}
		if r.group = code.Codes; r.suspects() != nil {
			t.Errorf("%s: a warning where groups are named", name)
		}
	}
}
