package compare

import (
	"fmt"
	"math"
	"strings"

	"rvflplus/fault"
)

// conclude chooses the two methods that the verdict is about, and sets the verdict, the reason and the advice.
func (c *Comparison) conclude() {
	least := math.Inf(1)
	for _, t := range c.Permutation.plain {
		if t.loss < least {
			c.Baseline, least = t.method, t.loss
		}
	}
	c.adjust()
	var best evidence
	for _, e := range c.evidence() {
		if best.method == "" || e.before(best) {
			best = e
		}
	}
	c.Best = best.method
	c.judge(best)
	c.Advice = c.advice()
}

// adjust sets the p-values of all tests that are adjusted for their number.
func (c *Comparison) adjust() {
	var ps []float64
	for _, t := range c.Permutation.Tests {
		ps = append(ps, t.P)
	}
	for _, t := range c.HeldOut {
		ps = append(ps, t.P)
	}
	adjusted := Holm(ps)
	for k := range c.Permutation.Tests {
		c.Permutation.Tests[k].Holm = adjusted[k]
	}
	for k := range c.HeldOut {
		c.HeldOut[k].Holm = adjusted[len(c.Permutation.Tests)+k]
	}
}

// evidence is what is known of a privileged method.
type evidence struct {
	method    string
	permuted  bool    // its p-value is that of the permutation test
	holm      float64 // the adjusted p-value
	counts    bool    // a small p-value counts for the privileged columns
	better    bool    // than every baseline on held-out rows, on average
	gain      float64 // on held-out rows over the chosen baseline
	statistic float64 // T of the permutation test
}

// helps reports whether the evidence suffices.
func (e evidence) helps() bool { return e.significant() && e.better }

func (e evidence) significant() bool { return e.holm <= level && e.counts }

// before reports whether e is stronger than other: whether it suffices, then, where it does, by the gain, and else by
// the p-value and the gain.
func (e evidence) before(other evidence) bool {
	if e.helps() != other.helps() {
		return e.helps()
	}
	if !e.helps() && e.holm != other.holm {
		return e.holm < other.holm
	}
	return e.gain > other.gain
}

// evidence lists what is known of the privileged methods in closed form.
func (c *Comparison) evidence() []evidence {
	var all []evidence
	for _, s := range c.Methods {
		e := evidence{method: s.Name, better: s.better(), gain: s.Difference.Mean}
		if t, tested := c.test(s.Name); tested {
			e.permuted, e.holm, e.counts, e.statistic = true, t.Holm, t.Statistic > 0, t.Statistic
			all = append(all, e)
		}
		if t, tested := c.heldOutTest(s.Name); tested {
			e.holm, e.counts = t.Holm, !t.ControlGains
			all = append(all, e)
		}
	}
	return all
}

// Reached returns how many of the permuted statistics are at least as large as the observed one.
func (t Test) Reached() int { return reached(t.Statistic, t.Null) }

// BestTest returns the permutation test of Best, or, if Best is not in it, of the method with the smallest p-value;
// an empty one where no method is tested.
func (c *Comparison) BestTest() Test {
	if t, tested := c.test(c.Best); tested {
		return t
	}
	var best Test
	for _, t := range c.Permutation.Tests {
		if best.Method == "" || t.P < best.P {
			best = t
		}
	}
	return best
}

// test returns the permutation test of a method, and whether there is one.
func (c *Comparison) test(method string) (Test, bool) {
	for _, t := range c.Permutation.Tests {
		if t.Method == method {
			return t, true
		}
	}
	return Test{}, false
}

// heldOutTest returns the test of a method on held-out rows, and whether there is one.
func (c *Comparison) heldOutTest(method string) (HeldOutTest, bool) {
	for _, t := range c.HeldOut {
		if t.Method == method {
			return t, true
		}
	}
	return HeldOutTest{}, false
}

// Tests returns the number of methods that are tested, for which the p-values are adjusted.
func (c *Comparison) Tests() int { return len(c.Permutation.Tests) + len(c.HeldOut) }

// BestGain returns the gain of Best on held-out rows, over the baseline that leave-one-out chooses in each split.
func (c *Comparison) BestGain() Interval {
	for _, s := range c.Methods {
		if s.Name == c.Best {
			return s.Difference
		}
	}
	return Interval{}
}

