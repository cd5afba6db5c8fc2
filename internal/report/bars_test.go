package report

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"
)

func bars() *Bars {
	return &Bars{Title: "a <title>", Panels: []BarPanel{
		{Label: "error", Rule: "the <mean>", Bars: []Bar{
			{Name: "normal", Colour: Palette[0], Value: 0.7, SE: 0.1},
			{
				Name: "many times the mean's", Colour: Palette[1], Value: 1e6, SE: 1e5,
				Marks: []Mark{{At: 0.5, Text: "drop"}},
			},
		}},
		{Label: "R²", Bars: []Bar{{Name: "below 0", Colour: Palette[2], Value: -0.02, SE: 0.01}}},
	}}
}

func TestBars(t *testing.T) {
	svg := picture(t, bars().WriteSVG)
	for _, want := range []string{
		"a &lt;title&gt;", "the &lt;mean&gt;", ">normal  0.70<", ">below 0  -0.02<", ">drop<", ">error<", ">R²<",
		"#0072B2",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Error("something has no place")
	}
	if err := bars().WriteSVG(failing{}); err == nil {
		t.Error("a failure to write is not told")
	}
}

// The PNG shows the same picture, at 192 dots per inch.
func TestBarsAsPNG(t *testing.T) {
	b := bars()
	var out bytes.Buffer
	if err := Write(&out, ".png", b); err != nil {
		t.Fatal(err)
	}
	image, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	const dots = 192.0 / 72
	size := image.Bounds().Size()
	width, height := b.size()
	for _, c := range []struct{ got, want float64 }{
		{float64(size.X), dots * float64(width)}, {float64(size.Y), dots * float64(height)},
	} {
		if math.Abs(c.got-c.want) > 1 {
			t.Errorf("%v dots, want %v", c.got, c.want)
		}
	}
	blue := 0
	for x := range size.X {
		for y := range size.Y {
			if r, g, b, _ := image.At(x, y).RGBA(); r>>8 == 0 && g>>8 == 0x72 && b>>8 == 0xB2 {
				blue++
			}
		}
	}
	if blue < 1000 {
		t.Errorf("%d dots of the first bar", blue)
	}
	if err := Write(failing{}, ".png", b); err == nil {
		t.Error("a failure to write is not told")
	}
}
