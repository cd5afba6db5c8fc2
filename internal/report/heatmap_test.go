package report

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
)

func heat(t *testing.T, h *HeatMap) string {
	t.Helper()
	var b bytes.Buffer
	if err := h.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A grid of 3×2 settings, twice, has six cells a panel with the better score of each.
func TestHeatMapOfAGrid(t *testing.T) {
	h := &HeatMap{Title: "krvfl on d.csv", Score: "rmse", Names: []string{"C", "width"}, Pairs: [][2]int{{0, 1}},
		Best: 0}
	for _, add := range []float64{0, 10} {
		for i, c := range []float64{0.1, 1, 10} {
			for j, w := range []float64{2, 4} {
				h.Points = append(h.Points, Setting{[]float64{c, w}, add + float64(i+j)})
			}
		}
	}
	x, y := h.cells(0), h.cells(1)
	best := h.bestOfCells([2]int{0, 1}, x, y)
	if len(best) != 6 || best[[2]int{2, 1}] != 3 {
		t.Errorf("cells %v", best)
	}
	svg := heat(t, h)
	for _, want := range []string{"krvfl on d.csv", ">rmse<", ">C<", ">width<", ">0.1<", ">10<", ">4<", "≥ "} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if svg != heat(t, h) {
		t.Error("drawn twice, it differs")
	}
}

// Many values fall into equal parts of the logarithm; what has no score leaves no cell.
func TestHeatMapOfRandomSettings(t *testing.T) {
	h := &HeatMap{Score: "r2", Greater: true, Names: []string{"C", "gamma"}, Pairs: [][2]int{{0, 1}, {1, 0}, {0, 1}}}
	for i := range 100 {
		h.Points = append(h.Points, Setting{[]float64{math.Pow(10, float64(i)/10-5), 1 + float64(i*37%100)},
			float64(i)})
	}
	h.Points[50].Score = math.NaN()
	c := h.cells(0)
	if c.count != coarse || c.of(1e-5) != 0 || c.of(math.Pow(10, 4.9)) != coarse-1 || c.of(0) != 0 ||
		c.of(1e9) != coarse-1 {
		t.Errorf("cells %+v", c)
	}
	if at := c.at(math.Pow(10, -0.05)); math.Abs(at-coarse/2) > 1e-9 {
		t.Errorf("the middle is at %g", at)
	}
	if worst, best := scoreScale(h.Points, h.Greater); best != 99 || worst < 15 || worst > 25 {
		t.Errorf("scale from %g to %g", worst, best)
	}
	if svg := heat(t, h); !strings.Contains(svg, "≤ ") {
		t.Error("the scale has no end")
	}
}

func TestOddHeatMaps(t *testing.T) {
	one := &HeatMap{
		Score: "rmse", Names: []string{"C", "u"}, Pairs: [][2]int{{0, 1}},
		Points: []Setting{{[]float64{1, 1}, math.NaN()}},
	}
	heat(t, one)
	one.Points[0].Score = 3
	heat(t, one)
	if low, high := shade(-1), shade(2); low != viridis[0] || high != viridis[len(viridis)-1] {
		t.Errorf("shades %v, %v", low, high)
	}
	if err := one.WriteSVG(failing{}); err == nil {
		t.Error("a failure to write is not told")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// A few terrible scores leave the colours to the others.
func TestScaleIgnoresTheWorst(t *testing.T) {
	var h HeatMap
	for i := range 20 {
		score := 8 + float64(i)/10
		if i > 8 {
			score = 1e4
		}
		h.Points = append(h.Points, Setting{Score: score})
	}
	if worst, best := scoreScale(h.Points, h.Greater); best != 8 || math.Abs(worst-10) > 1e-9 {
		t.Errorf("from %g to %g", worst, best)
	}
}
