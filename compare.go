package rvflplus

import (
	"context"
	"encoding/json"
	"math"

	"rvflplus/fault"
	"rvflplus/internal/compare"
	"rvflplus/internal/pipeline"
)

// CompareOptions say how the comparison is made. The zero value of each field stands for its default.
type CompareOptions struct {
	// Methods are the methods to compare: a kind, which for kinds with a correction means one method for each, or
	// KIND:CORRECTION such as "krvfl+:additive", or "all" alone: every kind in closed form and every correction.
	// Default: krvfl, averaged, krvfl+:additive, krvfl+:projected, distill (where all rows have privileged values),
	// transfer, stack, and label where rows have no target. There must be one with and one without privileged columns;
	// averaged joins every list.
	Methods []string
	// Splits is the number of random splits into training and test rows; 2 to 1000, default 30.
	Splits int
	// TestShare is the share of test rows in a split, within (0, 1); default 0.25.
	TestShare float64
	// Permutations is the number of rounds of the permutation test; 19 to 100,000, default 199. The smallest p-value
	// is 1/(Permutations+1).
	Permutations int
	// Rows is the largest number of rows that models are tuned and trained on; 20 to 20,000, default 200. Where there
	// are more, so many drawn by the seed stand for all, and each split draws as many anew.
	Rows int
	// Score is what held-out rows are measured by: gains and the verdict are in it. Of a classification: "accuracy"
	// (default), "balanced-accuracy", "f1", "auc" (area under the ROC curve); of a regression: "rmse" (default), "mae",
	// "r2". Methods in closed form are tuned by the squared error of leave-one-out, whatever it is.
	Score string
	// LeastGain is the share of the loss of the model without privileged columns that a gain must reach where its
	// interval holds 0, else the verdict is Open; below 1, default 0.01, negative for none. The loss is the RMSE or
	// MAE, or what a score whose best value is 1 is short of 1.
	LeastGain float64
	// AllowMissingPrivileged is that of TrainOptions.
	AllowMissingPrivileged bool
	// Progress, when not nil, is told that done of total settings are evaluated. It is called from one goroutine at a
	// time.
	Progress func(stage string, done, total int)
}

// Verdict is the answer of a comparison.
type Verdict string

const (
	// Helps says that a method with the privileged columns gains significantly in leave-one-out loss, and such a
	// method, or the stack, on average on held-out rows; or that a method which the permutation test cannot judge
	// gains significantly on held-out rows.
	Helps Verdict = "helps"
	// Hurts says that held-out rows are predicted significantly worse with the privileged columns.
	Hurts Verdict = "hurts"
	// Open says that there is evidence for the columns, but no gain that a user would have: Reason says why.
	Open Verdict = "open"
	// NoEvidence says none of these. It is no proof that the columns are useless: see Comparison.Difference.
	NoEvidence Verdict = "no evidence"
)

// Comparison is the answer to whether privileged columns help, and what it rests on. Differences and gains are
// positive where the privileged columns make predictions better. It has the JSON of rvfl compare --json.
type Comparison struct {
	Verdict Verdict
	Reason  string // what the verdict rests on, a sentence
	Advice  string // what to do next, a sentence or two

	Baseline string // the method without privileged columns that leave-one-out prefers
	Best     string // the method with them that Advice is about: if they help, that with the largest gain
	// Strongest is the method with them whose test has the smallest adjusted p-value.
	Strongest string

	Task                 string // "classification" or "regression"
	Metric               string // CompareOptions.Score: fractions of classes, "rmse" and "mae" in the target's unit
	Rows                 int    // of the table
	Features, Privileged int    // numbers of columns
	Splits               int    // random splits
	TrainRows, TestRows  int    // of a split, the first one where splits differ

	// LeftOut says what leaves together when rows are left out: "rows" alone, "groups" of Columns.Group or, with
	// Columns.Time alone, "blocks" of rows that follow each other. Groups is how many groups or blocks there are,
	// else 0.
	LeftOut string
	Groups  int
	// Assumes says what the verdict takes for granted, a clause.
	Assumes string

	Methods []MethodScore
	// Difference is the gain of the privileged method over the plain one, each chosen by leave-one-out inside every
	// split, on held-out rows.
	Difference Gain
	// ControlVariate is Difference, less noisy, where Metric is "rmse": what the privileged columns tell of the noise
	// of held-out targets is taken out of the targets first. The verdict does not look at it. It equals Difference
	// for other metrics.
	ControlVariate Gain
	// Constant is the predictor that knows no column: the mean of the training rows, or their largest class. Auto is
	// what training without settings makes of the normal columns alone, on the first splits; without Values where it is
	// not measured: with Columns.Time, and where Config.Kernel is given.
	Constant, Auto MethodScore
	// UpperGain is the mean gain of a model that sees the privileged columns when it predicts, too; NaN without one.
	UpperGain float64
	// Recovered is the share of UpperGain that is reached with privileged columns in training only; NaN where
	// UpperGain is not above 0.
	Recovered float64
	// Controls are what privileged methods make of privileged columns that know nothing: "shuffled" residuals and
	// "noise", and, of a method that is judged on held-out rows, "permuted METHOD": rows in random order.
	Controls []MethodScore

	Notes    []string // what was decided or left out
	Warnings []string // where the data may not be what they seem
	Seconds  float64  // that the comparison took

	c *compare.Comparison
}

