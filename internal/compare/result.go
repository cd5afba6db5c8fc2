package compare

import (
	"math"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/metric"
	"rvflplus/internal/target"
)

// Verdict is the answer of a comparison.
type Verdict string

const (
	Helps Verdict = "helps"
	Hurts Verdict = "hurts"
	// Open says that there is evidence, but no gain that a user would have; see Comparison.Reason.
	Open       Verdict = "open"
	NoEvidence Verdict = "no evidence"
)

// level is the largest p-value that counts as evidence, with room for the rounding of Holm's products.
const level = 0.05 * (1 + 1e-12)

// Comparison is the answer to whether privileged columns help, and the numbers that the answer rests on. Differences
// and gains are signed so that positive is better.
type Comparison struct {
	Verdict Verdict
	Reason  string     // the evidence, a sentence
	Advice  fault.Text // what to do next, a sentence or two

	Baseline string // of the methods without privileged columns, the one leave-one-out prefers
	Best     string // of the methods with them, the one that the advice is about: if they help, the largest gain
	// Strongest is the method with them whose test has the smallest adjusted p-value.
	Strongest string
	LeftOut   string     // what leaves together when rows are left out: "rows" alone, "groups", "blocks" of time
	Groups    int        // the number of groups or blocks, 0 without
	Assumes   fault.Text // what the verdict takes for granted

	Task                 target.Task
	Metric               string // a name of search.Measures; scores of classes are fractions
	Greater              bool   // greater values of the metric are better
	Rows                 int
	Features, Privileged int // columns
	Splits               int
	TrainRows, TestRows  int // of a split
	Seed                 uint64
	Methods              []Score
	// Difference is the gain on held-out rows, in the metric. Inside each split leave-one-out chooses a privileged
	// method and a plain one, and the two are compared.
	Difference Interval
	// ControlVariate is the same gain where the metric is rmse, estimated with a control variate: the part of the
	// held-out rows' noise that the privileged columns tell of is taken out of the targets first. No expected
	// difference of squared errors changes by this, and the estimate becomes less noisy. The verdict does not look at
	// it. In another metric it equals Difference.
	ControlVariate Interval
	// Constant is the predictor that knows no column: the largest class, or the mean. OverConstant is the gain of the
	// baseline chosen in each split over it, Loss the loss of that baseline's mean: see Options.LeastGain.
	Constant     Score
	OverConstant Interval
	Loss         float64
	// Auto is what training without flags makes of the normal columns, on the first splits; without Values where it is
	// not measured.
	Auto      Score
	Data      string  // what stands before the flags of a command in Advice
	LeastGain float64 // the share of Loss below which a gain whose interval holds 0 does not count
	// Recovered is the share of the upper bound's gain that is reached with privileged columns in training only; NaN
	// where the upper bound does not gain.
	Recovered float64
	// Upper is the mean gain of the upper bound that leave-one-out chooses; NaN without one.
	Upper float64
	// Controls are "shuffled" and "noise": the method of the permutation test that leave-one-out chooses when the
	// residuals of the privileged columns are shuffled, and when noise stands in for the columns. "permuted METHOD" is
	// a method that is judged on held-out rows when the rows of the privileged columns are in random order.
	Controls    []Score
	Permutation Permutation
	HeldOut     []HeldOutTest // of the privileged methods in closed form that Permutation does not test
	Notes       []fault.Text  // what was decided or left out
	Warnings    []fault.Text  // the data may not be what it seems
	Seconds     float64
}

// Spell words the parameters in the advice, the notes and the warnings as s does.
func (c *Comparison) Spell(s fault.Speller) {
	c.Advice, c.Assumes = fault.Plain(c.Advice.Spell(s)), fault.Plain(c.Assumes.Spell(s))
	for _, texts := range [][]fault.Text{c.Notes, c.Warnings} {
		for i, t := range texts {
			texts[i] = fault.Plain(t.Spell(s))
		}
	}
}

// Control is the role of a privileged method whose privileged columns know nothing of the target beyond the normal
// ones.
const Control Role = "control"

// Score is one method on the held-out rows.
type Score struct {
	Name       string
	Role       Role
	Values     []float64 // of each split; nil for an upper bound that cannot be had
	Mean, SD   float64
	Difference Interval // from the chosen baseline of each split
	// Gains are those of a privileged method in closed form over each such baseline and over Auto; nil for others.
	Gains   []Gain
	Seconds float64 // to tune and train, on average
	// Class are a classification's scores, means over the splits: of areas over those where there is one. Of Baseline
	// and Best it also has the classes, their scores (but areas) and the confusion matrix: of the test rows of all
	// splits, in which a row of the table stands as often as it was held out. Nil of a regression.
	Class *metric.Classification
}

// Gain is the gain over a baseline on held-out rows, paired over the splits.
type Gain struct {
	Over string
	Interval
}

// HeldOutTest is the test of a method whose gain permuted residuals cannot show, on held-out rows.
type HeldOutTest struct {
	Method string
	// P is the largest of the one-sided p-values of the corrected resampled t-test: that the method is better than each
	// baseline, and than itself with the rows of the privileged columns permuted. Holm is P adjusted for the number of
	// methods, those of the permutation test included.
	P, Holm float64
	// ControlGains says that the method gains, significantly, when the rows are permuted too: the gain is then none of
	// the privileged columns, and does not count.
	ControlGains bool
}

