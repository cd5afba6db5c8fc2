package prep

import (
	"math"
	"slices"
	"testing"

	"rvflplus/dataset"
)

// Seven days on the week is where it was, half a week on it is opposite; a date is one column of five features.
func TestCyclesOfDates(t *testing.T) {
	days := []float64{4, 11, 19723, 19723 + 365.2425, math.NaN(), 7.5}
	date := &dataset.Column{Name: "day", Numbers: days, Reading: &dataset.Reading{Date: dataset.ISO}}
	number := &dataset.Column{Name: "x", Numbers: []float64{1, 2, 3, 4, 5, 6}}
	o := Options{Scale: "standard", Impute: "mean", Cyclic: true}
	s, err := Fit([]*dataset.Column{number, date}, o)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Sources(); !slices.Equal(got, []int{0, 1, 1, 1, 1, 1}) {
		t.Errorf("features come from columns %v", got)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	x, _, err := s.Apply([]*dataset.Column{number, date}, len(days))
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if !near(x.At(0, 2), 0) || !near(x.At(0, 3), 1) { // 5 January 1970 was a Monday
		t.Errorf("Monday is %v, %v", x.At(0, 2), x.At(0, 3))
	}
	if !near(x.At(1, 2), x.At(0, 2)) || !near(x.At(1, 3), x.At(0, 3)) || !near(x.At(5, 3), -1) {
		t.Errorf("the week after: %v, %v; half a week: %v", x.At(1, 2), x.At(1, 3), x.At(5, 3))
	}
	if !near(x.At(2, 4), x.At(3, 4)) || !near(x.At(2, 5), x.At(3, 5)) || near(x.At(2, 4), x.At(0, 4)) {
		t.Errorf("the year after: %v, %v", x.RawRowView(2), x.RawRowView(3))
	}
	plain, err := Fit([]*dataset.Column{date}, Options{Impute: "mean"})
	if err != nil || plain.Width() != 1 {
		t.Errorf("plain dates have %d features, %v", plain.Width(), err)
	}
	constant := &dataset.Column{Name: "day", Numbers: []float64{4, 4}, Reading: date.Reading}
	if s, err = Fit([]*dataset.Column{constant}, o); err != nil || s.Width() != 1 {
		t.Errorf("a constant date has %d features, %v", s.Width(), err)
	}
}
