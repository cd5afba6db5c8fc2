package compare

import (
	"encoding/json"

	"rvflplus/fault"
	"rvflplus/internal/metric"
)

// MarshalJSON writes the result as rvfl compare --json does. A number that does not exist is null: the share of the
// upper bound's gain, for example, where the upper bound does not gain.
func (c *Comparison) MarshalJSON() ([]byte, error) {
	out := comparisonJSON{
		Verdict: c.Verdict, Reason: c.Reason, Advice: c.Advice, Baseline: c.Baseline, Best: c.Best,
		Strongest: c.Strongest, LeftOut: c.LeftOut, Groups: c.Groups, Assumes: c.Assumes,
		Task: string(c.Task), Rows: c.Rows, Features: c.Features, Privileged: c.Privileged,
		Splits: c.Splits, TrainRows: c.TrainRows, TestRows: c.TestRows, Seed: c.Seed,
		Difference: differenceJSON{
			Metric: c.Metric, Mean: c.Difference.Mean, Low: c.Difference.Low, High: c.Difference.High,
			P: c.StrongestP(), TTestP: c.Difference.P,
		},
		LeastGain: max(0, c.LeastGain), UpperGain: metric.Defined(c.Upper),
		Recovered: metric.Defined(c.Recovered), Controls: map[string]controlJSON{},
		Permutation: permutationJSON{c.Permutation.Rounds, c.Permutation.Rows, c.Permutation.Without},
		Notes:       append([]fault.Text{}, c.Notes...), Warnings: append([]fault.Text{}, c.Warnings...),
		Seconds: c.Seconds,
	}
	if c.Metric == variateMetric {
		out.Difference.ControlVariate = &c.ControlVariate
	}
	out.Constant = c.control(c.Constant)
	if c.Auto.Values != nil {
		out.Auto = &autoJSON{c.control(c.Auto), len(c.Auto.Values)}
	}
	for _, s := range c.Methods {
		m := methodJSON{
			Name: s.Name, Role: s.Role, Metric: c.Metric, Mean: metric.Defined(s.Mean), SD: metric.Defined(s.SD),
			Values: append([]float64{}, s.Values...), Seconds: s.Seconds, Metrics: s.Class,
		}
		if s.Values != nil {
			m.Difference = &s.Difference
		}
		if t, tested := c.test(s.Name); tested {
			m.Statistic, m.P, m.Holm = &t.Statistic, &t.P, &t.Holm
		}
		if t, tested := c.heldOutTest(s.Name); tested {
			m.HeldOutP, m.HeldOutHolm, m.ControlGains = &t.P, &t.Holm, &t.ControlGains
		}
		for _, g := range s.Gains {
			if m.Gains == nil {
				m.Gains = map[string]Interval{}
			}
			m.Gains[g.Over] = g.Interval
		}
		out.Methods = append(out.Methods, m)
	}
	for _, s := range c.Controls {
		out.Controls[s.Name] = c.control(s)
	}
	return json.Marshal(out)
}

type comparisonJSON struct {
	Verdict     Verdict                `json:"verdict"`
	Reason      string                 `json:"reason"`
	Advice      fault.Text             `json:"advice"`
	Baseline    string                 `json:"baseline"`
	Best        string                 `json:"best"`
	Strongest   string                 `json:"strongest"`
	Task        string                 `json:"task"`
	Rows        int                    `json:"rows"`
	Features    int                    `json:"features"`
	Privileged  int                    `json:"privileged"`
	LeftOut     string                 `json:"left_out"`
	Groups      int                    `json:"groups,omitempty"`
	Assumes     fault.Text             `json:"assumes"`
	Splits      int                    `json:"splits"`
	TrainRows   int                    `json:"train_rows"`
	TestRows    int                    `json:"test_rows"`
	Seed        uint64                 `json:"seed"`
	Methods     []methodJSON           `json:"methods"`
	Constant    controlJSON            `json:"constant"`
	Auto        *autoJSON              `json:"auto"` // null where it is not measured
	LeastGain   float64                `json:"least_gain"`
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
	Name       string    `json:"name"`
	Role       Role      `json:"role"`
	Metric     string    `json:"metric"`
	Mean       *float64  `json:"mean"`
	SD         *float64  `json:"sd"`
	Values     []float64 `json:"values"`
	Difference *Interval `json:"difference"`
	Statistic  *float64  `json:"statistic,omitempty"` // T of the permutation test
	P          *float64  `json:"p,omitempty"`
	Holm       *float64  `json:"p_holm,omitempty"`
	// Of methods that are judged on held-out rows; see HeldOutTest.
	HeldOutP     *float64 `json:"p_held_out,omitempty"`
	HeldOutHolm  *float64 `json:"p_held_out_holm,omitempty"`
	ControlGains *bool    `json:"control_gains,omitempty"`
	// Gains is the gain over each baseline in closed form, and over auto on its splits, by its name.
	Gains   map[string]Interval    `json:"gains,omitempty"`
	Metrics *metric.Classification `json:"metrics,omitempty"` // see Score.Class; as rvfl eval --json tells them
	Seconds float64                `json:"seconds"`
}

// differenceJSON is the gain on held-out rows. Its p-value P is that of the test of Strongest, by permutations or
// on held-out rows, which the verdict rests on; TTestP is that of the corrected resampled t-test.
type differenceJSON struct {
	Metric string  `json:"metric"`
	Mean   float64 `json:"mean"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	P      float64 `json:"p"`
	TTestP float64 `json:"p_t_test"`
	// ControlVariate is the same gain with the noise removed that the privileged columns tell of; of RMSE only.
	ControlVariate *Interval `json:"noise_removed,omitempty"`
}

type controlJSON struct {
	Metric     string                 `json:"metric"`
	Mean       float64                `json:"mean"`
	SD         float64                `json:"sd"`
	Difference Interval               `json:"difference"`
	Metrics    *metric.Classification `json:"metrics,omitempty"`
}

// control returns what is told of a score beside the methods.
func (c *Comparison) control(s Score) controlJSON {
	return controlJSON{c.Metric, s.Mean, s.SD, s.Difference, s.Class}
}

type autoJSON struct {
	controlJSON
	Splits int `json:"splits"` // those that it is measured on
}

type permutationJSON struct {
	Rounds  int     `json:"rounds"`
	Rows    int     `json:"rows"`
	Without float64 `json:"loss_without"`
}
