package report

import (
	"math"
	"strings"
	"testing"
)

func TestPoints(t *testing.T) {
	v := &Points{
		Title: "a <title>", Label: "Accuracy", Series: []string{"rows", "columns"}, Shapes: []string{"first", "second"},
		Tick: "paper", Panels: []PointPanel{{Name: "KRVFL+", Lines: []PointLine{
			{Name: "Iris", Tick: 77, Points: []Point{{0, 0, 64, 2}, {0, 1, 76, 2}, {1, 0, 78, math.NaN()}}},
			{Name: "Glass", Tick: math.NaN()},
		}}},
	}
	svg := picture(t, v.WriteSVG)
	for _, want := range []string{
		"a &lt;title&gt;", ">Iris<", ">Glass<", ">columns<", ">second<", ">paper<", "#0072B2",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if err := v.WriteSVG(failing{}); err == nil {
		t.Error("a failure to write is not told")
	}
	// A point is a mark, and so is its bar where its error is known.
	marks := func(points ...Point) int {
		v.Panels[0].Lines[0].Points = points
		return strings.Count(picture(t, v.WriteSVG), "#0072B2")
	}
	known, unknown, none := marks(Point{0, 0, 70, 2}), marks(Point{0, 0, 70, math.NaN()}), marks()
	if known != none+2 || unknown != none+1 {
		t.Errorf("%d marks of a point with an error, %d without, %d without a point", known, unknown, none)
	}
	v.Log = true
	if zero := marks(Point{0, 0, 0, 1}); zero != none {
		t.Errorf("%d marks for 0 on a logarithmic axis, %d without a point", zero, none)
	}
	picture(t, (&Points{Panels: []PointPanel{{}}}).WriteSVG)
}
