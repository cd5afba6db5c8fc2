package report

import (
	"math"
	"strings"
	"testing"
)

func TestCurve(t *testing.T) {
	v := &Curve{Title: "a curve", X: "gamma", Y: "accuracy", Mark: 5000, Tick: "theirs", Series: []CurveSeries{
		{"one", []float64{1, 10, 1e5}, []float64{80, math.NaN(), 90}}, {"two", []float64{3}, []float64{85}},
	}}
	svg := picture(t, v.WriteSVG)
	for _, want := range []string{">a curve<", ">gamma<", ">accuracy<", ">one<", ">theirs<", ">10000<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	picture(t, (&Curve{}).WriteSVG)
	picture(t, (&Curve{Series: []CurveSeries{{"flat", []float64{1, 2}, []float64{3, 3}}}}).WriteSVG)
	if err := v.WriteSVG(failing{}); err == nil {
		t.Error("a failure to write is not told")
	}
}
