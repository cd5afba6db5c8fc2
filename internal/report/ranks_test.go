package report

import (
	"slices"
	"strings"
	"testing"
)

func TestRanks(t *testing.T) {
	v := &Ranks{Title: "ranks <of methods>", Critical: 1.25, Methods: []RankedMethod{
		{Name: "third", Rank: 3.1}, {Name: "first", Rank: 1.2, Bold: true}, {Name: "second", Rank: 2.2},
		{Name: "last", Rank: 3.5},
	}}
	svg := picture(t, v.WriteSVG)
	for _, want := range []string{
		"ranks &lt;of methods&gt;", ">first 1.20<", ">last 3.50<", ">critical difference 1.25<", "#0072B2", ">4<",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if v.Methods[0].Name != "third" {
		t.Error("the caller's methods are sorted")
	}
	if err := v.WriteSVG(failing{}); err == nil {
		t.Error("a failure to write is not told")
	}
}

// A bar joins methods within the critical difference of its first, and no bar lies within another.
func TestBarsOfRanks(t *testing.T) {
	methods := []RankedMethod{{Rank: 1.2}, {Rank: 2.2}, {Rank: 3.1}, {Rank: 3.4}}
	for critical, want := range map[float64][]bar{
		0.1: nil, 0.5: {{2, 3}}, 0.95: {{1, 2}, {2, 3}}, 1.25: {{0, 1}, {1, 3}}, 3: {{0, 3}},
	} {
		if got := (&Ranks{Critical: critical}).bars(methods); !slices.Equal(got, want) {
			t.Errorf("%v: %v, want %v", critical, got, want)
		}
	}
}
