package compare

import (
	"fmt"
	"math"
	"slices"
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
	someSignificant := slices.ContainsFunc(c.Permutation.Tests, Test.significant)
	most := math.Inf(-1)
	for _, t := range c.Permutation.Tests {
		if t.Statistic > most && t.significant() == someSignificant {
			c.Best, most = t.Method, t.Statistic
		}
	}
	c.judge()
	c.Advice = c.advice()
}

// significant reports whether the method gains, and more than permuted residuals do.
func (t Test) significant() bool { return t.Holm <= level && t.Statistic > 0 }

// Reached returns how many of the permuted statistics are at least as large as the observed one.
func (t Test) Reached() int { return reached(t.Statistic, t.Null) }

// BestTest returns the permutation test of Best.
func (c *Comparison) BestTest() Test {
	t, _ := c.test(c.Best)
	return t
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

// judge sets the verdict and the reason.
func (c *Comparison) judge() {
	t, gain := c.BestTest(), c.Difference.Mean
	adjusted, signed := "", c.amount(gain)
	if n := len(c.Permutation.Tests); n != 1 {
		adjusted = fmt.Sprintf(", Holm-adjusted for %d methods", n)
	}
	if gain > 0 {
		signed = "+" + signed
	}
	evidence := fmt.Sprintf("p = %s for %s (permutation test%s)", short(t.Holm), t.Method, adjusted)
	c.Verdict = NoEvidence
	switch {
	case t.significant() && gain > 0:
		c.Verdict = Helps
		c.Reason = fmt.Sprintf("Leave-one-out gains more than with permuted residuals, %s, and held-out rows are "+
			"predicted better by %s.", evidence, c.amount(gain))
	case c.Difference.High < 0:
		c.Verdict = Hurts
		c.Reason = fmt.Sprintf("Held-out rows are predicted worse by %s when leave-one-out chooses a method with "+
			"privileged columns (95 %% interval %s to %s).",
			c.amount(-gain), c.amount(-c.Difference.High), c.amount(-c.Difference.Low))
	case t.significant():
		c.Reason = fmt.Sprintf("Leave-one-out gains, %s, but held-out rows are not predicted better (%s).",
			evidence, signed)
	case t.Holm <= level:
		c.Reason = fmt.Sprintf("Leave-one-out does not gain over the best method without privileged columns, though "+
			"%s loses less than with permuted residuals, p = %s.", t.Method, short(t.Holm))
	default:
		c.Reason = fmt.Sprintf("Leave-one-out gains no more than it may with permuted residuals, %s.", evidence)
	}
}

// advice says what to do next.
func (c *Comparison) advice() fault.Text {
	kind, correction, _ := strings.Cut(c.Best, ":")
	with := fault.Set("correction", correction)
	train := fault.Textf("Train %s with %s, tuned on all rows (rvfl tune %s %s)",
		kind, with, fault.Set("kind", kind), with)
	switch {
	case c.Verdict == Helps && c.Upper > 2*c.Difference.Mean:
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
