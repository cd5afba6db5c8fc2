package page

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rvflplus/fault"
	"rvflplus/internal/compare"
	"rvflplus/internal/target"
)

func comparison(metric string) *compare.Comparison {
	gain := compare.Interval{Mean: 0.1, Low: -0.2, High: 0.4}
	c := &compare.Comparison{
		Verdict: compare.Helps, Reason: "because <b>", Advice: fault.Plain("train"), Baseline: "krvfl",
		Best: "krvfl+:additive", Task: target.Regression, Metric: metric, Rows: 80, Splits: 3, Difference: gain,
		Upper: 0.3, Recovered: 0.33, Notes: []fault.Text{fault.Plain("a <note>")},
		Methods: []compare.Score{
			{Name: "krvfl", Role: compare.Baseline, Values: []float64{0.7, 0.8, 0.9}, Mean: 0.8, SD: 0.1},
			{Name: "krvfl+:additive", Role: compare.Privileged, Values: []float64{0.6, 0.7, 0.8}, Mean: 0.7, SD: 0.1,
				Difference: gain},
			{Name: "krvfl seeing all", Role: compare.UpperBound, Mean: math.NaN()},
		},
		Controls: []compare.Score{
			{Name: "noise", Role: compare.Control, Values: []float64{0.7, 0.8, 0.9}, Mean: 0.8},
		},
		Permutation: compare.Permutation{Rounds: 3, Tests: []compare.Test{
			{Method: "krvfl+:additive", Statistic: 0.3, Null: []float64{0, 0.1, 0.4}, P: 0.5, Holm: 0.5},
		}},
	}
	if metric == "accuracy" {
		c.Task, c.Greater = target.Classification, true
	}
	return c
}

func write(t *testing.T, c *compare.Comparison) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, "<data>.csv", c); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestComparisonPageStandsAlone(t *testing.T) {
	page := write(t, comparison("rmse"))
	elsewhere := regexp.MustCompile(`(src|href)=|@import|url\(|<script`)
	if external := elsewhere.FindString(page); external != "" {
		t.Errorf("the page refers to something else: %s", external)
	}
	if strings.Contains(page, "<data>") || strings.Contains(page, "<note>") ||
		!strings.Contains(page, "&lt;data&gt;.csv") {
		t.Error("names are not escaped")
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "seeing all</td>") {
		t.Error("the page shows an upper bound that there is not")
	}
	for _, want := range []string{"They help.", "1 reach T", "chosen, noise removed", "&#43;0.3", "33 %"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestComparisonPicturesAreXML(t *testing.T) {
	for _, c := range []*compare.Comparison{comparison("rmse"), comparison("accuracy"), flat()} {
		pictures := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(write(t, c), -1)
		if len(pictures) != 6 { // three, for broad and for narrow screens
			t.Fatalf("%d pictures", len(pictures))
		}
		for _, p := range pictures {
			d := xml.NewDecoder(strings.NewReader(p))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(p, "NaN") || strings.Contains(p, "Inf") {
				t.Error("a picture has a coordinate that is no number")
			}
		}
	}
}

// A comparison without a permutation test has no picture of one, and says what the verdict rests on instead.
func TestPageWithoutPermutations(t *testing.T) {
	c := comparison("rmse")
	c.Methods[1].Name, c.Best, c.Strongest = "transfer", "transfer", "transfer"
	c.Permutation = compare.Permutation{}
	c.HeldOut = []compare.HeldOutTest{{Method: "transfer", P: 0.2, Holm: 0.2}}
	c.Controls = []compare.Score{{Name: "permuted transfer", Role: compare.Control, Values: []float64{1, 1, 1}}}
	page := write(t, c)
	if strings.Count(page, "<svg") != 4 || strings.Contains(page, "more than chance?") {
		t.Error("the page shows a test that was not made")
	}
	for _, want := range []string{"0.200</b>", "privileged rows permuted", "judged on held-out rows"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// flat has nothing to draw: all values are equal.
func flat() *compare.Comparison {
	c := comparison("rmse")
	c.Difference = compare.Interval{}
	c.Methods, c.Controls = c.Methods[:1], nil
	c.Methods[0].Values = []float64{1, 1, 1}
	c.Permutation.Tests[0].Null, c.Permutation.Tests[0].Statistic = []float64{0, 0, 0}, 0
	return c
}

// luminance is that of a colour #RRGGBB by WCAG 2.
func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i, share := range []float64{0.0722, 0.7152, 0.2126} {
		v := float64(n>>(8*i)&0xFF) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += share * v
	}
	return sum
}

// What stands out from white paper stands out from the dark one too, where the style sheet gives it another colour if
// it needs one: by a contrast of 3. Light lines are allowed to be faint on both.
func TestColoursOnDarkScreens(t *testing.T) {
	text := write(t, comparison("rmse"))
	dark := text[strings.Index(text, "prefers-color-scheme: dark"):]
	paper := luminance(t, regexp.MustCompile(`--paper: (#\w+)`).FindStringSubmatch(dark)[1])
	replaced := map[string]string{}
	rule := regexp.MustCompile(`svg \[((?:fill|stroke)="#\w+")\] \{ \w+: (#\w+)`)
	for _, m := range rule.FindAllStringSubmatch(dark, -1) {
		replaced[m[1]] = m[2]
	}
	seen := 0
	for _, m := range regexp.MustCompile(`[ ]((?:fill|stroke)="(#\w+)")`).FindAllStringSubmatch(text, -1) {
		colour := m[2]
		if 1.05/(luminance(t, colour)+0.05) < 2 {
			continue // faint, or the paper itself
		}
		seen++
		if other := replaced[m[1]]; other != "" {
			colour = other
		}
		if contrast := (luminance(t, colour) + 0.05) / (paper + 0.05); contrast < 3 {
			t.Errorf("%s is drawn as %s, with a contrast of %.1f", m[1], colour, contrast)
		}
	}
	if seen < 10 {
		t.Errorf("only %d colours", seen)
	}
}

// Each picture is there for broad and for narrow screens, and every verdict has a colour of its own.
func TestPageForNarrowScreens(t *testing.T) {
	for _, verdict := range []compare.Verdict{compare.Helps, compare.Hurts, compare.Open, compare.NoEvidence} {
		c := comparison("rmse")
		c.Verdict = verdict
		text := write(t, c)
		if broad, narrow := strings.Count(text, `<div class="broad"><svg`),
			strings.Count(text, `<div class="narrow"><svg`); broad != 3 || narrow != 3 {
			t.Errorf("%d broad and %d narrow pictures", broad, narrow)
		}
		if !strings.Contains(text, `<div class="verdict `+string(verdict)+`">`) {
			t.Errorf("the verdict %q is not marked", verdict)
		}
		styled := strings.Contains(text, ".verdict."+string(verdict)+" {")
		if styled != (verdict != compare.NoEvidence) {
			t.Errorf("the verdict %q has a style: %v", verdict, styled)
		}
	}
}
