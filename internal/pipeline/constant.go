package pipeline

import (
	"context"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/internal/rng"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// worseThanConstant returns a warning when a model does no better than a constant: by
// leave-one-out where there is one, else on the rows it was trained on. The warning names a
// setting that does better on the same rows, if one was found.
func (t *training) worseThanConstant(ctx context.Context) ([]fault.Text, error) {
	m, on := t.model.Report.Train.Metrics, "the training rows"
	if t.model.Report.LeaveOneOut != nil {
		m, on = t.model.Report.LeaveOneOut.Metrics, "rows left out"
	}
	bar := t.bar(t.truth)
	if bar.beatenBy(m) {
		return nil, nil
	}
	remedy, err := t.remedy(ctx)
	if err != nil {
		return nil, err
	}
	if m.Number != nil {
		return []fault.Text{fault.Textf("on %s the predictions are worse than the target's mean (R² = %.3g); %s", on,
			m.Number.R2, remedy)}, nil
	}
	if bar.balanced {
		return []fault.Text{fault.Textf("on %s the predictions are no better than always one class (balanced accuracy "+
			"%.3g, of one class %.3g); %s", on, m.Class.BalancedAccuracy, bar.score, remedy)}, nil
	}
	return []fault.Text{fault.Textf("on %s the predictions are no better than always the most frequent class "+
		"(accuracy %.3g, its share %.3g); %s", on, m.Class.Accuracy, bar.score, remedy)}, nil
}

// bar is what predictions of classes have to beat: the accuracy of always the most frequent class, or the balanced
// accuracy of always one class where classes are weighed.
type bar struct {
	score    float64
	balanced bool
}

// bar returns the bar for rows, those of t.truth or some of them.
func (t *training) bar(rows truth) bar {
	if t.model.Coder.Task != target.Classification {
		return bar{}
	}
	shares := rows.shares()
	if t.classWeights == nil {
		return bar{score: slices.Max(shares)}
	}
	occur := 0
	for _, s := range shares {
		if s > 0 {
			occur++
		}
	}
	return bar{1 / float64(occur), true}
}

// beatenBy reports whether predictions are better than a constant: not worse than the target's mean, or better than
// always one class.
func (b bar) beatenBy(m Metrics) bool {
	switch {
	case m.Number != nil:
		return m.Number.R2 >= 0
	case b.balanced:
		return m.Class.BalancedAccuracy > b.score
	}
	return m.Class.Accuracy > b.score
}

// mostTriedOn is the number of rows on which remedies are tried; of more, a sample is drawn.
const mostTriedOn = 1000

// remedy returns a sentence about the first of some settings, tried on rows left out, that does better than a constant.
func (t *training) remedy(ctx context.Context) (fault.Text, error) {
	p := &Prepared{t}
	problem, rows := p.Problem(), rng.New(t.Seed, "remedy").Perm(t.data.Rows)
	if rows = rows[:min(len(rows), mostTriedOn)]; len(rows) < t.data.Rows {
		problem = problem.Only(rows)
	} else {
		slices.Sort(rows)
	}
	var folds heldout.Folds // nil leaves every row out alone
	if !t.kind.ClosedForm {
		folds = everyFifth(len(rows))
	}
	e, err := heldout.New(problem, folds)
	if err != nil {
		return fault.Text{}, nil // rows of which none can be left out
	}
	bar := t.bar(t.truth.only(rows))
	for _, settings := range t.remedies() {
		metrics, err := p.tried(ctx, e, settings, rows)
		if ctx.Err() != nil {
			return fault.Text{}, ctx.Err()
		}
		if err != nil || !bar.beatenBy(metrics) {
			continue
		}
		name, value := "R²", 0.0
		switch {
		case metrics.Number != nil:
			value = metrics.Number.R2
		case bar.balanced:
			name, value = "balanced accuracy", metrics.Class.BalancedAccuracy
		default:
			name, value = "accuracy", metrics.Class.Accuracy
		}
		return fault.Textf("%s has %s %.3g on %s", joined(settings), name, value, t.triedOn(len(rows))), nil
	}
	constant := "the mean"
	if t.truth.labels != nil {
		constant = "the most frequent class"
	}
	return fault.Textf("no setting that was tried on %s beats %s", t.triedOn(len(rows)), constant), nil
}

// triedOn words the rows that remedies are tried on.
func (t *training) triedOn(rows int) string {
	if rows == t.data.Rows {
		return "the same rows"
	}
	return fault.Textf("%d of the same rows", rows).String()
}

// everyFifth returns five folds of rows, or as many as there are rows.
func everyFifth(rows int) heldout.Folds {
	folds := make(heldout.Folds, min(5, rows))
	for i := range rows {
		folds[i%len(folds)] = append(folds[i%len(folds)], i)
	}
	return folds
}

// remedies lists the settings to try, each the config with some values changed: first those that change the least.
func (t *training) remedies() [][]fault.Setting {
	has := func(p param.Param) bool { return t.kind.Has(p) }
	set := func(name fault.Name, v float64) fault.Setting { return fault.Set(name, param.FormatNumber(v)) }
	var out [][]fault.Setting
	if has(param.Correction) && t.Correction != learn.Projected {
		out = append(out, []fault.Setting{fault.Set("correction", string(learn.Projected))})
	}
	if t.Solver == "pinv" {
		out = append(out, []fault.Setting{fault.Set("solver", "auto")})
	}
	less, more := set("C", t.C/100), set("C", t.C*100)
	if len(t.kind.Chosen) > 0 { // it has chosen already
		plain := fault.Set("kind", "krvfl")
		return [][]fault.Setting{{plain}, {plain, less}, {plain, more}}
	}
	if has(param.Gamma) {
		out = append(out, []fault.Setting{set("gamma", t.Gamma*1000)})
	}
	out = append(out, []fault.Setting{less}, []fault.Setting{more}, []fault.Setting{set("C", t.C/1e4)})
	if t.kind.Plain != "" {
		plain := fault.Set("kind", t.kind.Plain)
		out = append(out, []fault.Setting{plain}, []fault.Setting{plain, less}, []fault.Setting{plain, more})
	}
	return out
}

// joined words settings that belong together.
func joined(settings []fault.Setting) fault.Text {
	format, args := "%s", []any{settings[0]}
	for _, s := range settings[1:] {
		format, args = format+" %s", append(args, s)
	}
	return fault.Textf(format, args...)
}

// tried scores the config with other settings on the rows that e leaves out. rows are all rows of e.
func (p *Prepared) tried(
	ctx context.Context, e *heldout.Evaluator, settings []fault.Setting, rows []int,
) (Metrics, error) {
	c := p.t.Config
	var err error
	for _, s := range settings {
		if s.Name != "kind" {
			if err := param.ByName(string(s.Name)).SetText(&c, s.Value); err != nil {
				return Metrics{}, err
			}
			continue
		}
		c.Kind = s.Value
		if e, err = e.WithPriv(nil); err != nil {
			return Metrics{}, err
		}
	}
	outputs, err := p.HeldOut(ctx, e, c)
	if err != nil {
		return Metrics{}, err
	}
	return p.Truth().Score(outputs[0], learn.Gather(rows, e.Held()))
}
