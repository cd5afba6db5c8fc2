package report

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

// drawings holds one picture of each kind.
func drawings() map[string]Drawing {
	line := IntervalLine{Name: "a <method>", Colour: Palette[0], Mean: 1, Low: 0.5, High: 2}
	strip := StripLine{Name: "a <method>", Colour: Palette[0], Values: []float64{2, 1, 2, 2}, Mean: 1.75}
	return map[string]Drawing{
		"bars":  bars(),
		"boxes": boxesOf([]float64{1, 2, 3, 10}, []float64{5}),
		"curve": &Curve{Title: "γ ≥ 1", X: "C", Y: "accuracy", Series: []CurveSeries{
			{"one", []float64{1, 9}, []float64{2, 3}},
		}},
		"heat map":  aHeatMap(),
		"marginals": grid(),
		"estimates": estimates(),
		"histogram": &Histogram{Label: "T", Values: []float64{0, 0.1, 0.1, 1}, Observed: 3, Rule: "as the data are"},
		"intervals": &Intervals{Label: "gain", Lines: []IntervalLine{line}},
		"strips":    &Strips{Label: "RMSE", Lines: []StripLine{strip}},
		"shares":    shares(),
		"points": &Points{Title: "p", Series: []string{"rows"}, Shapes: []string{"first"}, Panels: []PointPanel{
			{Name: "KRVFL+", Lines: []PointLine{{Name: "Iris", Tick: 77, Points: []Point{{0, 0, 64, 2}}}}},
		}},
		"ranks": &Ranks{Title: "r", Critical: 0.5, Methods: []RankedMethod{{Name: "a", Rank: 1}, {Name: "b", Rank: 2}}},
	}
}

func aHeatMap() *HeatMap {
	return &HeatMap{
		Title: "krvfl", Score: "rmse", Names: []string{"C", "width"}, Pairs: [][2]int{{0, 1}},
		Points: []Setting{{[]float64{1, 2}, 3}, {[]float64{10, 2}, 4}},
	}
}

func written(t *testing.T, ending string, d Drawing) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, ending, d); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Every picture is written in every format, twice with the same bytes, and a failure to write is told.
func TestEveryFormat(t *testing.T) {
	begins := map[string]string{".svg": "<svg ", ".png": "\x89PNG", ".pdf": "%PDF-1."}
	for name, d := range drawings() {
		for _, ending := range Endings() {
			first := written(t, ending, d)
			if !bytes.HasPrefix(first, []byte(begins[ending])) {
				t.Errorf("%s%s begins with %.8q", name, ending, first)
			}
			if !bytes.Equal(first, written(t, ending, d)) {
				t.Errorf("%s%s differs when it is written again", name, ending)
			}
			if Write(failing{}, ending, d) == nil {
				t.Errorf("%s%s: a failure to write is not told", name, ending)
			}
		}
	}
}

// What a style sheet would not take for a colour or a length is nowhere in a picture.
func TestSVGAttributes(t *testing.T) {
	accepted := map[string]*regexp.Regexp{
		"fill":             regexp.MustCompile(`^(none|#[0-9A-F]{6})$`),
		"stroke":           regexp.MustCompile(`^#[0-9A-F]{6}$`),
		"text-anchor":      regexp.MustCompile(`^(middle|end)$`),
		"transform":        regexp.MustCompile(`^rotate\(-?90 -?[0-9.]+ -?[0-9.]+\)$`),
		"stroke-dasharray": regexp.MustCompile(`^[0-9.,]+$`),
		"d":                regexp.MustCompile(`^M[-0-9.,MLCZ ]+$`),
	}
	number := regexp.MustCompile(`^-?[0-9]+(\.[0-9]{1,2})?$`)
	for _, name := range []string{"x", "y", "font-size", "stroke-width"} {
		accepted[name] = number
	}
	for name, d := range drawings() {
		anchored := false
		decoder := xml.NewDecoder(bytes.NewReader(written(t, ".svg", d)))
		for token, err := decoder.Token(); err == nil; token, err = decoder.Token() {
			element, is := token.(xml.StartElement)
			if !is {
				continue
			}
			for _, a := range element.Attr {
				if pattern := accepted[a.Name.Local]; pattern != nil && !pattern.MatchString(a.Value) {
					t.Errorf("%s: <%s %s=%q>", name, element.Name.Local, a.Name.Local, a.Value)
				}
				anchored = anchored || a.Name.Local == "text-anchor"
			}
		}
		if !anchored {
			t.Errorf("%s has no anchored text", name)
		}
	}
}

// A PNG is as large as its picture at 192 dots per inch.
func TestPNGSize(t *testing.T) {
	for name, d := range drawings() {
		image, err := png.Decode(bytes.NewReader(written(t, ".png", d)))
		if err != nil {
			t.Fatal(err)
		}
		width, height := d.size()
		size := image.Bounds().Size()
		if math.Abs(float64(size.X)-float64(width)*192/72) > 1 || math.Abs(float64(size.Y)-float64(height)*192/72) > 1 {
			t.Errorf("%s: %v dots for %v × %v points", name, size, width, height)
		}
	}
}

// The texts of a PDF are those of the SVG, as texts that can be searched: in UTF-16, by the font's own letters.
func TestPDFHasTheTexts(t *testing.T) {
	texts := regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)
	unescaped := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&#39;", "'", "&#34;", `"`)
	escaped := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "\r", `\r`)
	for name, d := range drawings() {
		content := pdfContent(t, written(t, ".pdf", d))
		for _, match := range texts.FindAllStringSubmatch(string(written(t, ".svg", d)), -1) {
			var utf []byte
			for _, u := range utf16.Encode([]rune(unescaped.Replace(match[1]))) {
				utf = append(utf, byte(u>>8), byte(u))
			}
			if !strings.Contains(content, escaped.Replace(string(utf))) {
				t.Errorf("%s: the PDF lacks %q (%s)", name, match[1], hex.EncodeToString(utf))
			}
		}
	}
}

// pdfContent returns the unpacked streams of a PDF.
func pdfContent(t *testing.T, pdf []byte) string {
	t.Helper()
	var all strings.Builder
	for _, part := range bytes.Split(pdf, []byte("\nstream\n"))[1:] {
		unpacked, err := zlib.NewReader(bytes.NewReader(part))
		if err != nil {
			continue
		}
		_, _ = io.Copy(&all, unpacked) // what follows a stream is no part of it
	}
	return all.String()
}

// Characters that the font lacks, and a picture without anything, do no harm.
func TestOddTextsInEveryFormat(t *testing.T) {
	for _, title := range []string{"列の数 👍", "\x00\x1b[31m", strings.Repeat("x", 1000), "\xff", ""} {
		for _, ending := range Endings() {
			written(t, ending, &Shares{Title: title, Parts: []Part{{title, 1}}})
			written(t, ending, &Boxes{Title: title})
		}
	}
}
