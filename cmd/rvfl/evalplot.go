package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"rvflplus/blas"
	"rvflplus/internal/metric"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/report"
	"rvflplus/internal/target"
)

const (
	mostDots      = 4000 // rows of a regression that are drawn
	mostTargets   = 6    // targets of a regression that are drawn
	finestStep    = 1e-3 // the least distance of two points of a curve
	calibrateBins = 10
)

// drawEvaluation draws curves of classes, or the predictions of a regression.
func drawEvaluation(ctx context.Context, path, title string, m *pipeline.Model, e *pipeline.Evaluation) error {
	if e.Task == target.Classification {
		return writePicture(ctx, path, curvesOf(title, m, e))
	}
	return writePicture(ctx, path, predictionsOf(title, m, e))
}

// curvesOf returns the curves of the second of two classes, or of each of several.
func curvesOf(title string, m *pipeline.Model, e *pipeline.Evaluation) *report.Charts {
	classes := drawnClasses(e)
	roc := report.Chart{Name: "ROC curve", X: "false positive rate", Y: "true positive rate", Unit: true,
		Rules: []report.Rule{{X1: 1, Y1: 1}}}
	pr := report.Chart{Name: "precision-recall curve", X: "recall", Y: "precision", Unit: true}
	calibration := report.Chart{Name: "calibration", X: "probability", Y: "share of rows of the class", Unit: true,
		Rules: []report.Rule{{X1: 1, Y1: 1}}}
	v := &report.Charts{Title: title, Note: "a dot is the model's decision"}
	for colour, k := range classes {
		name := m.Coder.Classes[k]
		own := e.Metrics.Class.PerClass[name]
		v.Names = append(v.Names, fmt.Sprintf("%s: %s rows", printable(name), digits(own.Rows)))
		sweep := e.Classes.Sweep(k)
		if own.ROCAUC != nil {
			line := report.ChartLine{Colour: colour, X: []float64{0}, Y: []float64{0}}
			for _, s := range sweep.Steps {
				addPoint(&line, s.False/sweep.Negative, s.True/sweep.Positive)
			}
			endAt(&line, 1, 1)
			roc.Lines = append(roc.Lines, line)
			falsely := own.Predicted - *own.Recall*own.Rows
			roc.Dots = append(roc.Dots, dot(colour, max(0, falsely)/sweep.Negative, *own.Recall))
		}
		if own.PRAUC != nil {
			pr.Lines = append(pr.Lines, precisionSteps(colour, sweep))
			if share := sweep.Positive / (sweep.Positive + sweep.Negative); len(classes) == 1 {
				pr.Rules = append(pr.Rules, report.Rule{Y0: share, X1: 1, Y1: share})
			}
			if own.Precision != nil {
				pr.Dots = append(pr.Dots, dot(colour, *own.Recall, *own.Precision))
			}
		}
		if e.Classes.Probable {
			line := report.ChartLine{Colour: colour}
			for _, b := range e.Classes.Calibration(k, calibrateBins) {
				line.X, line.Y = append(line.X, b.Mean), append(line.Y, b.Share)
				size := 1.5 + 4.5*math.Sqrt(b.Rows/(sweep.Positive+sweep.Negative))
				calibration.Dots = append(calibration.Dots,
					report.ChartDots{Colour: colour, Size: size, X: []float64{b.Mean}, Y: []float64{b.Share}})
			}
			calibration.Lines = append(calibration.Lines, line)
		}
	}
	v.Charts = []report.Chart{roc, pr}
	if e.Classes.Probable {
		v.Charts = append(v.Charts, calibration)
		v.Note += fmt.Sprintf("; of the calibration, one of %d ranges of probability, larger for more rows",
			calibrateBins)
	} else {
		v.Note += "; there is no calibration, because the scores are no probabilities"
	}
	if n := len(m.Coder.Classes); n > len(classes) && n > 2 {
		v.Note += fmt.Sprintf("; the %d classes of most rows of %d", len(classes), n)
	}
	return v
}

// precisionSteps returns the steps whose area is the average precision.
func precisionSteps(colour int, sweep metric.Sweep) report.ChartLine {
	line, recall, precision := report.ChartLine{Colour: colour}, 0.0, 0.0
	for _, s := range sweep.Steps {
		if next := s.True / sweep.Positive; next > recall {
			precision = s.True / (s.True + s.False)
			addPoint(&line, recall, precision)
			recall = next
			addPoint(&line, recall, precision)
		}
	}
	endAt(&line, 1, precision)
	return line
}

// drawnClasses returns the second of two classes, or those of most rows in the model's order.
func drawnClasses(e *pipeline.Evaluation) []int {
	n := e.Classes.Values.Cols
	if n == 2 {
		return []int{1}
	}
	var classes []int
	for k := range n {
		classes = append(classes, k)
	}
	rows := func(k int) float64 { return e.Metrics.Class.PerClass[e.Metrics.Class.Classes[k]].Rows }
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(rows(b), rows(a)) })
	classes = classes[:min(n, report.MaxColours)]
	slices.Sort(classes)
	return classes
}

func dot(colour int, x, y float64) report.ChartDots {
	return report.ChartDots{Colour: colour, Size: 3.5, X: []float64{x}, Y: []float64{y}}
}

// addPoint adds a point that is not too near to the last one.
func addPoint(l *report.ChartLine, x, y float64) {
	if n := len(l.X); n > 0 && math.Abs(x-l.X[n-1]) < finestStep && math.Abs(y-l.Y[n-1]) < finestStep {
		return
	}
	l.X, l.Y = append(l.X, x), append(l.Y, y)
}

// endAt makes a line end at a point.
func endAt(l *report.ChartLine, x, y float64) { l.X, l.Y = append(l.X, x), append(l.Y, y) }

// predictionsOf returns predicted against true values, and residuals, of the first targets.
func predictionsOf(title string, m *pipeline.Model, e *pipeline.Evaluation) *report.Charts {
	v := &report.Charts{Title: title}
	step := (e.Rows + mostDots - 1) / mostDots
	if step > 1 {
		v.Note = fmt.Sprintf("one of %d rows is drawn", step)
	}
	names := m.Coder.Names
	for j, name := range names[:min(len(names), mostTargets)] {
		dots := report.ChartDots{Size: 1.6}
		residuals := report.ChartDots{Size: 1.6}
		low, high := math.Inf(1), math.Inf(-1)
		for i := 0; i < e.Rows; i += step {
			truth, predicted := blas.Row(e.Truth, i)[j], blas.Row(e.Predicted, i)[j]
			dots.X, dots.Y = append(dots.X, truth), append(dots.Y, predicted)
			residuals.X, residuals.Y = append(residuals.X, predicted), append(residuals.Y, truth-predicted)
			low, high = min(low, truth, predicted), max(high, truth, predicted)
		}
		residualRule := report.Rule{X0: slices.Min(residuals.X), X1: slices.Max(residuals.X)}
		v.Charts = append(v.Charts,
			report.Chart{Name: printable(name), X: "true value", Y: "predicted value", Dots: []report.ChartDots{dots},
				Rules: []report.Rule{{X0: low, Y0: low, X1: high, Y1: high}}},
			report.Chart{Name: "residuals of " + printable(name), X: "predicted value", Y: "true − predicted",
				Dots: []report.ChartDots{residuals}, Rules: []report.Rule{residualRule}})
	}
	if n := len(names); n > mostTargets {
		v.Note += fmt.Sprintf("; the first %d of %d targets", mostTargets, n)
	}
	return v
}