// Gain is a mean difference of the metric with its 95 % confidence interval (of the corrected resampled t-test) and
// the two-sided p-value of the mean being 0.
type Gain struct{ Mean, Low, High, P float64 }

// MethodScore is one method on the held-out rows.
type MethodScore struct {
	Name       string
	Role       string    // "baseline", "privileged", "upper bound" or "control"
	Values     []float64 // the metric in each split; nil for an upper bound that cannot be had
	Mean, SD   float64   // of Values; NaN without any
	Difference Gain      // over the baseline chosen in each split
	// Gains has the gain of a privileged method in closed form over each baseline in closed form, over "constant" and,
	// on the splits of Auto, over "auto", by their names.
	Gains map[string]Gain
	// Classes are the scores of a classification, means over the splits. Of Baseline and Best they also have the
	// classes with their scores, but areas, and the confusion matrix: of the test rows of all splits, in which a row
	// of the table stands as often as it was held out. Nil of a regression.
	Classes *ClassificationMetrics
	Seconds float64 // to tune and train, on average
	Tested  bool    // the permutation test was made: of privileged methods in closed form
	P       float64 // of the permutation test, adjusted for the number of methods; NaN where not Tested
	// HeldOutP is the p-value of a privileged method that the permutation test cannot judge (transfer, label, weigh,
	// stack), adjusted alike: that the method is better on held-out rows than every baseline, and than itself with the
	// rows of the privileged columns permuted. NaN for other methods.
	HeldOutP float64
}

// Compare tells whether the privileged columns of t help to predict its targets. c gives what is not tuned:
// preparation, task, encoding, kernels (whose automatic widths are tuned), nodes, activation and seed; its Kind is
// not looked at. With Columns.Group whole groups are left out, at least 12; with Columns.Time alone, blocks of rows
// that follow each other, and later rows are predicted.
//
// Every method is tuned equally, by exact leave-one-out or, as transfer has to be, by folds. A permutation test on all
// rows (at most o.Rows) tells whether the methods in closed form gain more than they do with privileged columns that
// know nothing of the target; random splits, inside of which preparation and tuning are repeated, tell by how much
// held-out rows are predicted better.
//
// Cost: some (Permutations + 4·Splits) tunings of the privileged methods, each a few hundred factorisations of at
// most o.Rows rows: seconds to minutes. The result, times aside, does not depend on the number of threads.
func Compare(ctx context.Context, t *Table, columns Columns, c Config, o CompareOptions) (*Comparison, error) {
	data, err := t.with(columns)
	if err != nil {
		return nil, err
	}
	if len(data.Roles.Priv) == 0 {
		return nil, fault.New(fault.Usage, "no privileged columns to compare with and without").
			WithHint("name them with Columns.Privileged")
	}
	config := c.internal()
	config.AllowMissingPriv = o.AllowMissingPrivileged
	r, err := compare.Compare(ctx, data, config, compare.Options{
		Methods: o.Methods, Splits: o.Splits, Test: o.TestShare, Permutations: o.Permutations, Rows: o.Rows,
		Score: o.Score, LeastGain: o.LeastGain, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	return comparisonOf(r), nil
}

func comparisonOf(r *compare.Comparison) *Comparison {
	out := &Comparison{
		Verdict: Verdict(r.Verdict), Reason: r.Reason, Advice: r.Advice.String(), Baseline: r.Baseline, Best: r.Best,
		Strongest: r.Strongest, LeftOut: r.LeftOut, Groups: r.Groups, Assumes: r.Assumes.String(),
		Task: string(r.Task), Metric: r.Metric, Rows: r.Rows, Features: r.Features, Privileged: r.Privileged,
		Splits: r.Splits, TrainRows: r.TrainRows, TestRows: r.TestRows,
		Difference: Gain(r.Difference), ControlVariate: Gain(r.ControlVariate),
		UpperGain: r.Upper, Recovered: r.Recovered,
		Notes: texts(r.Notes), Warnings: texts(r.Warnings), Seconds: r.Seconds, c: r,
	}
	score := func(s compare.Score) MethodScore {
		return MethodScore{
			Name: s.Name, Role: string(s.Role), Values: s.Values, Mean: s.Mean, SD: s.SD,
			Difference: Gain(s.Difference), Seconds: s.Seconds, P: math.NaN(), HeldOutP: math.NaN(),
			Classes: metricsOf(pipeline.Metrics{Class: s.Class}).Classification,
		}
	}
	out.Constant, out.Auto = score(r.Constant), score(r.Auto)
	for _, s := range r.Methods {
		m := score(s)
		for _, test := range r.Permutation.Tests {
			if test.Method == s.Name {
				m.Tested, m.P = true, test.Holm
			}
		}
		for _, test := range r.HeldOut {
			if test.Method == s.Name {
				m.HeldOutP = test.Holm
			}
		}
		for _, g := range s.Gains {
			if m.Gains == nil {
				m.Gains = map[string]Gain{}
			}
			m.Gains[g.Over] = Gain(g.Interval)
		}
		out.Methods = append(out.Methods, m)
	}
	for _, s := range r.Controls {
		out.Controls = append(out.Controls, score(s))
	}
	return out
}

// MarshalJSON writes the comparison as rvfl compare --json does; a number that there is not is null.
func (c *Comparison) MarshalJSON() ([]byte, error) { return json.Marshal(c.c) }
