package prep

import (
	"slices"
	"testing"

	"rvflplus/dataset"
)

// Categories of fewer than three rows share a feature behind the others; one that training did not have is 0 in all.
func TestRareCategoriesAreGrouped(t *testing.T) {
	train := []*dataset.Column{categories("c", "b", "b", "b", "z", "a", "a", "a", "q", "q")}
	use := []*dataset.Column{categories("c", "a", "q", "new", "z", "b")}
	got, seen := prepared(t, Options{MinCategory: 3}, train, use)
	want := []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0}
	if !slices.Equal(got, want) || seen.Unknown != 1 || seen.Varied != 0 {
		t.Errorf("%v, %+v", got, seen)
	}
	s, err := Fit(train, Options{MinCategory: 3})
	if err != nil || !slices.Equal(s.Columns[0].Rare, []string{"q", "z"}) ||
		!slices.Equal(s.Columns[0].Categories(), []string{"a", "b", "q", "z"}) || s.Check() != nil {
		t.Errorf("%+v, %v", s, err)
	}
	// Where none is rare, nothing changes.
	plain, _ := prepared(t, Options{}, train, train)
	if same, _ := prepared(t, Options{MinCategory: 1}, train, train); !slices.Equal(plain, same) {
		t.Errorf("a least number of 1 changes %v to %v", plain, same)
	}
}

// A column of rare categories alone is constant: even a category that training did not have counts as its one feature.
func TestAllCategoriesAreRare(t *testing.T) {
	train := []*dataset.Column{categories("id", "a", "b", "c", "d")}
	got, seen := prepared(t, Options{MinCategory: 2}, train, []*dataset.Column{categories("id", "d", "new")})
	if !slices.Equal(got, []float64{1, 1}) || seen.Varied != 1 || seen.Unknown != 0 {
		t.Errorf("%v, %+v", got, seen)
	}
	s, err := Fit(train, Options{MinCategory: 2})
	if err != nil || s.Check() != nil || s.Columns[0].Varies() {
		t.Errorf("%+v, %v, %v", s, err, s.Check())
	}
}

// A missing cell is filled by the most frequent category, also where this one is rare.
func TestMissingCellsBesideRareCategories(t *testing.T) {
	train := []*dataset.Column{categories("c", "a", "", "b", "b", "c")}
	o := Options{MinCategory: 3, Impute: "most-frequent"}
	got, _ := prepared(t, o, train, []*dataset.Column{categories("c", "", "b")})
	if !slices.Equal(got, []float64{1, 1}) {
		t.Errorf("%v", got)
	}
}
