package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"strings"
	"testing"
)

func shares() *Shares {
	return &Shares{Title: "columns <of> y", Note: "a <note>", Parts: []Part{
		{strings.Repeat("W", 10000), 0.5}, {"<b>\x1b\n&", 0.3}, {strings.Repeat("列", 40), 0.15}, {"\xff", 0},
	}, Rest: &Part{"9 others", 0.05}}
}

func TestShares(t *testing.T) {
	s := shares()
	svg := picture(t, s.WriteSVG)
	for _, want := range []string{
		"columns &lt;of&gt; y", "a &lt;note&gt;", ">50.0 %<", ">0.0 %<", ">9 others<", ">5.0 %<",
		"&lt;b&gt;\uFFFD\uFFFD&amp;", "#0072B2", "#A6A6A6",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || strings.Contains(svg, strings.Repeat("W", 31)) {
		t.Error("something has no place")
	}
	if err := s.WriteSVG(failing{}); err == nil {
		t.Error("a failure to write is not told")
	}
	if len(s.Parts) != 4 {
		t.Error("the caller's parts are changed")
	}
	if s.Rest = nil; strings.Contains(picture(t, s.WriteSVG), "#A6A6A6") {
		t.Error("a grey bar without a rest")
	}
}

// Bars end where their shares say: the picture of 1/2 and 1/4 has twice as many dots in the first bar.
func TestSharesAsPNG(t *testing.T) {
	s := &Shares{Title: "a title", Parts: []Part{{"first", 0.5}, {"second", 0.25}}}
	var out bytes.Buffer
	if err := Write(&out, ".png", s); err != nil {
		t.Fatal(err)
	}
	image, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	size := image.Bounds().Size()
	var lengths []int // of runs of lines with blue dots, the most in a line
	last := 0
	for y := range size.Y {
		blue := 0
		for x := range size.X {
			if r, g, b, _ := image.At(x, y).RGBA(); r>>8 == 0 && g>>8 == 0x72 && b>>8 == 0xB2 {
				blue++
			}
		}
		if blue > 0 && last == 0 {
			lengths = append(lengths, 0)
		}
		if blue > 0 {
			lengths[len(lengths)-1] = max(lengths[len(lengths)-1], blue)
		}
		last = blue
	}
	if len(lengths) != 2 || lengths[0] < 1000 || lengths[0] < 2*lengths[1]-4 || lengths[0] > 2*lengths[1]+4 {
		t.Errorf("bars of %d dots", lengths)
	}
	if err := Write(failing{}, ".png", s); err == nil {
		t.Error("a failure to write is not told")
	}
}
