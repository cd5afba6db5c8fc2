package prep

import (
	"errors"
	"slices"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Columns with missing training cells get a feature behind their own; others do not, and their missing cells are
// filled as ever.
func TestIndicatorsTellMissingCells(t *testing.T) {
	train := []*dataset.Column{
		numbers("gaps", 1, nan, 3), numbers("whole", 1, 2, 6), categories("c", "u", "v", ""),
	}
	use := []*dataset.Column{numbers("gaps", nan, 2), numbers("whole", nan, 2), categories("c", "", "v")}
	o := Options{Scale: "none", Impute: "mean", MissingIndicator: true}
	got, _ := prepared(t, o, train, use)
	want := []float64{
		2, 1, 3, 1, 0, 1,
		2, 0, 2, 0, 1, 0,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	s, err := Fit(train, o)
	if err != nil || s.Check() != nil || !slices.Equal(s.Sources(), []int{0, 0, 1, 2, 2, 2}) {
		t.Errorf("features of the columns %v, %v", s.Sources(), err)
	}
}

// A column whose cells are all equal still tells by which of them are missing.
func TestIndicatorOfAConstantColumn(t *testing.T) {
	train := []*dataset.Column{numbers("tested", 7, nan, 7)}
	o := Options{Impute: "mean", MissingIndicator: true}
	got, seen := prepared(t, o, train, []*dataset.Column{numbers("tested", nan, 7, 9)})
	if !slices.Equal(got, []float64{0, 1, 0, 0, 0, 0}) || seen.Varied != 1 {
		t.Errorf("%v, %+v", got, seen)
	}
	s, err := Fit(train, o)
	if err != nil || !s.Columns[0].Constant || !s.Columns[0].Varies() {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestIndicatorsNeedFilledCells(t *testing.T) {
	for _, impute := range []string{"", "none"} {
		err := Options{MissingIndicator: true, Impute: impute}.Validate()
		if !errors.Is(err, fault.Usage) || fault.HintOf(err) != "add impute=mean, median or most-frequent" {
			t.Errorf("impute %q: %v, hint %q", impute, err, fault.HintOf(err))
		}
	}
	if err := (Options{MissingIndicator: true, Impute: "median"}).Validate(); err != nil {
		t.Error(err)
	}
}

// Preparations that Fit could not have made, such as edited ones.
func TestUnsoundColumns(t *testing.T) {
	u := "u"
	for name, c := range map[string]Column{
		"an indicator without filling": {Name: "x", Scale: 1, Indicator: true},
		"rare numbers":                 {Name: "x", Scale: 1, Rare: []string{"a"}},
		"no category":                  {Name: "c", Levels: []string{}},
		"rare and not":                 {Name: "c", Levels: []string{"u", "v"}, Rare: []string{"u"}},
		"rare twice":                   {Name: "c", Levels: []string{"v"}, Rare: []string{"u", "u"}},
		"rare, but none":               {Name: "c", Levels: []string{"v"}, Rare: []string{}},
		"rare, not sorted":             {Name: "c", Levels: []string{"v"}, Rare: []string{"u", "a"}},
		"constant, with two features":  {Name: "c", Levels: []string{"v"}, Rare: []string{"u"}, Constant: true},
	} {
		if s := (Space{Scale: "none", Impute: "none", Columns: []Column{c}}); s.Check() == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	sound := Column{
		Name: "c", Levels: []string{}, Rare: []string{"u", "v"}, Constant: true, FillLevel: &u, Indicator: true,
	}
	if err := (&Space{Scale: "none", Impute: "mean", Columns: []Column{sound}}).Check(); err != nil {
		t.Error(err)
	}
}
