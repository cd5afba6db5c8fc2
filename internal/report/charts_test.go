package report

import (
	"bytes"
	"image/png"
	"strings"
	"testing"
)

func TestCharts(t *testing.T) {
	v := &Charts{
		Title: "a <title>", Note: "a note", Names: []string{"first", strings.Repeat("W", 100), "3", "4", "fifth"},
		Charts: []Chart{
			{Name: "ROC & more", X: "across", Y: "upwards", Unit: true, Rules: []Rule{{X1: 1, Y1: 1}},
				Lines: []ChartLine{{Colour: 0, X: []float64{0, 0.5, 1}, Y: []float64{0, 0.7, 1}}, {Colour: 3}}},
			{Name: "one point", Dots: []ChartDots{{Colour: 2, Size: 2, X: []float64{-7}, Y: []float64{1e150}}}},
			{Name: "nothing"},
		},
	}
	svg := picture(t, v.WriteSVG)
	for _, want := range []string{
		"a &lt;title&gt;", ">a note<", ">first<", ">fifth<", "ROC &amp; more", ">across<", ">upwards<", ">one point<",
		">nothing<", "#0072B2", "#009E73", "stroke-dasharray",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Contains(svg, strings.Repeat("W", 25)) {
		t.Error("something has no place")
	}
	if err := v.WriteSVG(failing{}); err == nil {
		t.Error("a failure to write is not told")
	}
	heights := map[int]int{}
	all := v.Charts
	for charts := 1; charts <= 3; charts++ {
		v.Charts = all[:charts]
		var out bytes.Buffer
		if err := Write(&out, ".png", v); err != nil {
			t.Fatal(err)
		}
		image, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		heights[charts] = image.Bounds().Dy()
	}
	if heights[1] != heights[2] || heights[3] <= heights[2] {
		t.Errorf("heights by charts: %v", heights)
	}
}

// All that is drawn lies within the axes, with room at both ends.
func TestRangeOfAChart(t *testing.T) {
	c := Chart{Rules: []Rule{{-1, 5, 3, 5}}, Dots: []ChartDots{{X: []float64{7}, Y: []float64{-2}}}}
	p := c.plot()
	if !(p.X.Min < -1 && p.X.Max > 7 && p.Y.Min < -2 && p.Y.Max > 5) {
		t.Errorf("across %v to %v, upwards %v to %v", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	same := Chart{Dots: []ChartDots{{X: []float64{4, 4}, Y: []float64{0, 0}}}}
	if p := same.plot(); !(p.X.Min < 4 && p.X.Max > 4 && p.Y.Min < 0 && p.Y.Max > 0) {
		t.Errorf("of equal points: across %v to %v, upwards %v to %v", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
}
