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

// picture draws something and checks that it is XML and that every coordinate is a number.
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
	for _, want := range []string{
		"a &lt;title&gt;", ">one<", ">two<", ">theirs<", ">A<", ">C<", ">first method<", ">second method<",
		">accuracy<",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestOddBoxes(t *testing.T) {
	for _, b := range []*Boxes{
		{}, boxesOf(nil), boxesOf([]float64{math.NaN(), math.Inf(1)}), boxesOf([]float64{0, 0}),
		boxesOf([]float64{1e-300, 1e-300}),
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
