package compare

import (
	"fmt"
	"strconv"
	"strings"
)

// MetricName returns the metric's name for people.
func (c *Comparison) MetricName() string {
	if c.Metric == "rmse" {
		return "RMSE"
	}
	return c.Metric
}

// Number writes a value of the metric: percent, or four digits.
func (c *Comparison) Number(v float64) string {
	if c.Metric == "accuracy" {
		return strconv.FormatFloat(100*v, 'f', 1, 64) + " %"
	}
	return fmt.Sprintf("%.4g", v)
}

// Gain writes a difference of the metric with its sign, positive for better.
func (c *Comparison) Gain(v float64) string {
	if c.Metric == "accuracy" {
		return fmt.Sprintf("%+.1f", 100*v)
	}
	return fmt.Sprintf("%+.3g", v)
}

// Bounds writes the ends of an interval.
func (c *Comparison) Bounds(v Interval) string {
	return "[" + c.Gain(v.Low) + ", " + c.Gain(v.High) + "]"
}

// Range writes an interval with its unit.
func (c *Comparison) Range(v Interval) string {
	unit := " of RMSE"
	if c.Metric == "accuracy" {
		unit = " points of accuracy"
	}
	return c.Gain(v.Mean) + unit + ", 95 % interval " + c.Bounds(v)
}

// PValue writes the adjusted p-value of a method, "" if it was not tested.
func (c *Comparison) PValue(method string) string {
	for _, t := range c.Permutation.Tests {
		if t.Method == method {
			return fmt.Sprintf("%.3f", t.Holm)
		}
	}
	return ""
}

// PNote tells of p-values that do not count, because the method, though better than with
// permuted residuals, is no better than the best one without privileged columns; "" if
// there are none.
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
	return fmt.Sprintf("p of %s does not count: better than with permuted residuals, but %s has the smaller leave-one-out loss.", strings.Join(names, ", "), c.Baseline)
}
