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
	h := &Histogram{Label: "T", Values: []float64{0, 0.1, 0.1, 1}, Observed: 1.5, Rule: "as the <data> are"}
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

// Values that crowd in a corner are spread: the bulk of them takes many of the bins, and the axis says how.
func TestHistogramUsesItsRoom(t *testing.T) {
	h := &Histogram{Label: "T", Observed: 0.5}
	for i := range 199 {
		h.Values = append(h.Values, 0.001*math.Sin(float64(i)))
	}
	h.Values[7] = -0.2
	svg := picture(t, h.WriteSVG)
	if n := strings.Count(svg, "#B0B0B0"); n < bins/4 {
		t.Errorf("%d bars of %d", n, bins)
	}
	for _, want := range []string{"; logarithmic far from the middle<", ">0<", ">0.5<", ">-0.2<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, same := range []*Histogram{
		{Values: []float64{0, 0, 0, 0}, Observed: 1}, {Values: []float64{0, 0, 0, 1e308}, Observed: -1e308},
		{Values: []float64{1e-300, 0}, Observed: 1e300},
	} {
		picture(t, same.WriteSVG)
	}
}

// For a narrow page everything is drawn again in less width, and long labels take several lines.
func TestNarrowPictures(t *testing.T) {
	label := "gain over the model without privileged columns, points of accuracy (right is better)"
	for _, d := range []Drawing{
		&Intervals{Label: label, Narrow: true, Lines: []IntervalLine{{Name: "krvfl+", Colour: ink}}},
		&Strips{Label: label, Narrow: true, Lines: []StripLine{{Name: "krvfl+", Colour: ink, Values: []float64{1}}}},
		&Histogram{Label: label, Narrow: true, Values: []float64{1, 2, 3}},
	} {
		width, _ := d.size()
		if svg := picture(t, d.WriteSVG); width != narrowPage || strings.Contains(svg, label) ||
			!strings.Contains(svg, "better)<") {
			t.Errorf("%T: %v wide, the label in one line: %v", d, width, strings.Contains(svg, label))
		}
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