// BestP returns the adjusted p-value of Best.
func (c *Comparison) BestP() float64 {
	if t, tested := c.heldOutTest(c.Best); tested {
		return t.Holm
	}
	return c.BestTest().Holm
}

// judge sets the verdict and the reason.
func (c *Comparison) judge(best evidence) {
	how := "permutation test"
	if !best.permuted {
		how = "held-out rows"
	}
	if n := c.Tests(); n != 1 {
		how += fmt.Sprintf(", Holm-adjusted for %d methods", n)
	}
	p := fmt.Sprintf("p = %s for %s (%s)", short(best.holm), best.method, how)
	c.Verdict = NoEvidence
	switch {
	case best.helps() && best.permuted:
		c.Verdict = Helps
		c.Reason = fmt.Sprintf("Leave-one-out gains more than with permuted residuals, %s, and held-out rows are "+
			"predicted better: %s.", p, c.gains(best.method))
	case best.helps():
		c.Verdict = Helps
		c.Reason = fmt.Sprintf("Held-out rows are predicted better, %s: %s.", p, c.gains(best.method))
	case c.Difference.High < 0:
		c.Verdict = Hurts
		c.Reason = fmt.Sprintf("Held-out rows are predicted worse by %s when leave-one-out chooses a method with "+
			"privileged columns (95 %% interval %s to %s).",
			c.amount(-c.Difference.Mean), c.amount(-c.Difference.High), c.amount(-c.Difference.Low))
	case best.significant():
		c.Reason = fmt.Sprintf("Leave-one-out gains, %s, but held-out rows are not predicted better than by every "+
			"method without privileged columns: %s.", p, c.gains(best.method))
	case best.holm <= level && !best.permuted:
		c.Reason = fmt.Sprintf("%s gains on held-out rows, %s, but with the rows of the privileged columns permuted "+
			"too.", best.method, p)
	case best.holm <= level:
		c.Reason = fmt.Sprintf("Leave-one-out does not gain over the best method without privileged columns, though "+
			"%s loses less than with permuted residuals, p = %s.", best.method, short(best.holm))
	default:
		c.Reason = fmt.Sprintf("No method gains more than chance allows: the smallest p-value is %s.", p)
	}
}

// gains words the gains of a method over every baseline.
func (c *Comparison) gains(method string) string {
	var words []string
	for _, s := range c.Methods {
		for _, g := range s.Gains {
			if s.Name == method {
				words = append(words, fmt.Sprintf("%s%s over %s", c.Gain(g.Mean), c.unit(), g.Over))
			}
		}
	}
	return strings.Join(words, ", ")
}

// train words how to train Best.
func (c *Comparison) train() fault.Text {
	kind, correction, corrects := strings.Cut(c.Best, ":")
	if !corrects {
		return fault.Textf("Train %s on all rows (rvfl train %s)", kind, fault.Set("kind", kind))
	}
	with := fault.Set("correction", correction)
	return fault.Textf("Train %s with %s, tuned on all rows (rvfl tune %s %s)",
		kind, with, fault.Set("kind", kind), with)
}

// advice says what to do next.
func (c *Comparison) advice() fault.Text {
	train := c.train()
	switch {
	case c.Verdict == Helps && c.Upper > 2*c.BestGain().Mean:
		return fault.Textf("%s. Most of what the privileged columns know is still lost: having them at prediction "+
			"would gain %s, so see whether they can be had then.", train, c.amount(c.Upper))
	case c.Verdict == Helps:
		return fault.Textf("%s.", train)
	case c.Verdict == Hurts:
		return fault.Textf("Train %s and leave the privileged columns out.", c.Baseline)
	case math.IsNaN(c.Upper):
		return fault.Textf("Train %s without the privileged columns; compare again with more rows.", c.Baseline)
	case c.Upper <= 0:
		return fault.Textf("Train %s without the privileged columns: even a model that sees them when it predicts is "+
			"no better, so they seem to know nothing that the normal columns do not.", c.Baseline)
	}
	return fault.Textf("Train %s without the privileged columns for now. They do know something: a model that sees "+
		"them when it predicts is better by %s. Have them at prediction, or compare again with more rows.",
		c.Baseline, c.amount(c.Upper))
}
