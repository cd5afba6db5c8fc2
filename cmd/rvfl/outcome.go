package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"

	"rvflplus/internal/pipeline"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// settingsWidth is where the settings of a method are wrapped.
const settingsWidth = 56

// printOutcome writes what training tried and kept, and what the privileged columns were worth.
func (a *app) printOutcome(m *pipeline.Model) {
	o := m.Report.Outcome
	t := a.newTextTable()
	t.SetColumnConfigs(numbersRight(3, 4))
	t.AppendHeader(table.Row{"method", "privileged", "loss by " + o.Left, "weight", "settings"})
	for _, c := range o.Candidates {
		privileged, weight := "", ""
		if c.Privileged {
			privileged = "yes"
		}
		if c.Weight > 0 {
			weight = digits3(c.Weight)
		}
		t.AppendRow(table.Row{c.Name, privileged, withError(c.Loss, c.SE), weight, settingsText(c)})
	}
	t.SuppressEmptyColumns()
	t.Render()
	fmt.Fprintf(a.stdout, "\n%s\n", strings.Join(outcomeSentences(o, m), "\n"))
}

// outcomeSentences says what was kept, what a loss is, and what the privileged columns were worth.
func outcomeSentences(o *learn.Outcome, m *pipeline.Model) []string {
	privileged := func(c learn.Candidate) bool { return c.Privileged }
	tried := slices.ContainsFunc(o.Candidates, privileged)
	used := slices.ContainsFunc(o.Candidates, func(c learn.Candidate) bool { return c.Privileged && c.Weight > 0 })
	sentences := []string{"  Kept: " + keptText(o) + ".", "  A loss is the mean squared error of " + lossText(m) + "."}
	add := func(format string, args ...any) { sentences = append(sentences, "  "+fmt.Sprintf(format, args...)) }
	switch {
	case o.Growth > 1:
		add("Settings were chosen on a sample of %d rows. On all rows C is %s times as large.", o.Rows,
			digits3(o.Growth))
	case o.Growth > 0:
		add("Settings were chosen on a sample of %d rows. On all rows no larger C is better.", o.Rows)
	}
	if with, without := lossOf(o, "label"), lossOf(o, "projected"); o.Unlabelled > 0 && with > 0 && without > 0 {
		add("With the %d rows without a target the loss of label is %s, without them %s.",
			o.Unlabelled, digits4(with), digits4(without))
	}
	if n := o.Nested; n != nil {
		add("The losses above chose the settings and are therefore too good. On rows that had no part in choosing\n"+
			"  the loss is %s; that of tuned is %s (%s).",
			withError(n.Loss, n.SE), withError(n.Tuned, n.TunedSE), n.How)
	}
	if o.Nested == nil && o.Chosen != "stack" {
		add("The losses chose the settings and are therefore too good. The default, without -m, tests its choice too.")
	}
	switch {
	case tried && !used:
		add("The model does not use the privileged columns: no method with them was better by enough to be trusted.")
	case tried && o.Nested != nil:
		add("%s", worth(o.Nested))
	}
	return sentences
}

// lossOf returns the loss of the candidate of a name, 0 if there is none.
func lossOf(o *learn.Outcome, name string) float64 {
	for _, c := range o.Candidates {
		if c.Name == name {
			return c.Loss
		}
	}
	return 0
}

// keptText names what was kept.
func keptText(o *learn.Outcome) string {
	if o.Chosen != "stack" {
		return o.Chosen
	}
	var parts []string
	for _, c := range o.Candidates {
		if c.Weight > 0 && c.Name != "stack" {
			parts = append(parts, fmt.Sprintf("%s × %s", digits3(c.Weight), c.Name))
		}
	}
	return fmt.Sprintf("the stack %s (kappa %s)", strings.Join(parts, " + "), digits3(o.Kappa))
}

// lossText says what a loss is the mean squared error of.
func lossText(m *pipeline.Model) string {
	switch {
	case m.Coder.Task == target.Classification && m.Coder.Outputs() == 1:
		return "scores for rows left out (1 is right for one class, -1 for the other)"
	case m.Coder.Task == target.Classification:
		return "scores for rows left out (1 is right for the row's class, 0 for the others)"
	case m.Coder.Outputs() > 1:
		return "predictions for rows left out, each target in units of its standard deviation"
	}
	return "predictions for rows left out"
}

// worth says what the privileged columns were worth, on rows that had no part in choosing.
func worth(n *learn.Nested) string {
	change := "smaller"
	if n.Gain < 0 {
		change = "larger"
	}
	amount := fmt.Sprintf("%.1f ± %.1f %% %s", 100*math.Abs(n.Gain)/n.Averaged, 100*n.GainSE/n.Averaged, change)
	switch {
	case n.Gain > 2*n.GainSE:
		return "The privileged columns help: the loss is " + amount + " than that of averaged."
	case n.Gain < -2*n.GainSE:
		return "The privileged columns do harm: the loss is " + amount + " than that of averaged. Leave them out."
	}
	return "Whether the privileged columns help cannot be told from these rows: the loss is " + amount +
		"\n  than that of averaged."
}

func withError(v, se float64) string {
	if se < 1e-9*math.Abs(v) {
		se = 0 // rounding
	}
	return digits4(v) + " ± " + digits2(se)
}

func digits2(v float64) string { return fmt.Sprintf("%.2g", v) }
func digits3(v float64) string { return fmt.Sprintf("%.3g", v) }
func digits4(v float64) string { return fmt.Sprintf("%.4g", v) }

// settingsText words the settings of a candidate, and how many were tried where the budget ended.
func settingsText(c learn.Candidate) string {
	var parts []string
	for _, s := range c.Settings {
		if c.Name == "averaged" { // names of ridge regressions with their weights
			parts = append(parts, s.Value+" × "+s.Name)
		} else {
			parts = append(parts, s.Name+" "+s.Value)
		}
	}
	if c.Tried < c.Of {
		parts = append(parts, fmt.Sprintf("budget: %d of %d settings tried", c.Tried, c.Of))
	}
	return wrapped(parts)
}

// wrapped joins parts to lines of at most settingsWidth columns where no part is longer.
func wrapped(parts []string) string {
	var text string
	width := 0
	for i, part := range parts {
		n := utf8.RuneCountInString(part) + 2
		switch {
		case i == 0:
		case width+n > settingsWidth:
			text, width = text+",\n", 0
		default:
			text += ", "
		}
		text, width = text+part, width+n
	}
	return text
}
