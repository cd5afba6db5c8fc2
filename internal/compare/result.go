package compare

import (
	"math"

	"rvflplus/fault"
	"rvflplus/internal/target"
)

// Verdict is the answer of a comparison.
type Verdict string

const (
	Helps      Verdict = "helps"
	Hurts      Verdict = "hurts"
	NoEvidence Verdict = "no evidence"
)

// level is the largest p-value that counts as evidence, with room for the rounding of
// Holm's products.
const level = 0.05 * (1 + 1e-12)

// Comparison is the answer to whether privileged columns help, and what it rests on.
// Differences and gains are signed so that positive is better.
type Comparison struct {
	Verdict Verdict
	Reason  string     // what the verdict rests on, a sentence
	Advice  fault.Text // what to do next, a sentence or two

	Baseline string // of the methods without privileged columns, the one leave-one-out prefers
	Best     string // of those with them; of the significant ones, if there are any

	Task                 target.Task
	Metric               string // "accuracy", a fraction, or "rmse"
	Rows                 int
	Features, Privileged int // columns
	Splits               int
	TrainRows, TestRows  int // of a split
	Seed                 uint64
	Methods              []Score
	// Difference is that between the privileged and the plain method that leave-one-out
	// chooses inside each split, on held-out rows, in the metric.
	Difference Interval
	// Denoised is the same in a regression when the part of the held-out rows' noise that
	// the privileged columns tell of is taken out of their targets first: this changes no
	// expected difference of squared errors, and makes it less noisy. The verdict does
	// not look at it. In a classification it equals Difference.
	Denoised Interval
	// Recovered is the share of the upper bound's gain that is reached with privileged
	// columns in training only; NaN where the upper bound does not gain.
	Recovered float64
	// Upper is the mean gain of the upper bound that leave-one-out chooses; NaN without one.
	Upper       float64
	Controls    []Control
	Permutation Permutation
	Notes       []fault.Text // what was decided or left out
	Warnings    []fault.Text // the data may not be what it seems
	Seconds     float64
}

// Spell words the parameters in the advice, the notes and the warnings as s does.
func (c *Comparison) Spell(s fault.Speller) {
	c.Advice = fault.Plain(c.Advice.Spell(s))
	for _, texts := range [][]fault.Text{c.Notes, c.Warnings} {
		for i, t := range texts {
			texts[i] = fault.Plain(t.Spell(s))
		}
	}
}

// Score is one method on the held-out rows.
type Score struct {
	Name       string
	Role       Role
	Values     []float64 // of each split; nil for an upper bound that cannot be had
	Mean, SD   float64
	Difference Interval // from the chosen baseline of each split
	Seconds    float64  // to tune and train, on average
}

// Control is the privileged method that leave-one-out chooses when the privileged
// features know nothing of the target beyond the normal ones.
type Control struct {
	Name       string // "shuffled" residuals or "noise"
	Values     []float64
	Mean, SD   float64
	Difference Interval
}

// conclude puts the result together.
func (r *run) conclude() *Comparison {
	first := r.parts[0]
	c := &Comparison{
		Task: r.all.Coder().Task, Metric: "accuracy", Rows: r.rows, Splits: r.Splits, TrainRows: first.trainRows, TestRows: first.testRows,
		Features: len(r.data.Roles.Normal), Privileged: len(r.data.Roles.Priv), Seed: r.config.Seed,
		Permutation: r.permutation, Notes: r.notes, Warnings: r.warnings,
	}
	if c.Task == target.Regression {
		c.Metric = "rmse"
	}
	c.Notes = append(c.Notes, r.limits()...)
	for j := range r.methods {
		c.Methods = append(c.Methods, r.score(j))
	}
	c.Difference = r.difference(func(p *part) float64 { o, _ := r.chosen(p, Privileged); return o.value })
	c.Denoised = r.denoised()
	c.Controls = []Control{
		r.controlScore("shuffled", func(p *part) float64 { return p.shuffled.value }),
		r.controlScore("noise", func(p *part) float64 { return p.noise.value }),
	}
	c.Upper, c.Recovered = math.NaN(), math.NaN()
	if _, has := r.chosen(first, UpperBound); has {
		c.Upper = r.difference(func(p *part) float64 { o, _ := r.chosen(p, UpperBound); return o.value }).Mean
		if c.Upper > 0 {
			c.Recovered = c.Difference.Mean / c.Upper
		}
	}
	c.name(r)
	c.judge()
	return c
}

// limits says what was not used.
func (r *run) limits() []fault.Text {
	var notes []fault.Text
	if r.rows > r.Rows {
		notes = append(notes, fault.Textf("tuned and trained on at most %d of %d rows; %s takes more, at a cost that grows with N³",
			r.Rows, r.rows, fault.Set("rows", "N")))
	}
	if r.parts[0].held.Priv == nil {
		notes = append(notes, fault.Textf("no upper bound: some rows have no privileged values"))
	}
	return notes
}

// sign is +1 where larger values of the metric are better, else -1.
func (r *run) sign() float64 {
	if r.all.Coder().Task == target.Classification {
		return 1
	}
	return -1
}

// difference returns the interval of the gain over the chosen baseline.
func (r *run) difference(value func(*part) float64) Interval {
	var gains []float64
	for _, p := range r.parts {
		base, _ := r.chosen(p, Baseline)
		gains = append(gains, r.sign()*(value(p)-base.value)+0) // 0, not -0
	}
	return CorrectedInterval(gains, r.parts[0].trainRows, r.parts[0].testRows)
}

// denoised returns the gain of the chosen privileged method with the known noise of
// the held-out rows taken out.
func (r *run) denoised() Interval {
	var gains []float64
	for _, p := range r.parts {
		base, _ := r.chosen(p, Baseline)
		priv, _ := r.chosen(p, Privileged)
		gains = append(gains, r.sign()*(priv.denoised-base.denoised)+0)
	}
	return CorrectedInterval(gains, r.parts[0].trainRows, r.parts[0].testRows)
}

func (r *run) score(j int) Score {
	s := Score{Name: r.methods[j].Name, Role: r.methods[j].Role, Mean: math.NaN(), SD: math.NaN()}
	for _, p := range r.parts {
		o := p.methods[j]
		if math.IsNaN(o.value) {
			return s
		}
		s.Values = append(s.Values, o.value)
		s.Seconds += o.seconds / float64(r.Splits)
	}
	s.Mean, s.SD = meanSD(s.Values)
	s.Difference = r.difference(func(p *part) float64 { return p.methods[j].value })
	return s
}

func (r *run) controlScore(name string, value func(*part) float64) Control {
	c := Control{Name: name, Difference: r.difference(value)}
	for _, p := range r.parts {
		c.Values = append(c.Values, value(p))
	}
	c.Mean, c.SD = meanSD(c.Values)
	return c
}
