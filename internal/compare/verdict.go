package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/target"
)

// conclude chooses the methods that the verdict is about, and sets the verdict, the reason and the advice.
func (c *Comparison) conclude() {
	least := math.Inf(1)
	for _, t := range c.Permutation.plain {
		if t.loss < least {
			c.Baseline, least = t.method, t.loss
		}
	}
	c.adjust()
	var strongest, best evidence
	for _, e := range c.evidence() {
		if strongest.method == "" || e.before(strongest) {
			strongest = e
		}
		if (e.significant() || e.method == "stack") && (best.method == "" || e.gain > best.gain) {
			best = e
		}
	}
	c.Strongest, c.Best = strongest.method, strongest.method
	if strongest.significant() && strongest.permuted {
		c.Best = best.method
	}
	c.judge(strongest, best)
	c.Advice = c.advice()
}

// formsWeight is the share of the level that the forms of the correction have in common, where other methods are tested
// too. The permutation test of these forms finds gains in few rows, other tests seldom do.
const formsWeight = 0.7

// adjust sets the p-values of all tests that are adjusted for their number. The forms of the correction are one test,
// whose statistic is the largest T of them: a form reaches what any of them reaches by chance. Holm's rule, with
// weights, adjusts this test and those of the other methods.
func (c *Comparison) adjust() {
	tests, forms := c.Permutation.Tests, c.Permutation.forms()
	reached := c.Permutation.byTheLargest(forms)
	var ps, weights []float64
	if forms != nil {
		ps, weights = append(ps, slices.Min(reached)), append(weights, formsWeight)
	}
	var others []*float64
	add := func(p float64, adjusted *float64) {
		ps, others = append(ps, p), append(others, adjusted)
		weights = append(weights, (1-formsWeight)/float64(c.Tests()-len(forms)))
	}
	for j := range tests {
		if !tests[j].form {
			add(tests[j].P, &tests[j].Holm)
		}
	}
	for j := range c.HeldOut {
		add(c.HeldOut[j].P, &c.HeldOut[j].Holm)
	}
	adjusted, factor := Holm(ps, weights)
	for k, j := range forms {
		tests[j].Holm = min(1, max(adjusted[0], factor[0]*reached[k]))
	}
	for k, dst := range others {
		*dst = adjusted[len(adjusted)-len(others)+k]
	}
}

// forms returns the numbers of the tests of forms of the correction.
func (p *Permutation) forms() []int {
	var forms []int
	for j, t := range p.Tests {
		if t.form {
			forms = append(forms, j)
		}
	}
	return forms
}

// byTheLargest returns the p-value of each of some tests when the largest of their statistics in each permutation
// counts (Westfall and Young, Resampling-Based Multiple Testing, 1993, section 2.3).
func (p *Permutation) byTheLargest(tests []int) []float64 {
	largest := slices.Repeat([]float64{math.Inf(-1)}, p.Rounds)
	for _, j := range tests {
		for b, v := range p.Tests[j].Null {
			largest[b] = max(largest[b], v)
		}
	}
	var ps []float64
	for _, j := range tests {
		ps = append(ps, permutationP(p.Tests[j].Statistic, largest))
	}
	return ps
}

// evidence is what is known of a privileged method.
type evidence struct {
	method   string
	permuted bool    // its p-value is that of the permutation test
	holm     float64 // the adjusted p-value
	counts   bool    // a small p-value counts for the privileged columns
	gain     float64 // on held-out rows over the baseline chosen in each split
}

func (e evidence) significant() bool { return e.holm <= level && e.counts }

// before reports whether e is stronger than other: whether it is significant, then by the p-value, then by the gain.
func (e evidence) before(other evidence) bool {
	if e.significant() != other.significant() {
		return e.significant()
	}
	if e.holm != other.holm {
		return e.holm < other.holm
	}
	return e.gain > other.gain
}

