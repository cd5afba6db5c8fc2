package repro

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// chosen says how the settings of the methods that fit are chosen on a data set, "–" without such a method.
func chosen(v view, d *Dataset, fits func(*Method) bool) string {
	var texts []string
	for i := range v.e.Methods {
		m := &v.e.Methods[i]
		if !fits(m) {
			continue
		}
		j := v.job(d, m)
		text := fmt.Sprintf("%d on %s", j.draws(), thousands(j.choiceRows()))
		if j.choosesOnce() && !d.Once {
			text += ", once"
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return cmp.Or(strings.Join(texts, " or "), none)
}

func (c *committedResults) tuningTable() string {
	t := table{Names: 2, Head: []string{
		"data", "choices", "training rows", "folds", "KRVFL, KRVFL+", "RVFL, RVFL+",
		"SVM, SVR, Fast SVM+, CVX-SVM+", "MAT-SVM+, gSMO-SVM+",
	}}
	at := map[string]int{}
	for _, name := range []string{"table2", "table4", "table6", "table7", "table8"} {
		for _, protocol := range []string{PublishedName, OursName} {
			v := c.view(name, protocol)
			for i := range v.e.Datasets {
				d := &v.e.Datasets[i]
				once := "in each trial"
				if d.Once {
					once = "once"
				}
				folds := strconv.Itoa(d.Folds)
				line := []slot{stack(d.Name), stack(once), stack(thousands(d.Train)), stack(folds),
					stack(chosen(v, d, func(m *Method) bool { return m.kind().ClosedForm && m.kind().Kernels })),
					stack(chosen(v, d, func(m *Method) bool { return m.kind().ClosedForm && !m.kind().Kernels })),
					stack(chosen(v, d, func(m *Method) bool { return !m.kind().ClosedForm && m.ChosenWith == "" })),
					stack(chosen(v, d, func(m *Method) bool { return m.ChosenWith != "" })),
				}
				key := fmt.Sprint(line[1:])
				k, found := at[key]
				if !found {
					k = len(t.Rows)
					at[key], t.Rows = k, append(t.Rows, line)
				}
				group, _, _ := strings.Cut(d.Name, ", ")
				if names := t.Rows[k][0].Lines[0]; !slices.Contains(strings.Split(names, ", "), group) {
					t.Rows[k][0] = stack(names + ", " + group)
				}
			}
		}
	}
	return tableText(t)
}

func (c *committedResults) ranges() string {
	t := table{Names: 2, Head: []string{"hyper-parameter", "of", "from", "to", "neighbours within a factor of"}}
	at := map[string]int{}
	for _, name := range []string{"table4", "table6"} {
		for i := range c.of(name).Experiment.Methods {
			m := &c.of(name).Experiment.Methods[i]
			if m.Ours && m.Name != "KRVFL" {
				continue
			}
			for _, d := range m.kind().Tuned {
				word := map[string]string{"width": "width τ", "priv_width": "width τ", "gamma": "γ", "epsilon": "ε"}
				key := cmp.Or(word[d.About().Key()], d.About().Key())
				line := []slot{stack(key), stack(m.Name), stack(setting(d.Low)), stack(setting(d.High)),
					stack(decimal(math.Pow(d.High/d.Low, rule.Within), 2))}
				whole := fmt.Sprint(line[0], line[2:])
				k, found := at[whole]
				if !found {
					at[whole], t.Rows = len(t.Rows), append(t.Rows, line)
					continue
				}
				if names := t.Rows[k][1].Lines[0]; !slices.Contains(strings.Split(names, ", "), m.Name) {
					t.Rows[k][1] = stack(names + ", " + m.Name)
				}
			}
		}
	}
	return tableText(t)
}

func (c *committedResults) fewerTrials() string {
	var slow []string
	for _, name := range []string{"table4", "table6"} {
		for _, m := range c.of(name).Experiment.Methods {
			if m.OnceTrials > 0 && !m.AllColumns {
				slow = append(slow, fmt.Sprintf("%s has %s", m.Name, plural(m.OnceTrials, "trial")))
			}
		}
	}
	text := "Of the slow methods there are fewer trials where settings are chosen once: " + enumerate(slow) + "."
	for _, name := range []string{"table4", "table7"} {
		for _, d := range c.of(name).Experiment.Datasets {
			if d.KernelTrials != nil {
				text += fmt.Sprintf(" In table %s, KRVFL+ has %s on %s under “published” and %s under “ours”.",
					strings.TrimPrefix(name, "table"), plural(d.KernelTrials[PublishedName], "trial"), d.Name,
					plural(d.KernelTrials[OursName], "trial"))
			}
		}
	}
	return filled(text + " KRVFL is left out there where KRVFL+ has one trial, and the model that sees all columns " +
		"is SVM.")
}

// hours returns how long some results took.
func (c *committedResults) hours(fits func(name string) bool) string {
	sum := 0.0
	for name, r := range c.results {
		if fits(name) {
			sum += r.Run.Seconds
		}
	}
	return fmt.Sprintf("%.1f hours", sum/3600)
}

func ofThePaper(name string) bool { return !strings.HasPrefix(name, "gains") }

func (c *committedResults) fullRun() string {
	r := c.of("table4")
	rows := 0
	for _, d := range r.Experiment.Datasets {
		rows = max(rows, d.Train)
	}
	return filled(fmt.Sprintf("`%s` took %s (%s), table 4 alone %s: the sum of `run.seconds` in [results](results). "+
		"The matrix of KRVFL+ on the %s training rows of Shuttle alone takes %.0f GB of memory.", r.Run.Command,
		c.hours(ofThePaper), r.Run.Machine, c.hours(func(name string) bool { return name == "table4" }),
		thousands(rows), 8*float64(rows)*float64(rows)/1e9))
}

func (c *committedResults) unfinished() string {
	var order []string
	places := map[string][]string{}
	for _, name := range tablesWithNumbers {
		r := c.of(name)
		for _, g := range r.grids() {
			for _, text := range g.sentences(func(c *Cell) []string { return []string{c.Stopped} }) {
				if places[text] == nil {
					order = append(order, text)
				}
				places[text] = append(places[text], strings.TrimPrefix(name, "table")+" "+g.protocol.Name)
			}
		}
	}
	var items []string
	for _, text := range order {
		items = append(items, listed("Table "+enumerate(places[text])+": "+readable(text)+"."))
	}
	return strings.Join(items, "\n")
}

// readable writes the durations of a text in words.
func readable(text string) string {
	for _, d := range []time.Duration{time.Minute, 10 * time.Minute} {
		text = strings.ReplaceAll(text, d.String(), plural(int(d.Minutes()), "minute"))
	}
	return text
}

func (c *committedResults) files() string {
	return listed(fmt.Sprintf("`table*`, `figure*`: `%s` ([what it does](../reproduction.md)), as Markdown, JSON "+
		"(every trial with its settings) and picture. %s in all (%s), part by part, from kept cells.",
		c.of("table4").Run.Command, c.hours(ofThePaper), c.of("table4").Run.Machine)) + "\n" +
		listed(fmt.Sprintf("`gains*`: `%s` ([how it was measured](../methods.md#how-it-was-measured)), %d splits a "+
			"setting; `gains.svg` is the picture of `label`. `gains-glass-seed-*` are other splits, by the commands "+
			"that these files name.", c.of("gains").Run.Command, c.of("gains").Run.Trials))
}

// thousands writes a whole number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
