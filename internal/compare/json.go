package compare

import (
	"encoding/json"
	"math"

	"rvflplus/fault"
	"rvflplus/internal/target"
)

// MarshalJSON writes the result as rvfl compare --json does; a number that there is
// not, such as the share of a gain that is none, is null.
func (c *Comparison) MarshalJSON() ([]byte, error) {
	out := comparisonJSON{
		Verdict: c.Verdict, Reason: c.Reason, Advice: c.Advice, Baseline: c.Baseline, Best: c.Best,
		Task: string(c.Task), Rows: c.Rows, Features: c.Features, Privileged: c.Privileged,
		Splits: c.Splits, TrainRows: c.TrainRows, TestRows: c.TestRows, Seed: c.Seed,
		Difference: differenceJSON{c.Metric, c.Difference.Mean, c.Difference.Low, c.Difference.High, c.BestTest().Holm, c.Difference.P, c.denoised()},
		UpperGain:  number(c.Upper), Recovered: number(c.Recovered), Controls: map[string]controlJSON{},
		Permutation: permutationJSON{c.Permutation.Rounds, c.Permutation.Rows, c.Permutation.Without},
		Notes:       append([]fault.Text{}, c.Notes...), Warnings: append([]fault.Text{}, c.Warnings...), Seconds: c.Seconds,
	}
	for _, s := range c.Methods {
		out.Methods = append(out.Methods, c.method(s))
	}
	for _, k := range c.Controls {
		out.Controls[k.Name] = controlJSON{c.Metric, k.Mean, k.SD, interval(k.Difference)}
	}
	return json.Marshal(out)
}

type comparisonJSON struct {
	Verdict     Verdict                `json:"verdict"`
	Reason      string                 `json:"reason"`
	Advice      fault.Text             `json:"advice"`
	Baseline    string                 `json:"baseline"`
	Best        string                 `json:"best"`
	Task        string                 `json:"task"`
	Rows        int                    `json:"rows"`
	Features    int                    `json:"features"`
	Privileged  int                    `json:"privileged"`
	Splits      int                    `json:"splits"`
	TrainRows   int                    `json:"train_rows"`
	TestRows    int                    `json:"test_rows"`
	Seed        uint64                 `json:"seed"`
	Methods     []methodJSON           `json:"methods"`
	Difference  differenceJSON         `json:"difference"`
	UpperGain   *float64               `json:"upper_bound_gain"`
	Recovered   *float64               `json:"recovered"`
	Controls    map[string]controlJSON `json:"controls"`
	Permutation permutationJSON        `json:"permutation"`
	Notes       []fault.Text           `json:"notes"`
	Warnings    []fault.Text           `json:"warnings"`
	Seconds     float64                `json:"seconds"`
}

type methodJSON struct {
	Name       string        `json:"name"`
	Role       Role          `json:"role"`
	Metric     string        `json:"metric"`
	Mean       *float64      `json:"mean"`
	SD         *float64      `json:"sd"`
	Values     []float64     `json:"values"`
	Difference *intervalJSON `json:"difference"`
	Statistic  *float64      `json:"statistic,omitempty"` // T of the permutation test
	P          *float64      `json:"p,omitempty"`
	Holm       *float64      `json:"p_holm,omitempty"`
	Seconds    float64       `json:"seconds"`
}

type intervalJSON struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	P    float64 `json:"p"` // corrected resampled t-test
}

// differenceJSON has the p-value that the verdict rests on as p.
type differenceJSON struct {
	Metric string  `json:"metric"`
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	P      float64 `json:"p"`
	TTestP float64 `json:"p_t_test"`
	// Denoised is without the noise that privileged columns tell of; regression only.
	Denoised *intervalJSON `json:"noise_removed,omitempty"`
}

type controlJSON struct {
	Metric     string       `json:"metric"`
	Mean       float64      `json:"mean"`
	SD         float64      `json:"sd"`
	Difference intervalJSON `json:"difference"`
}

type permutationJSON struct {
	Rounds  int     `json:"rounds"`
	Rows    int     `json:"rows"`
	Without float64 `json:"loss_without"`
}

func (c *Comparison) denoised() *intervalJSON {
	if c.Task != target.Regression {
		return nil
	}
	d := interval(c.Denoised)
	return &d
}

func interval(v Interval) intervalJSON { return intervalJSON(v) }

func (c *Comparison) method(s Score) methodJSON {
	m := methodJSON{Name: s.Name, Role: s.Role, Metric: c.Metric, Mean: number(s.Mean), SD: number(s.SD), Values: append([]float64{}, s.Values...), Seconds: s.Seconds}
	if s.Values != nil {
		d := interval(s.Difference)
		m.Difference = &d
	}
	for _, t := range c.Permutation.Tests {
		if t.Method == s.Name {
			m.Statistic, m.P, m.Holm = &t.Statistic, &t.P, &t.Holm
		}
	}
	return m
}

// number returns nil for NaN.
func number(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
