package report

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	intervals := &Intervals{Label: "gain", Lines: []IntervalLine{
		{Name: "a <method>", Colour: Palette[0], Mean: 1, Low: 0.5, High: 2}, {Name: "control", Colour: Palette[1]},
	}}
	strips := &Strips{Label: "RMSE", Lines: []StripLine{
		{Name: "a <method>", Colour: Palette[0], Values: []float64{2, 1, 2, 2}, Mean: 1.75},
		{Name: "control", Colour: ink},
	}}
	for label, write := range map[string]func(io.Writer) error{"gain": intervals.WriteSVG, "RMSE": strips.WriteSVG} {
		svg := picture(t, write)
		for _, want := range []string{"a &lt;method&gt;", ">control<", ">" + label + "<", "#0072B2"} {
			if !strings.Contains(svg, want) {
				t.Errorf("%s: %q is missing", label, want)
			}
		}
		if err := write(failing{}); err == nil {
			t.Errorf("%s: a failure to write is not told", label)
		}
	}
	// A ring is a path of arcs; three equal values share one.
	other := Strips{Label: strips.Label, Lines: slices.Clone(strips.Lines)}
	other.Lines[0].Values = []float64{2, 1, 1.5, 1.75}
	two, four := strings.Count(picture(t, strips.WriteSVG), "<path"), strings.Count(picture(t, other.WriteSVG), "<path")
	if four != two+2 {
		t.Errorf("%d paths of two different values, %d of four", two, four)
	}
}

func TestHistogram(t *testing.T) {
	h := &Histogram{Label: "T", Values: []float64{0, 0.1, 0.1, 1}, Observed: 3, Rule: "as the <data> are"}
	svg := picture(t, h.WriteSVG)
	for _, want := range []string{"as the &lt;data&gt; are", ">T<", "#B0B0B0"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(svg, "#B0B0B0"); n != 3 {
		t.Errorf("%d bars", n)
	}
}

// Pictures without values, or of equal ones, have finite axes.
func TestOddLines(t *testing.T) {
	for _, write := range []func(io.Writer) error{
		(&Intervals{}).WriteSVG, (&Strips{}).WriteSVG, (&Histogram{}).WriteSVG,
		(&Histogram{Values: []float64{2, 2}, Observed: 2}).WriteSVG,
		(&Strips{Lines: []StripLine{{Colour: ink, Values: []float64{0, 0}}}}).WriteSVG,
	} {
		picture(t, write)
	}
}

func TestInline(t *testing.T) {
	html, err := Inline((&Histogram{Values: []float64{math.Pi}}).WriteSVG)
	svg := strings.TrimSpace(string(html))
	if err != nil || !strings.HasPrefix(svg, "<svg") || !strings.HasSuffix(svg, "</svg>") {
		t.Errorf("%.40s…, %v", svg, err)
	}
	if _, err := Inline(func(io.Writer) error { return io.ErrShortWrite }); err != io.ErrShortWrite {
		t.Error(err)
	}
}