// evidence lists what is known of the privileged methods in closed form.
func (c *Comparison) evidence() []evidence {
	var all []evidence
	for _, s := range c.Methods {
		if t, tested := c.test(s.Name); tested {
			all = append(all, evidence{s.Name, true, t.Holm, t.Statistic > 0, s.Difference.Mean})
		}
		if t, tested := c.heldOutTest(s.Name); tested {
			all = append(all, evidence{s.Name, false, t.Holm, !t.ControlGains, s.Difference.Mean})
		}
	}
	return all
}

// Reached returns how many of the permuted statistics are at least as large as the observed one.
func (t Test) Reached() int { return reached(t.Statistic, t.Null) }

// StrongestTest returns the permutation test of Strongest, or, if Strongest is not in it, of the method with the
// smallest p-value; an empty one where no method is tested.
func (c *Comparison) StrongestTest() Test {
	if t, tested := c.test(c.Strongest); tested {
		return t
	}
	var strongest Test
	for _, t := range c.Permutation.Tests {
		if strongest.Method == "" || t.P < strongest.P {
			strongest = t
		}
	}
	return strongest
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

// StrongestP returns the adjusted p-value of Strongest.
func (c *Comparison) StrongestP() float64 {
	if t, tested := c.heldOutTest(c.Strongest); tested {
		return t.Holm
	}
	return c.StrongestTest().Holm
}

// judge sets the verdict and the reason. strongest has the smallest p-value; best has the largest gain on held-out rows
// of the significant methods and the stack, which mixes them.
func (c *Comparison) judge(strongest, best evidence) {
	how := "permutation test"
	if !strongest.permuted {
		how = "held-out rows"
	}
	if n := c.Tests(); n != 1 {
		how += fmt.Sprintf(", adjusted for %d methods", n)
	}
	p := fmt.Sprintf("p = %s for %s (%s)", short(strongest.holm), strongest.method, how)
	c.Verdict = NoEvidence
	switch {
	case strongest.significant() && strongest.permuted && best.gain > 0:
		c.Verdict = Helps
		c.Reason = fmt.Sprintf("Leave-one-out gains more than with permuted residuals, %s, and %s predicts held-out "+
			"rows better: %s.", p, best.method, c.gains(best.method))
	case strongest.significant() && !strongest.permuted:
		c.Verdict = Helps
		c.Reason = fmt.Sprintf("Held-out rows are predicted better, %s: %s.", p, c.gains(strongest.method))
	case c.Difference.High < 0:
		c.Verdict = Hurts
		c.Reason = fmt.Sprintf("Held-out rows are predicted worse by %s when leave-one-out chooses a method with "+
			"privileged columns (95 %% interval %s to %s).",
			c.amount(-c.Difference.Mean), c.amount(-c.Difference.High), c.amount(-c.Difference.Low))
	case strongest.significant():
		c.Reason = fmt.Sprintf("Leave-one-out gains, %s, but held-out rows are not predicted better by such a method "+
			"or by a stack: %s at best.", p, c.gains(best.method))
	case strongest.holm <= level && !strongest.permuted:
		c.Reason = fmt.Sprintf("%s gains on held-out rows, %s, but with the rows of the privileged columns permuted "+
			"too.", strongest.method, p)
	case strongest.holm <= level:
		c.Reason = fmt.Sprintf("Leave-one-out does not gain over the best method without privileged columns, though "+
			"%s loses less than with permuted residuals, p = %s.", strongest.method, short(strongest.holm))
	default:
		c.Reason = fmt.Sprintf("No method gains more than chance allows: the smallest p-value is %s.", p)
	}
	if doubt := c.doubt(); c.Verdict == Helps && doubt != "" {
		c.Verdict, c.Reason = Open, fmt.Sprintf("The privileged columns seem to know something, %s, but %s.", p, doubt)
	}
}

// doubt says why a gain of Best is none that a user would have, "" where nothing speaks against it. Where the models
// without privileged columns are no better than the constant predictor, the gain over the constant predictor counts.
func (c *Comparison) doubt() string {
	gain := c.BestGain()
	if over, known := c.bestOver(Constant); known && c.OverConstant.Mean <= 0 {
		both := fmt.Sprintf("held-out rows are predicted no better by the models without them than by a constant (%s, "+
			"constant %s), and by %s ", c.Number(c.lossAsMetric()), c.Number(c.Constant.Mean), c.Best)
		switch {
		case over.Mean <= 0:
			return both + "neither"
		case over.Low <= 0 && c.Task == target.Classification: // a constant is easily matched by chance
			return both + "not surely: " + c.Range(over)
		}
		gain = over
	}
	if gain.Low <= 0 && gain.Mean < c.LeastGain*c.Loss {
		return fmt.Sprintf("the gain on held-out rows is below %s %% of the baseline's loss, and may be 0: %s",
			short(100*c.LeastGain), c.Range(gain))
	}
	if over, known := c.bestOver(Auto); known && over.Mean < -over.standardError(len(c.Auto.Values)) {
		return fmt.Sprintf("a mixture of several kernels with learned widths is better without them: %s gains %s "+
			"over it on %d splits", c.Best, c.Gain(over.Mean)+c.unit(), len(c.Auto.Values))
	}
	return ""
}

// bestOver returns the gain of Best over a predictor, and whether it is known.
func (c *Comparison) bestOver(name string) (Interval, bool) {
	for _, s := range c.Methods {
		for _, g := range s.Gains {
			if s.Name == c.Best && g.Over == name {
				return g.Interval, true
			}
		}
	}
	return Interval{}, false
}

// lossAsMetric returns the metric of the baseline that is chosen in each split.
func (c *Comparison) lossAsMetric() float64 {
	if c.Greater {
		return 1 - c.Loss
	}
	return c.Loss
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
		return fault.Textf("Train %s on all rows (rvfl train %s %s -o model.rvfl)", kind, c.Data,
			fault.Set("kind", kind))
	}
	with := fault.Set("correction", correction)
	if c.isDefault() {
		return fault.Textf("Train %s with %s, tuned on all rows (rvfl tune %s %s %s -o model.rvfl)",
			kind, with, c.Data, fault.Set("kind", kind), with)
	}
	return fault.Textf("Train %s with %s, tuned on all rows (rvfl tune %s %s %s %s -o model.rvfl)",
		kind, with, c.Data, fault.Set("kind", kind), with, fault.Set("score", c.Metric))
}

