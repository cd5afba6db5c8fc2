package prep

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
)

var nan = math.NaN()

func numbers(name string, v ...float64) *dataset.Column {
	return &dataset.Column{Name: name, Numbers: v}
}

func categories(name string, levels ...string) *dataset.Column {
	c := &dataset.Column{Name: name, Codes: []int{}}
	for _, level := range levels {
		k := slices.Index(c.Levels, level)
		if level != "" && k < 0 {
			k = len(c.Levels)
			c.Levels = append(c.Levels, level)
		}
		c.Codes = append(c.Codes, k)
	}
	return c
}

func prepared(t *testing.T, o Options, train, use []*dataset.Column) ([]float64, Seen) {
	t.Helper()
	s, err := Fit(train, o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s) // a model file holds it
	if err != nil {
		t.Fatal(err)
	}
	var again Space
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	m, seen, err := again.Apply(use, max(len(use[0].Numbers), len(use[0].Codes)))
	if err != nil {
		t.Fatal(err)
	}
	return m.RawMatrix().Data, seen
}

func TestScales(t *testing.T) {
	train := []*dataset.Column{numbers("a", 1, 3), numbers("b", -2, -2)}
	for scale, want := range map[string][]float64{
		"":         {-1, 0, 1, 0},
		"standard": {-1, 0, 1, 0},
		"minmax":   {0, 0, 1, 0},
		"none":     {1, -2, 3, -2},
		"l1":       {1.0 / 3, -2.0 / 3, 0.6, -0.4},
		"l2":       {1 / math.Sqrt(5), -2 / math.Sqrt(5), 3 / math.Sqrt(13), -2 / math.Sqrt(13)},
	} {
		got, _ := prepared(t, Options{Scale: scale}, train, train)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-15 {
				t.Errorf("%q: %v, want %v", scale, got, want)
				break
			}
		}
	}
}

func TestRowOfZerosHasNoNorm(t *testing.T) {
	zero := []*dataset.Column{numbers("a", 0, 1)}
	for _, scale := range []string{"l1", "l2"} {
		if got, _ := prepared(t, Options{Scale: scale}, zero, zero); got[0] != 0 || got[1] != 1 {
			t.Errorf("%s: %v", scale, got)
		}
	}
}