// conclude puts the result together.
func (r *run) conclude() *Comparison {
	first := r.parts[0]
	c := &Comparison{
		Task: r.all.Coder().Task, Metric: r.metric.Name, Greater: r.metric.Greater, Rows: r.rows, Splits: r.Splits,
		TrainRows: first.trainRows, TestRows: first.testRows,
		LeftOut: r.leftOut(), Groups: r.groups, Assumes: r.assumes(),
		Features: len(r.data.Roles.Normal), Privileged: len(r.data.Roles.Priv), Seed: r.config.Seed,
		Data: r.Data, LeastGain: r.LeastGain, Permutation: r.permutation, Notes: r.notes, Warnings: r.warnings,
	}
	if r.rows > r.Rows {
		c.Notes = append(c.Notes, fault.Textf("tuned and trained on at most %d of %d rows; %s takes more, at a cost "+
			"that grows with N³", r.Rows, r.rows, fault.Set("rows", "N")))
	}
	if first.held.Priv == nil {
		c.Notes = append(c.Notes, fault.Textf("no upper bound: some rows have no privileged values"))
	}
	for j, m := range r.methods {
		own := func(p *part) outcome { return p.methods[j] }
		s := r.score(m.Name, m.Role, own)
		if m.Closed && m.Role == Privileged {
			s.Gains = r.gains(own)
		}
		c.Methods = append(c.Methods, s)
	}
	for k, name := range r.controls() {
		c.Controls = append(c.Controls, r.score(name, Control, func(p *part) outcome { return p.controls[k] }))
	}
	c.HeldOut = r.heldOutTests(c)
	r.besides(c)
	privileged := func(p *part) outcome { o, _ := r.chosen(p, Privileged); return o }
	c.Difference = r.difference(r.parts, privileged, onTest)
	c.ControlVariate = r.difference(r.parts, privileged, func(o outcome) float64 { return o.denoised })
	c.Upper, c.Recovered = math.NaN(), math.NaN()
	upper := func(p *part) outcome { o, _ := r.chosen(p, UpperBound); return o }
	if _, has := r.chosen(first, UpperBound); has {
		c.Upper = r.difference(r.parts, upper, onTest).Mean
		if c.Upper > 0 {
			c.Recovered = c.Difference.Mean / c.Upper
		}
	}
	c.conclude()
	r.countClasses(c)
	return c
}

// score gathers the outcomes of one method over the splits.
func (r *run) score(name string, role Role, of func(*part) outcome) Score {
	return r.scoreOf(r.parts, name, role, of)
}

func (r *run) scoreOf(parts []*part, name string, role Role, of func(*part) outcome) Score {
	s := Score{Name: name, Role: role, Mean: math.NaN(), SD: math.NaN()}
	for _, p := range parts {
		o := of(p)
		if math.IsNaN(o.value) {
			return s
		}
		s.Values = append(s.Values, o.value)
		s.Seconds += o.seconds / float64(len(parts))
	}
	s.Mean, s.SD = meanSD(s.Values)
	s.Difference = r.difference(parts, of, onTest)
	s.Class = classMeans(parts, of)
	return s
}

// onTest is the metric on the test rows.
func onTest(o outcome) float64 { return o.value }

// difference returns the interval of a method's gain in a metric over the chosen baseline of each split.
func (r *run) difference(parts []*part, of func(*part) outcome, value func(outcome) float64) Interval {
	return r.over(parts, of, func(p *part) outcome { base, _ := r.chosen(p, Baseline); return base }, value)
}

// over returns the interval of a method's gain in a metric over another method, on at least two splits.
func (r *run) over(parts []*part, of, other func(*part) outcome, value func(outcome) float64) Interval {
	sign := -1.0 // of metrics whose smaller values are better
	if r.metric.Greater {
		sign = 1
	}
	var gains []float64
	for _, p := range parts {
		gains = append(gains, sign*(value(of(p))-value(other(p)))+0) // 0, not -0
	}
	return CorrectedInterval(gains, parts[0].trainRows, parts[0].testRows)
}

// gains returns a method's gain over each baseline in closed form.
func (r *run) gains(of func(*part) outcome) []Gain {
	var gains []Gain
	for j, m := range r.methods {
		if m.Closed && m.Role == Baseline {
			base := func(p *part) outcome { return p.methods[j] }
			gains = append(gains, Gain{m.Name, r.over(r.parts, of, base, onTest)})
		}
	}
	return gains
}

// heldOutTests tests the methods that are judged on held-out rows.
func (r *run) heldOutTests(c *Comparison) []HeldOutTest {
	var tests []HeldOutTest
	controls := r.controls()
	for j, m := range r.methods {
		if !m.judgedHeldOut() {
			continue
		}
		k := slices.Index(controls, controlOf(m.Name))
		own := func(p *part) outcome { return p.methods[j] }
		test := HeldOutTest{Method: m.Name, ControlGains: c.Controls[k].Difference.Low > 0,
			P: r.over(r.parts, own, func(p *part) outcome { return p.controls[k] }, onTest).greater()}
		for _, g := range c.Methods[j].Gains {
			test.P = max(test.P, g.greater())
		}
		tests = append(tests, test)
	}
	return tests
}