// trainBaseline words how to train Baseline.
func (c *Comparison) trainBaseline() fault.Text {
	return fault.Textf("Train %s without the privileged columns (rvfl train %s %s -o model.rvfl)", c.Baseline, c.Data,
		fault.Set("kind", c.Baseline))
}

// advice says what to do next.
func (c *Comparison) advice() fault.Text {
	train, plain := c.train(), c.trainBaseline()
	switch {
	case c.Verdict == Helps && c.Upper > 2*c.BestGain().Mean:
		return fault.Textf("%s. Most of what the privileged columns know is still lost: having them at prediction "+
			"would gain %s, so see whether they can be had then.", train, c.amount(c.Upper))
	case c.Verdict == Helps:
		return fault.Textf("%s.", train)
	case c.Verdict == Open:
		return fault.Textf("Let training choose among methods with and without the privileged columns (rvfl train %s "+
			"-o model.rvfl), and compare again with more rows.", c.Data)
	case c.Verdict == Hurts:
		return fault.Textf("%s.", plain)
	case math.IsNaN(c.Upper):
		return fault.Textf("%s; compare again with more rows.", plain)
	case c.Upper <= max(0, c.LeastGain*c.Loss):
		return fault.Textf("%s. Even a model that sees them when it predicts is no better, or hardly, so they seem to "+
			"know nothing that the normal columns do not.", plain)
	}
	return fault.Textf("%s for now. The columns do know something: a model that sees them when it predicts is better "+
		"by %s. Have them at prediction, or compare again with more rows.", plain, c.amount(c.Upper))
}
