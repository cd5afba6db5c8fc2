package report

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
)

func estimates() *Estimates {
	return &Estimates{Title: "a <title>", Note: "a <note>", Panels: []EstimatePanel{
		{Label: "growth", Lines: []Estimate{
			{Name: "town <&>", Value: 0.25, SE: 0.05, Tick: math.NaN()},
			{Name: "worse", Value: -0.01, SE: math.NaN(), Tick: math.NaN()},
		}},
		{Label: "RMSE", Free: true, Lines: []Estimate{
			{Name: "mean", Value: 1.5, SE: 0.2, Parts: []float64{1.2, 1.8, math.Inf(1)}, Tick: 2.5},
		}},
		{Label: "nothing", Free: true, Lines: []Estimate{{Name: "none", Value: math.NaN(), SE: math.NaN()}}},
	}}
}

func TestEstimates(t *testing.T) {
	svg := picture(t, estimates().WriteSVG)
	for _, want := range []string{
		"a &lt;title&gt;", "a &lt;note&gt;", ">town &lt;&amp;&gt;<", ">0.25 ± 0.05<", ">-0.01<", ">growth<", ">RMSE<",
		">1.5 ± 0.2<", "#0072B2", "#A6A6A6", "#D55E00", ">none<",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("something has no place")
	}
	if err := estimates().WriteSVG(failing{}); err == nil {
		t.Error("a failure to write is not told")
	}
	var out bytes.Buffer
	if err := Write(&out, ".png", estimates()); err != nil {
		t.Fatal(err)
	}
	if image, err := png.Decode(&out); err != nil || image.Bounds().Dx() != 1707 {
		t.Errorf("the PNG: %v, %v", image, err)
	}
}
