package report

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// grid has the scores |log C − 1| + |log gamma| of 5 × 4 settings, of which (10, 1) is the best.
func grid() *Marginals {
	m := &Marginals{Title: "krvfl+ on <d>", Score: "rmse", Names: []string{"C", "gamma"}, Best: 8}
	for _, c := range []float64{0.1, 1, 10, 100, 1000} {
		for _, g := range []float64{1, 10, 100, 1000} {
			m.Settings = append(m.Settings, Setting{[]float64{c, g}, math.Abs(math.Log10(c)-1) + math.Log10(g)})
		}
	}
	return m
}

func TestMarginals(t *testing.T) {
	m := grid()
	svg := picture(t, m.WriteSVG)
	for _, want := range []string{
		"krvfl+ on &lt;d&gt;", ">C<", ">gamma<", ">rmse<", ">the best near a value<", "#0072B2",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	// On a grid the neighbours are the line of the grid through the best setting, and so are the best near each value.
	if got, onLine := m.neighbours(0); !slices.Equal(got, []int{0, 4, 8, 12, 16}) || !onLine {
		t.Errorf("neighbours along C %v, on a line: %v", got, onLine)
	}
	if got, want := m.bestNear(1, 1, 1000), []int{8, 9, 10, 11}; !slices.Equal(got, want) {
		t.Errorf("best near values of gamma %v, want %v", got, want)
	}
	m.Greater = true
	if got, want := m.bestNear(1, 1, 1000), []int{0, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("greatest near values of gamma %v, want %v", got, want)
	}
}

// Settings without a score or a value leave no mark, and are nobody's neighbours.
func TestMarginalsOfSeveralKinds(t *testing.T) {
	m := grid()
	m.Settings[12].Score = math.NaN()
	m.Settings[4].Values[1] = math.NaN() // another kind
	if got, _ := m.neighbours(0); !slices.Equal(got, []int{0, 8, 16}) {
		t.Errorf("neighbours %v", got)
	}
	picture(t, m.WriteSVG)
	for i := range m.Settings {
		m.Settings[i].Score = math.NaN()
	}
	picture(t, m.WriteSVG)
	picture(t, (&Marginals{}).WriteSVG)
	picture(t, (&Marginals{Names: []string{"C"}, Settings: []Setting{{[]float64{2}, 0}}}).WriteSVG)
}
