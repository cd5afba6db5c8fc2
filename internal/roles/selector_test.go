package roles

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
)

var names = []string{"age", "lab_1", "lab_2", "MDVP:Jitter(%)", "a,b", "3:4", "x*", "größe"}

func TestSelect(t *testing.T) {
	for selector, want := range map[string][]int{
		"":               nil,
		"age":            {0},
		"lab_2,age":      {2, 0},
		" lab_1 , age ":  {1, 0},
		"lab_*":          {1, 2},
		"lab_?":          {1, 2},
		"lab_[2-3]":      {2},
		"lab_[!2]":       {1},
		"*":              {0, 1, 2, 3, 4, 5, 6, 7},
		"2:3":            {1, 2},
		"3:4":            {5}, // an exact name comes before positions
		"x*":             {6}, // and before globs
		"MDVP:Jitter(%)": {3},
		"a,b":            {4}, // the whole selector is a name
		`"a,b",age`:      {4, 0},
		"age,age,1:2":    {0, 1},
		"gr*e":           {7},
		"gr??e":          {7},
	} {
		got, _, err := Select(selector, names)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q selects %v, want %v (%v)", selector, got, want, err)
		}
	}
}

func TestSelectRefuses(t *testing.T) {
	for _, selector := range []string{"agee", "0:2", "2:1", "1:9", "lab_*,nope", "z*", "[", "[z-a]", ",", "a:b", "-1:2",
		"age\nlab_1"} {
		if got, _, err := Select(selector, names); !errors.Is(err, fault.Usage) {
			t.Errorf("%q selects %v, error %v", selector, got, err)
		}
	}
	_, _, err := Select("aeg", names)
	if hint := fault.HintOf(err); !strings.Contains(hint, `"age"`) {
		t.Errorf("hint %q does not suggest age", hint)
	}
}

func FuzzSelect(f *testing.F) {
	for _, s := range []string{"age", "1:2,lab_*", `"a,b"`, "[!a-z]", "9:1", "\\", "[[:alpha:]]", "?*?"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, selector string) {
		got, _, err := Select(selector, names)
		if err != nil && !errors.Is(err, fault.Usage) {
			t.Errorf("%q: error of another kind: %v", selector, err)
		}
		for i, c := range got {
			if c < 0 || c >= len(names) || slices.Contains(got[:i], c) {
				t.Errorf("%q selects %v", selector, got)
			}
		}
	})
}

func TestRoles(t *testing.T) {
	columns := []string{"id", "x1", "x2", "lab_1", "lab_2", "y", "w"}
	got, err := Resolve(dataset.Selection{Target: "y", Priv: "lab_*", Drop: "lab_2,x2", ID: "id", Weight: "w"}, columns)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Target, []int{5}) || !slices.Equal(got.Priv, []int{3}) ||
		!slices.Equal(got.Normal, []int{1}) || got.ID != 0 || got.Weight != 6 {
		t.Errorf("roles %+v", got)
	}
	got, err = Resolve(dataset.Selection{Target: "y", Priv: "4:6", Normal: "x1"}, columns)
	if err != nil || !slices.Equal(got.Priv, []int{3, 4}) || !slices.Equal(got.Normal, []int{1}) || got.ID != -1 ||
		got.Weight != -1 {
		t.Errorf("a position that covers the target: %+v, %v", got, err)
	}
}

func TestRolesRefuse(t *testing.T) {
	columns := []string{"a", "b", "y"}
	for name, s := range map[string]dataset.Selection{
		"twice":      {Target: "y", Priv: "y"},
		"two ids":    {Target: "y", ID: "a,b"},
		"no column":  {Target: "z"},
		"two weight": {Weight: "1:2"},
	} {
		if _, err := Resolve(s, columns); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFilesSideBySideAndSubset(t *testing.T) {
	a := &dataset.Table{Rows: 2, Columns: []dataset.Column{{Name: "a", Numbers: []float64{1, 2},
		Origin: &dataset.Origin{File: "a.csv", Lines: []int{2, 3}}, Number: 1}}}
	b := &dataset.Table{Rows: 2, Columns: []dataset.Column{{Name: "b", Codes: []int{0, -1}, Levels: []string{"u"}}}}
	both, err := Sources{Main: a.Source(), Priv: b.Source()}.Load(context.Background(), dataset.Selection{})
	if err != nil || both.Find("b") == nil || both.Find("c") != nil {
		t.Fatalf("%+v, %v", both, err)
	}
	sub := both.Only([]int{1})
	if sub.Rows != 1 || sub.Find("a").Numbers[0] != 2 || !sub.Find("b").Missing(0) ||
		sub.Find("a").Place(0) != `a.csv:3: column 1 ("a")` {
		t.Errorf("%+v, %s", sub, sub.Find("a").Place(0))
	}
	short := b.Subset([]int{1})
	if _, err := (Sources{Main: a.Source(), Priv: short.Source()}).Load(context.Background(),
		dataset.Selection{}); !errors.Is(err, fault.Data) {
		t.Errorf("2 rows beside 1: %v", err)
	}
}

func TestTablesPutTogetherWrongly(t *testing.T) {
	for name, table := range map[string]*dataset.Table{
		"nil":       nil,
		"short":     {Rows: 2, Columns: []dataset.Column{{Name: "a", Numbers: []float64{1}}}},
		"nothing":   {Rows: 1, Columns: []dataset.Column{{Name: "a"}}},
		"two kinds": {Rows: 2, Columns: []dataset.Column{{Name: "a", Numbers: []float64{1}, Texts: []string{"x"}}}},
		"code":      {Rows: 1, Columns: []dataset.Column{{Name: "a", Codes: []int{1}, Levels: []string{"x"}}}},
		"infinity":  {Rows: 1, Columns: []dataset.Column{{Name: "a", Numbers: []float64{math.Inf(1)}}}},
	} {
		if _, err := Assign(table, dataset.Selection{}); !errors.Is(err, fault.Usage) && !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNumbersAsCategories(t *testing.T) {
	table := &dataset.Table{Rows: 3, Columns: []dataset.Column{{Name: "a", Numbers: []float64{2, math.NaN(), 2}},
		{Name: "y", Numbers: []float64{1, 2, 3}}}}
	data, err := Assign(table, dataset.Selection{Target: "y", Categorical: "a"})
	if err != nil || data.Find("a").Numeric() || !slices.Equal(data.Find("a").Codes, []int{0, -1, 0}) ||
		!table.Find("a").Numeric() {
		t.Errorf("%+v, %v", data, err)
	}
}

func TestSyntheticIsWhatItSays(t *testing.T) {
	s := dataset.Synthetic{Rows: 20000, Strength: 2, Noise: 0.5, Seed: 7}
	table, truth := s.Table()
	again, _ := s.Table()
	y := table.Find("y").Numbers
	if !slices.Equal(y, again.Find("y").Numbers) {
		t.Error("the same seed gives other data")
	}
	var variance float64
	for i := range y {
		variance += (y[i] - truth[i]) * (y[i] - truth[i]) / float64(len(y))
	}
	// Var g = 1 + 2/4, times 4, plus 0.25.
	if variance < 6 || variance > 6.5 {
		t.Errorf("variance of what the normal columns do not explain is %.2f, want 6.25", variance)
	}
	if names := strings.Join(table.Names(), " "); names != "x1 x2 x3 lab_1 lab_2 y" {
		t.Error(names)
	}
}
