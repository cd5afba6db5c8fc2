package repro

import (
	"math"
	"strconv"
	"strings"

	"rvflplus/internal/search"
)

const none = "–" // where there is no number

// The metrics of experiments.
const (
	accuracy = "accuracy" // percent
	rmse     = "rmse"
	points   = "points" // percent of rows classified rightly, or of the targets' variance explained
)

// scale is the factor from scores, whose accuracies are shares, to the metric.
func (e *Experiment) scale() float64 {
	if e.Metric == accuracy || e.Metric == points {
		return 100
	}
	return 1
}

// unit is the short name of the metric.
func (e *Experiment) unit() string {
	if e.Metric == rmse {
		return "RMSE"
	}
	return "%"
}

// quantity is the name of the metric.
func (e *Experiment) quantity() string {
	if e.Metric == rmse {
		return "RMSE"
	}
	return "Accuracy in percent"
}

// greater reports whether greater values are better.
func (e *Experiment) greater() bool { return e.Metric != rmse }

// better reports whether a is better than b; NaN is worse than everything else.
func (e *Experiment) better(a, b float64) bool {
	return search.Score{Greater: e.greater()}.Better(a, b)
}

// number writes a value to the paper's digits: two of an accuracy, three of an RMSE.
func (e *Experiment) number(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return none
	case math.Abs(v) >= 1e5:
		return decimal(v, 3)
	case e.Metric == rmse:
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// spread writes a value and its standard deviation, if there is one.
func (e *Experiment) spread(v, sd float64) string {
	if math.IsNaN(sd) || sd == 0 {
		return e.number(v)
	}
	return e.number(v) + " ± " + e.number(sd)
}

// paper writes a number as the paper does; its RMSE have two to three digits.
func (e *Experiment) paper(p *Published) string {
	switch {
	case p == nil:
		return none
	case e.Metric == rmse:
		return strconv.FormatFloat(p.Value, 'f', -1, 64)
	}
	return e.spread(p.Value, p.SD)
}

// seconds writes a time to two digits, whole seconds to all.
func seconds(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return none
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return decimal(v, 2)
}

// decimal writes so many significant digits, without an exponent where that is short.
func decimal(v float64, digits int) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if math.Abs(rounded) >= 1e7 || rounded != 0 && math.Abs(rounded) < 1e-5 {
		return strconv.FormatFloat(rounded, 'g', -1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// time writes the training time of a cell, or the limit that ended the cell before its first trial.
func (c *Cell) time() string {
	if c.Limit > 0 && len(c.Trials) == 0 {
		return "> " + strconv.FormatFloat(c.Limit, 'f', -1, 64)
	}
	return seconds(c.Seconds())
}

// printedTime writes the paper's time.
func (p *Published) printedTime() string {
	switch {
	case p == nil || math.IsNaN(p.Seconds):
		return none
	case p.Over:
		return "> " + strconv.FormatFloat(p.Seconds, 'f', -1, 64)
	}
	return strconv.FormatFloat(p.Seconds, 'f', -1, 64)
}

// setting writes the value of a hyper-parameter.
func setting(v float64) string { return decimal(v, 4) }

// enumerate joins words: "a", "a and b", "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// plural writes a number and a noun: "1 cell", "2 cells".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// finite returns a pointer to a number that JSON can hold, nil for NaN and infinities.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
