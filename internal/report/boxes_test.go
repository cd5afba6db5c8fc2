package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func boxesOf(values ...[]float64) *Boxes {
	b := &Boxes{Title: "a <title>", Label: "accuracy", Series: []string{"one", "two"}, Tick: "theirs"}
	for i, v := range values {
		b.Panels = append(b.Panels, BoxPanel{Name: string(rune('A' + i)), Lines: []BoxLine{
			{Name: "first method", Values: [][]float64{v, nil}, Tick: math.NaN()},
			{Name: "second method", Values: [][]float64{nil, v}, Tick: 7},
		}})
	}
	return b
}

// picture draws something and sees that it is XML without coordinates that are none.
func picture(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range []string{"NaN", "Inf"} {
		if strings.Contains(out.String(), wrong) {
			t.Errorf("the picture has %s", wrong)
		}
	}
	return out.String()
}

func TestBoxes(t *testing.T) {
	svg := picture(t, boxesOf([]float64{1, 2, 3, 10}, []float64{5}, []float64{4, 4, 4}).WriteSVG)
	for _, want := range []string{"a &lt;title&gt;", ">one<", ">two<", ">theirs<", ">A<", ">C<", ">first method<", ">second method<", ">accuracy<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestOddBoxes(t *testing.T) {
	for _, b := range []*Boxes{
		{}, boxesOf(nil), boxesOf([]float64{math.NaN(), math.Inf(1)}), boxesOf([]float64{0, 0}), boxesOf([]float64{1e-300, 1e-300}),
		boxesOf([]float64{-1e9, 1e9}), {Panels: []BoxPanel{{Name: "empty"}}},
	} {
		picture(t, b.WriteSVG)
		b.Log = true
		picture(t, b.WriteSVG)
	}
	if err := boxesOf(nil).WriteSVG(failing{}); err == nil {
		t.Error("a failure to write is not told")
	}
}

func TestQuantiles(t *testing.T) {
	for share, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 2.5, 1: 10} {
		if got := quantile([]float64{1, 2, 3, 10}, share); got != want {
			t.Errorf("quantile %g is %g, not %g", share, got, want)
		}
	}
}

func TestTicksAreFewAndRound(t *testing.T) {
	for _, span := range [][2]float64{{0, 1}, {66.1, 66.9}, {-3, 250}, {12, 12.00001}, {1e5, 3e6}} {
		ticks := fewTicks(span[0], span[1])
		if len(ticks) < 2 || len(ticks) > 7 {
			t.Errorf("%v has %d ticks", span, len(ticks))
		}
		for _, tick := range ticks {
			if tick.Value < span[0] || tick.Value > span[1] {
				t.Errorf("%v has a tick at %g", span, tick.Value)
			}
		}
	}
}

func TestLogarithmicTicks(t *testing.T) {
	for _, span := range [][2]float64{{1e-5, 1e5}, {0.9, 1.1}, {8.5, 9.9}, {3, 700}, {1, 2}, {1e-12, 1e12}} {
		ticks := decades(span[0], span[1])
		if len(ticks) < 2 || len(ticks) > 10 {
			t.Errorf("%v has %d ticks", span, len(ticks))
		}
		for _, tick := range ticks {
			if tick.Value < span[0] || tick.Value > span[1] {
				t.Errorf("%v has a tick at %g", span, tick.Value)
			}
		}
	}
}

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
