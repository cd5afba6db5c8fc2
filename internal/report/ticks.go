package report

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// roundTicks marks at most seven multiples of 1, 2 or 5 times a power of ten.
type roundTicks struct{ least float64 } // the least distance of two ticks

// Ticks implements plot.Ticker.
func (t roundTicks) Ticks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/7)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(m*step) < 7 {
			step *= m
			break
		}
	}
	step = max(step, t.least)
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k*step <= high; k++ {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(k*step, 'g', 10, 64), 64)
		ticks = append(ticks, plot.Tick{Value: k * step, Label: strconv.FormatFloat(v+0, 'g', -1, 64)})
	}
	return ticks
}

// fewTicks marks three to six round numbers, whose texts do not touch in a narrow panel.
func fewTicks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/3)))
	for _, factor := range []float64{2, 2.5, 2} {
		if (high-low)/step > 5 {
			step *= factor
		}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k*step <= high && len(ticks) < 12; k++ {
		text := strconv.FormatFloat(math.Round(k*step*1e9)/1e9, 'g', 6, 64)
		ticks = append(ticks, plot.Tick{Value: k * step, Label: text})
	}
	return ticks
}

// decades marks powers of ten on a logarithmic axis. On a range below two powers it marks 1, 2 and 5 times a power,
// and where fewer than two of these fit, round numbers.
func decades(low, high float64) []plot.Tick {
	span := math.Log10(high / low)
	step, factors := max(1, math.Ceil(span/6)), []float64{1}
	if span < 2 {
		factors = []float64{1, 2, 5}
	}
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e += step {
		for _, f := range factors {
			if v := f * math.Pow(10, e); v >= low && v <= high {
				ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
			}
		}
	}
	if len(ticks) < 2 {
		return fewTicks(low, high)
	}
	return ticks
}

// mostTicks is the largest number of ticks on an axis of a heat map.
const mostTicks = 6

// roundValues returns at most six values from low to high: powers of ten, or where these are few, also twice and five
// times a power.
func roundValues(low, high float64) []float64 {
	var powers, all []float64
	for e := math.Floor(math.Log10(low)); e <= math.Log10(high); e++ {
		for _, m := range []float64{1, 2, 5} {
			v := m * math.Pow(10, e)
			if v < low || v > high {
				continue
			}
			if all = append(all, v); m == 1 {
				powers = append(powers, v)
			}
		}
	}
	if len(powers) < 3 {
		powers = all
	}
	step := (len(powers) + mostTicks - 1) / mostTicks
	var out []float64
	for i := 0; i < len(powers); i += step {
		out = append(out, powers[i])
	}
	return out
}

// tidy writes two digits of a positive number: 0.0036, 320, 3.5e-4.
func tidy(v float64) string {
	text := strconv.FormatFloat(v, 'e', 1, 64)
	v, _ = strconv.ParseFloat(text, 64)
	if v >= 1e-3 && v < 1e5 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	power, _ := strconv.Atoi(exponent)
	return strings.TrimSuffix(mantissa, ".0") + "e" + strconv.Itoa(power)
}