func TestCategoriesAndUnseenValues(t *testing.T) {
	train := []*dataset.Column{categories("c", "v", "u", "v"), numbers("n", 0, 1, 2)}
	use := []*dataset.Column{categories("c", "u", "w"), numbers("n", 5, 1)}
	got, seen := prepared(t, Options{Scale: "none"}, train, use)
	if want := []float64{1, 0, 5, 0, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if seen.OutOfRange != 1 || seen.Unknown != 1 || len(seen.Examples) != 2 ||
		!strings.Contains(seen.Examples[0], "w") {
		t.Errorf("%+v", seen)
	}
}

func TestImputation(t *testing.T) {
	train := []*dataset.Column{numbers("n", 1, 1, 4, nan, 10), categories("c", "b", "a", "b", "", "a")}
	use := []*dataset.Column{numbers("n", nan), categories("c", "")}
	for impute, want := range map[string]float64{"mean": 4, "median": 2.5, "most-frequent": 1} {
		got, _ := prepared(t, Options{Scale: "none", Impute: impute}, train, use)
		if !slices.Equal(got, []float64{want, 1, 0}) {
			t.Errorf("%s: %v", impute, got)
		}
	}
	// The mean and spread are those of the filled column.
	got, _ := prepared(t, Options{Impute: "mean"}, []*dataset.Column{numbers("n", 0, 2, nan, nan)},
		[]*dataset.Column{numbers("n", 2)})
	if math.Abs(got[0]-math.Sqrt2) > 1e-15 {
		t.Errorf("standardised %v", got)
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		o     Options
		train *dataset.Column
	}{
		"missing":             {Options{}, numbers("n", 1, nan)},
		"missing category":    {Options{}, categories("c", "u", "")},
		"nothing":             {Options{Impute: "mean"}, numbers("n", nan, nan)},
		"nothing categorical": {Options{Impute: "mean"}, categories("c", "", "")},
		"too wide":            {Options{}, numbers("n", -1e308, 1e308)},
		"too wide minmax":     {Options{Scale: "minmax"}, numbers("n", -1e308, 1e308)},
	} {
		if s, err := Fit([]*dataset.Column{c.train}, c.o); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	s, err := Fit([]*dataset.Column{numbers("n", 0, 1e-3)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, use := range map[string]*dataset.Column{
		"missing": numbers("n", nan), "text": categories("n", "", "u"), "overflow": numbers("n", 1e308),
	} {
		if _, _, err := s.Apply([]*dataset.Column{use}, 1); !errors.Is(err, fault.Data) {
			t.Errorf("applied to %s: %v", name, err)
		}
	}
	for _, o := range []Options{{Scale: "x"}, {Impute: "x"}} {
		if err := o.Validate(); !errors.Is(err, fault.Usage) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestMeanOfEqualValuesIsExact(t *testing.T) {
	const x = -0.21442776538658392
	column := numbers("n", x, x, nan, x, x, nan, x, x, x, nan, x, x)
	for scale, want := range map[string]float64{"standard": 0, "none": x} {
		got, _ := prepared(t, Options{Scale: scale, Impute: "mean"}, []*dataset.Column{column},
			[]*dataset.Column{column})
		for _, v := range got {
			if v != want {
				t.Errorf("%s: %v, want %v", scale, v, want)
			}
		}
	}
}

// A column that is constant in training, after filling, counts as the training cell whatever it holds in use.
func TestConstantColumnsTakeNoPart(t *testing.T) {
	const big, tiny = 1e9, 5e-324
	for _, scale := range Scales() {
		for _, impute := range Imputes() {
			train := []*dataset.Column{numbers("n", big, big, big), categories("c", "u", "u", "u"),
				numbers("tiny", tiny, tiny, tiny), numbers("x", 1, 2, 4)}
			use := []*dataset.Column{numbers("n", big, -3, 1e308), categories("c", "u", "a", "v"),
				numbers("tiny", tiny, 0, 1), numbers("x", 1, 2, 4)}
			if impute != "none" {
				train[0].Numbers[1], train[1].Codes[2], train[2].Numbers[0] = nan, -1, nan
				use[0].Numbers[1], use[1].Codes[1] = nan, -1
			}
			o := Options{Scale: scale, Impute: impute}
			want, none := prepared(t, o, train, train)
			got, seen := prepared(t, o, train, use)
			if !slices.Equal(got, want) {
				t.Errorf("%+v: %v, in training %v", o, got, want)
			}
			if none.Varied != 0 || seen.OutOfRange+seen.Unknown != 0 || impute == "none" && seen.Varied != 6 {
				t.Errorf("%+v: %+v, in training %+v", o, seen, none)
			}
			if !slices.Contains([]string{"none", "l1", "l2"}, scale) && (want[0] != 0 || want[2] != 0) {
				t.Errorf("%+v: constants become %v", o, want)
			}
		}
	}
}

// A column that hardly varies is not constant.
func TestNearlyConstantColumnTakesPart(t *testing.T) {
	next := math.Nextafter(1, 2)
	for _, scale := range []string{"minmax", "none"} {
		got, seen := prepared(t, Options{Scale: scale}, []*dataset.Column{numbers("n", 1, next, 1)},
			[]*dataset.Column{numbers("n", 1, next, 2)})
		if got[0] == got[1] || got[1] == got[2] || seen.Varied != 0 {
			t.Errorf("%s: %v, %+v", scale, got, seen)
		}
	}
}

// The features of a column of categories come from one column.
func TestSources(t *testing.T) {
	columns := []*dataset.Column{numbers("a", 1, 2, 3), categories("b", "x", "y", "z"), numbers("c", 3, 1, 2)}
	s, err := Fit(columns, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Sources(); !slices.Equal(got, []int{0, 1, 1, 1, 2}) || len(got) != s.Width() {
		t.Errorf("features come from %v", got)
	}
	if none := (*Space)(nil).Sources(); none != nil {
		t.Errorf("no space has %v", none)
	}
}
