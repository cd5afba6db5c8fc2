package compare

import (
	"fmt"
	"slices"
	"strings"

	"rvflplus/internal/metric"
	"rvflplus/internal/search"
	"rvflplus/internal/target"
)

// TableRow is a line of the comparison's table: a method or a control.
type TableRow struct {
	Score
	Cells []string // one for each column that Table names
}

// Table returns the numbers of all methods that could be measured and of the controls, as texts below the headings
// columns. Who shows the table words the two columns before these: the method and what it sees.
func (c *Comparison) Table() (columns []string, rows []TableRow) {
	columns = []string{"test " + c.MetricName(), "sd", "gain", "95 % interval", "p", "p held out", "time"}
	for _, s := range c.scores() {
		if s.Values == nil {
			continue
		}
		cells := []string{c.Number(s.Mean), c.Number(s.SD), c.Gain(s.Difference.Mean), c.Bounds(s.Difference),
			"", "", ""}
		if s.Role != Control && s.Name != Constant && s.Name != Auto {
			cells[4], cells[5], cells[6] = c.PValue(s.Name), c.HeldOutP(s.Name), fmt.Sprintf("%.2f s", s.Seconds)
		}
		rows = append(rows, TableRow{s, cells})
	}
	return columns, rows
}

// ClassTable returns, for the rows of Table, the scores of classes but the metric itself; no columns of a regression.
func (c *Comparison) ClassTable() (columns []string, rows []TableRow) {
	if c.Task != target.Classification {
		return nil, nil
	}
	shown := slices.DeleteFunc(slices.Clone(classScores), func(s classScore) bool { return s.metric == c.Metric })
	for _, s := range shown {
		columns = append(columns, s.title)
	}
	for _, s := range c.scores() {
		if s.Values == nil || s.Class == nil {
			continue
		}
		row := TableRow{Score: s}
		for _, score := range shown {
			cell := "–"
			if v := score.of(s.Class); v != nil {
				cell = c.Number(*v)
			}
			row.Cells = append(row.Cells, cell)
		}
		rows = append(rows, row)
	}
	return columns, rows
}

// classScore is a column of ClassTable.
type classScore struct {
	title  string
	metric string // its name as Comparison.Metric, "" if that cannot be it
	of     func(*metric.Classification) *float64
}

var classScores = []classScore{
	{"accuracy", "accuracy", func(c *metric.Classification) *float64 { return &c.Accuracy }},
	{"balanced accuracy", "balanced-accuracy", func(c *metric.Classification) *float64 { return &c.BalancedAccuracy }},
	{"F1", "f1", func(c *metric.Classification) *float64 { return &c.F1 }},
	{"ROC AUC", "auc", func(c *metric.Classification) *float64 { return c.ROCAUC }},
	{"PR AUC", "", func(c *metric.Classification) *float64 { return c.PRAUC }},
}

// scores lists what the table has: the constant predictor and Auto stand around the baselines.
func (c *Comparison) scores() []Score {
	baselines := 0
	for baselines < len(c.Methods) && c.Methods[baselines].Role == Baseline {
		baselines++
	}
	return slices.Concat([]Score{c.Constant}, c.Methods[:baselines], []Score{c.Auto}, c.Methods[baselines:], c.Controls)
}

// AutoNote says what Auto is, "" where it is not measured.
func (c *Comparison) AutoNote() string {
	if c.Auto.Values == nil {
		return ""
	}
	return fmt.Sprintf("%s: what training without flags makes of the normal columns alone, several kernels and "+
		"learned widths of columns, on the first %d splits.", Auto, len(c.Auto.Values))
}

// MetricName returns the metric's name for people.
func (c *Comparison) MetricName() string {
	s, err := search.MeasureByName(c.Metric, c.Task)
	if err != nil {
		return c.Metric
	}
	return s.Title
}

// isDefault reports whether the metric is that of the task.
func (c *Comparison) isDefault() bool {
	s, err := search.MeasureByName("", c.Task)
	return err == nil && s.Name == c.Metric
}

// Fraction reports whether the metric is written in percent, and its differences in points: scores of classes are.
func (c *Comparison) Fraction() bool { return c.Task == target.Classification }

// Number writes a value of the metric: percent, or four digits.
func (c *Comparison) Number(v float64) string {
	if c.Fraction() {
		return fmt.Sprintf("%.1f %%", 100*v)
	}
	return fmt.Sprintf("%.4g", v)
}

// Gain writes a difference of the metric with its sign, positive for better: percentage points, or the unit of the
// target.
func (c *Comparison) Gain(v float64) string {
	if c.Fraction() {
		return fmt.Sprintf("%+.1f", 100*v)
	}
	return fmt.Sprintf("%+.3g", v)
}

// unit is the unit of Gain.
func (c *Comparison) unit() string {
	return " " + c.UnitName()
}

// UnitName is the unit of Gain in words.
func (c *Comparison) UnitName() string {
	if c.Fraction() {
		return "points of " + c.MetricName()
	}
	return "of " + c.MetricName()
}

// Bounds writes the ends of an interval.
func (c *Comparison) Bounds(v Interval) string {
	return "[" + c.Gain(v.Low) + ", " + c.Gain(v.High) + "]"
}

// Range writes a gain with its unit and its interval.
func (c *Comparison) Range(v Interval) string {
	return c.Gain(v.Mean) + c.unit() + ", 95 % interval " + c.Bounds(v)
}

// amount writes a difference of the metric with three digits and its unit, but with no sign where it is positive.
func (c *Comparison) amount(v float64) string {
	if c.Fraction() {
		v *= 100
	}
	return short(v) + c.unit()
}

// short writes three significant digits.
func short(v float64) string { return fmt.Sprintf("%.3g", v) }

// PValue writes the adjusted p-value of a method in the permutation test, "" if the method is not in it.
func (c *Comparison) PValue(method string) string {
	if t, tested := c.test(method); tested {
		return fmt.Sprintf("%.3f", t.Holm)
	}
	return ""
}

// HeldOutP writes the adjusted p-value of a method that is judged on held-out rows, "" for others.
func (c *Comparison) HeldOutP(method string) string {
	if t, tested := c.heldOutTest(method); tested {
		return fmt.Sprintf("%.3f", t.Holm)
	}
	return ""
}

// SmallestP returns the smallest adjusted p-value that the permutations allow.
func (c *Comparison) SmallestP() float64 {
	weight := 1.0
	switch forms := len(c.Permutation.forms()); {
	case forms == c.Tests():
	case forms > 0:
		weight = formsWeight
	default:
		weight = 1 / float64(c.Tests())
	}
	return 1 / (weight * float64(c.Permutation.Rounds+1))
}

// PNote names the methods whose small p-values do not count, "" if there are none. Such a method is better than with
// permuted residuals, but no better than the best one without privileged columns.
func (c *Comparison) PNote() string {
	var names []string
	for _, t := range c.Permutation.Tests {
		if t.Holm <= level && t.Statistic <= 0 {
			names = append(names, t.Method)
		}
	}
	if names == nil {
		return ""
	}
	return fmt.Sprintf("p of %s does not count: better than with permuted residuals, but %s has the smaller "+
		"leave-one-out loss.", strings.Join(names, ", "), c.Permutation.Baseline)
}
