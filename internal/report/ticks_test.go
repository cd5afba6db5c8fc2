package report

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// Few ticks, inside the axis, for narrow and wide ranges.
func TestTicksAreFew(t *testing.T) {
	for _, c := range []struct {
		ticks func(low, high float64) []plot.Tick
		most  int
		spans [][2]float64
	}{
		{fewTicks, 7, [][2]float64{{0, 1}, {66.1, 66.9}, {-3, 250}, {12, 12.00001}, {1e5, 3e6}}},
		{decades, 10, [][2]float64{{1e-5, 1e5}, {0.9, 1.1}, {8.5, 9.9}, {3, 700}, {1, 2}, {1e-12, 1e12}}},
	} {
		for _, span := range c.spans {
			ticks := c.ticks(span[0], span[1])
			if len(ticks) < 2 || len(ticks) > c.most {
				t.Errorf("%v has %d ticks", span, len(ticks))
			}
			for _, tick := range ticks {
				if tick.Value < span[0] || tick.Value > span[1] {
					t.Errorf("%v has a tick at %g", span, tick.Value)
				}
			}
		}
	}
}

func TestRoundValues(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1e-5, 1e5, "[1e-05 0.001 0.1 10 1000 100000]"},
		{0.4, 380, "[1 10 100]"},
		{3, 60, "[5 10 20 50]"},
	} {
		if got := fmt.Sprint(roundValues(c.low, c.high)); got != c.want {
			t.Errorf("%g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
	for v, want := range map[float64]string{
		0.00035: "3.5e-4", 0.0036: "0.0036", 324: "320", 9.6e4: "96000", 1e5: "1e5", 0.999: "1", 1e-5: "1e-5",
	} {
		if got := tidy(v); got != want {
			t.Errorf("%g: %s, want %s", v, got, want)
		}
	}
}

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high, least float64
		want             string
	}{
		{-0.18, 0.52, 0, "-0.1 0 0.1 0.2 0.3 0.4 0.5"},
		{0, 3.4, 1, "0 1 2 3"},
		{-1.3, 0.45, 0, "-1 -0.5 0"},
		{80, 100, 0, "80 85 90 95 100"},
	} {
		var got []string
		for _, tick := range (roundTicks{c.least}).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g: %v, want %s", c.low, c.high, got, c.want)
		}
	}
}
