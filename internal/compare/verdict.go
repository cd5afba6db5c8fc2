package compare

import (
	"fmt"
	"math"
	"rvflplus/fault"
	"strings"
)

// name chooses the two methods that the verdict is about.
func (c *Comparison) name(r *run) {
	least := math.Inf(1)
	for _, t := range r.permutation.plain {
		if t.loss < least {
			c.Baseline, least = t.method, t.loss
		}
	}
	significant := false
	for _, t := range c.Permutation.Tests {
		significant = significant || t.significant()
	}
	most := math.Inf(-1)
	for _, t := range c.Permutation.Tests {
		if t.Statistic > most && (t.significant() || !significant) {
			c.Best, most = t.Method, t.Statistic
		}
	}
}

// significant reports whether the method gains, and more than permuted residuals do.
func (t Test) significant() bool { return t.Holm <= level && t.Statistic > 0 }

// BestTest returns the permutation test of Best.
func (c *Comparison) BestTest() Test {
	for _, t := range c.Permutation.Tests {
		if t.Method == c.Best {
			return t
		}
	}
	return Test{}
}

// judge sets the verdict, the reason and the advice.
func (c *Comparison) judge() {
	t, gain := c.BestTest(), c.Difference.Mean
	evidence := fmt.Sprintf("p = %s for %s (permutation test%s)", short(t.Holm), t.Method, adjusted(len(c.Permutation.Tests)))
	switch {
	case t.significant() && gain > 0:
		c.Verdict = Helps
		c.Reason = fmt.Sprintf("Leave-one-out gains more than with permuted residuals, %s, and held-out rows are predicted better by %s.", evidence, c.Amount(gain))
	case c.Difference.High < 0:
		c.Verdict = Hurts
		c.Reason = fmt.Sprintf("Held-out rows are predicted worse by %s when leave-one-out chooses a method with privileged columns (95 %% interval %s to %s).",
			c.Amount(-gain), c.Amount(-c.Difference.High), c.Amount(-c.Difference.Low))
	case t.significant():
		c.Verdict = NoEvidence
		c.Reason = fmt.Sprintf("Leave-one-out gains, %s, but held-out rows are not predicted better (%s).", evidence, c.signed(gain))
	case t.Holm <= level:
		c.Verdict = NoEvidence
		c.Reason = fmt.Sprintf("Leave-one-out does not gain over the best method without privileged columns, though %s loses less than with permuted residuals, p = %s.", t.Method, short(t.Holm))
	default:
		c.Verdict = NoEvidence
		c.Reason = fmt.Sprintf("Leave-one-out gains no more than it may with permuted residuals, %s.", evidence)
	}
	c.Advice = c.advice()
}

func adjusted(methods int) string {
	if methods == 1 {
		return ""
	}
	return fmt.Sprintf(", Holm-adjusted for %d methods", methods)
}

func (c *Comparison) advice() fault.Text {
	kind, correction, _ := strings.Cut(c.Best, ":")
	with := fault.Set("correction", correction)
	train := fault.Textf("Train %s with %s, tuned on all rows (rvfl tune %s %s)", kind, with, fault.Set("kind", kind), with)
	switch {
	case c.Verdict == Helps && c.Upper > 2*c.Difference.Mean:
		return fault.Textf("%s. Most of what the privileged columns know is still lost: having them at prediction would gain %s, "+
			"so see whether they can be had then.", train, c.Amount(c.Upper))
	case c.Verdict == Helps:
		return fault.Textf("%s.", train)
	case c.Verdict == Hurts:
		return fault.Textf("Train %s and leave the privileged columns out.", c.Baseline)
	case math.IsNaN(c.Upper):
		return fault.Textf("Train %s without the privileged columns; compare again with more rows.", c.Baseline)
	case c.Upper <= 0:
		return fault.Textf("Train %s without the privileged columns: even a model that sees them when it predicts is no better, "+
			"so they seem to know nothing that the normal columns do not.", c.Baseline)
	}
	return fault.Textf("Train %s without the privileged columns for now. They do know something: a model that sees them when it "+
		"predicts is better by %s. Have them at prediction, or compare again with more rows.", c.Baseline, c.Amount(c.Upper))
}

// Amount writes a difference of the metric: percentage points, or the target's unit.
func (c *Comparison) Amount(v float64) string {
	if c.Metric == "accuracy" {
		return short(100*v) + " points of accuracy"
	}
	return short(v) + " of RMSE"
}

func (c *Comparison) signed(v float64) string {
	if v > 0 {
		return "+" + c.Amount(v)
	}
	return c.Amount(v)
}

// short writes three significant digits.
func short(v float64) string { return fmt.Sprintf("%.3g", v) }
