package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"rvflplus/internal/pipeline"
	"rvflplus/learn"
)

// candidateNames words the methods for people.
var candidateNames = map[string]string{
	"constant": "constant", "tuned": "tuned, no privileged columns", "averaged": "averaged, no privileged columns",
	"projected": "projected", "label": "label", "distill": "distill", "transfer": "transfer", "weigh": "weigh",
	"stack": "stack, shrunk",
}

// printOutcome writes what training tried and chose, and what the privileged columns were worth.
func (a *app) printOutcome(m *pipeline.Model) {
	o := m.Report.Outcome
	t := a.newTextTable()
	t.SetColumnConfigs(numbersRight(2, 3))
	t.AppendHeader(table.Row{"tried", o.Left + " loss", "weight", "settings"})
	for _, c := range o.Candidates {
		weight := ""
		if c.Weight > 0 {
			weight = digits3(c.Weight)
		}
		t.AppendRow(table.Row{candidateNames[c.Name], withError(c.Loss, c.SE), weight, settingsText(c)})
	}
	t.Render()
	fmt.Fprintf(a.stdout, "\n%s\n\n", strings.Join(outcomeSentences(o), "\n"))
}

// outcomeSentences says what was kept and what the privileged columns were worth.
func outcomeSentences(o *learn.Outcome) []string {
	privileged := false
	for _, c := range o.Candidates {
		privileged = privileged || c.Privileged
	}
	kept := fmt.Sprintf("Kept: %s", candidateNames[o.Chosen])
	if o.Chosen == "stack" {
		kept += fmt.Sprintf(" (kappa %s)", digits3(o.Kappa))
	}
	sentences := []string{kept + "; losses are squared errors of the coded targets."}
	if o.Growth > 1 {
		sentences = append(sentences, fmt.Sprintf("On all rows C is %s times that of the sample.", digits3(o.Growth)))
	}
	if s := worthOfUnlabelled(o); s != "" {
		sentences = append(sentences, s)
	}
	n := o.Nested
	if n == nil {
		return sentences
	}
	sentences = append(sentences, fmt.Sprintf("On rows that had no part in choosing (%s): loss %s; tuned without "+
		"privileged columns %s.", n.How, withError(n.Loss, n.SE), withError(n.Tuned, n.TunedSE)))
	if privileged {
		sentences = append(sentences, worth(o))
	}
	return sentences
}

// worthOfUnlabelled says what rows without a target were worth to the method label by leave-one-out, "" without such
// rows.
func worthOfUnlabelled(o *learn.Outcome) string {
	loss := map[string]float64{}
	for _, c := range o.Candidates {
		loss[c.Name] = c.Loss
	}
	with, alone := loss["label"], loss["projected"]
	if o.Unlabelled == 0 || with == 0 || alone == 0 {
		return ""
	}
	return fmt.Sprintf("The %d rows without a target changed the loss of label by leave-one-out from %s to %s.",
		o.Unlabelled, digits4(alone), digits4(with))
}

// worth says what the privileged columns were worth, on rows that had no part in choosing.
func worth(o *learn.Outcome) string {
	n := o.Nested
	share := 100 * n.Gain / n.Averaged
	spread := 100 * n.GainSE / n.Averaged
	amount := fmt.Sprintf("%.1f ± %.1f %% of the loss of the averaged model without them", math.Abs(share), spread)
	switch {
	case n.Gain > 2*n.GainSE:
		return "The privileged columns were worth " + amount + "."
	case n.Gain < -2*n.GainSE:
		return "The privileged columns did harm: " + amount + ". Leave them out."
	}
	return fmt.Sprintf("The privileged columns were worth nothing that these rows can show (%+.1f ± %.1f %% of the "+
		"loss of the averaged model without them).", share, spread)
}

func withError(v, se float64) string { return digits4(v) + " ± " + digits2(se) }

func digits2(v float64) string { return fmt.Sprintf("%.2g", v) }
func digits3(v float64) string { return fmt.Sprintf("%.3g", v) }
func digits4(v float64) string { return fmt.Sprintf("%.4g", v) }

// settingsText words the settings of a candidate, and how many were tried where the budget ended.
func settingsText(c learn.Candidate) string {
	var parts []string
	for _, s := range c.Settings {
		parts = append(parts, s.Name+" "+s.Value)
	}
	if c.Tried < c.Of {
		parts = append(parts, fmt.Sprintf("(budget: %d of %d settings tried)", c.Tried, c.Of))
	}
	return strings.Join(parts, ", ")
}
