package repro

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// committedResults are the results of docs/results, by the names of their files.
type committedResults struct{ results map[string]*Result }

func committed(t *testing.T) *committedResults {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(resultsDir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	c := &committedResults{map[string]*Result{}}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		c.results[name] = readResult(t, name)
	}
	return c
}

func (c *committedResults) of(name string) *Result {
	r := c.results[name]
	if r == nil {
		panic("docs/results has no " + name + ".json")
	}
	return r
}

// view returns what a result has under a protocol.
func (c *committedResults) view(name, protocol string) view {
	r := c.of(name)
	for _, g := range r.grids() {
		if g.protocol.Name == protocol {
			return r.view(&g)
		}
	}
	panic(name + " has no protocol " + protocol)
}

// The tables with numbers of the paper, and those that have KRVFL+ beside KRVFL on several data sets.
var (
	tablesWithNumbers = []string{"table1", "table2", "table4", "table6", "table7", "table8"}
	tablesOfPairs     = []string{"table4", "table6", "table7", "table8"}
)

// paragraphs write what the results say, by the subjects of the documents' blocks.
var paragraphs = map[string]func(*committedResults) string{
	"where the columns helped":       (*committedResults).helped,
	"all differences of the stack":   (*committedResults).stackDifferences,
	"the worst splits of label":      (*committedResults).worstSplits,
	"networks of the literature":     (*committedResults).literature,
	"numbers of the paper, in short": (*committedResults).agreementInShort,
	"numbers of the paper":           (*committedResults).agreementTable,
	"pairs":                          (*committedResults).pairs,
	"how settings are chosen":        (*committedResults).tuningTable,
	"ranges":                         (*committedResults).ranges,
	"trials":                         (*committedResults).fewerTrials,
	"time of the full run":           (*committedResults).fullRun,
	"unfinished cells":               (*committedResults).unfinished,
	"table 2, published":             (*committedResults).table2,
	"findings of table 2, published": func(c *committedResults) string { return c.findings("table2", PublishedName, "") },
	"table 4, ours, in short": func(c *committedResults) string {
		return c.table4("KRVFL+", "KRVFL", "RVFL+", "RVFL", "SVM")
	},
	"table 4, ours": func(c *committedResults) string {
		return c.table4("KRVFL+", "RVFL+", "RVFL", "Fast SVM+", "MAT-SVM+", "SVM", "KRVFL")
	},
	"findings of table 4, ours":       func(c *committedResults) string { return c.findings("table4", OursName, "") },
	"comparisons of table 4, ours":    func(c *committedResults) string { return c.findings("table4", OursName, "RVFL+ against ") },
	"the paper's gain on Iris":        (*committedResults).iris,
	"Shuttle":                         (*committedResults).shuttle,
	"the files of the paper's tables": (*committedResults).files,
}

// TestParagraphsAreTold fails for a paragraph that no document tells.
func TestParagraphsAreTold(t *testing.T) {
	all := ""
	for path := range documents {
		all += readDocument(t, path)
	}
	for subject := range paragraphs {
		if !strings.Contains(all, "<!-- measured: "+subject+" -->") {
			t.Errorf("no document tells %q", subject)
		}
	}
}

// filled wraps a text at column 120.
func filled(text string) string { return item("", text) }

// listed writes a text as an item of a Markdown list.
func listed(text string) string { return item("- ", text) }

func item(prefix, text string) string {
	var b strings.Builder
	wrapped(&b, prefix, text, 120)
	return strings.TrimSuffix(b.String(), "\n")
}

// tableText writes a Markdown table whose first columns are names.
func tableText(t table) string {
	var b strings.Builder
	t.markdown(&b)
	return strings.Trim(b.String(), "\n")
}

// thousands writes a whole number with commas.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// rounded writes an accuracy to one digit, near 100 to two.
func rounded(v float64) string {
	if v > 99 {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// findings lists the findings of a result under a protocol that contain a text.
func (c *committedResults) findings(name, protocol, containing string) string {
	var items []string
	for _, f := range c.of(name).Findings {
		if text, ok := strings.CutPrefix(f, protocol+": "); ok && strings.Contains(text, containing) {
			if word, _, _ := strings.Cut(text, " "); word == strings.ToLower(word) { // not gSMO-SVM+
				text = strings.ToUpper(text[:1]) + text[1:]
			}
			items = append(items, listed(text))
		}
	}
	return strings.Join(items, "\n")
}

// gainsWhere counts the gains of a method over another on the settings that fit.
func (c *committedResults) gainsWhere(method, over string, fits func(*Dataset) bool) *contest {
	r, out := c.of("gains"), new(contest)
	for _, g := range r.gainsOf(method, over) {
		i := slices.IndexFunc(r.Experiment.Datasets, func(d Dataset) bool { return d.Name == g.Dataset })
		if fits(&r.Experiment.Datasets[i]) {
			out.add(g.Dataset, pair{g.Mean, float64(g.SE), g.Splits, g.Side}, true)
		}
	}
	return out
}

func (c *committedResults) helped() string {
	with := c.gainsWhere("stack", averagedName, func(d *Dataset) bool { return d.Unlabelled > 0 })
	without := c.gainsWhere("stack", averagedName, func(d *Dataset) bool { return d.Unlabelled == 0 })
	all := c.gainsWhere("stack", averagedName, func(*Dataset) bool { return true })
	return filled(fmt.Sprintf("On public data the default method, `stack`, beside a mixture that knows no privileged "+
		"columns: where there are rows with privileged columns and without a target, %s; where there are no such rows, %s; "+
		"%s.", with.counts("setting"), without.counts("setting"), all.average(1, "setting", "split")))
}

func (c *committedResults) stackDifferences() string {
	gains, losses, n := 0, []string(nil), 0
	for _, over := range []string{tunedName, averagedName} {
		for _, g := range c.of("gains").gainsOf("stack", over) {
			n++
			switch g.Side {
			case 1:
				gains++
			case -1:
				losses = append(losses, fmt.Sprintf("%s against the %s, %s", g.Dataset, described(over), plain(g)))
			}
		}
	}
	text := fmt.Sprintf("Differences of the stack to the two baselines: %d. Gains of more than two standard errors: %d. "+
		"Losses of more: %d (%s).", n, gains, len(losses), cmp.Or(strings.Join(losses, "; "), "none"))
	for _, name := range []string{"gains-glass-seed-1000", "gains-glass-seed-2000"} {
		r := c.of(name)
		for _, g := range r.gainsOf("stack", averagedName) {
			text += fmt.Sprintf(" On %d other splits of %s (seed %d) the stack has %s over the averaged KRVFL.",
				g.Splits, g.Dataset, r.Run.Seed, plain(g))
		}
	}
	return filled(text)
}

// plain writes a gain without the mark of a loss.
func plain(g Gain) string { return strings.TrimSuffix(g.String(), " "+mark) }

func (c *committedResults) worstSplits() string {
	r := c.of("gains")
	type worst struct {
		value   float64
		dataset string
	}
	least := map[string]worst{}
	for _, method := range []string{"label", "stack"} {
		found := worst{value: math.Inf(1)}
		for _, row := range r.grids()[0].rows {
			g := r.grids()[0]
			a, b := g.cell(row.dataset, r.method(method)), g.cell(row.dataset, r.method(tunedName))
			if row.dataset.Unlabelled == 0 || !a.measured() || !b.measured() {
				continue
			}
			for i := range min(len(a.Trials), len(b.Trials)) {
				if d := a.Trials[i].Value - b.Trials[i].Value; d < found.value {
					found = worst{d, row.dataset.Name}
				}
			}
		}
		least[method] = found
	}
	return filled(fmt.Sprintf("A single split can go badly wrong: the worst of `label` is %+.1f points against the tuned "+
		"KRVFL (%s), the worst of `stack` on the same settings %+.1f points (%s).", least["label"].value,
		least["label"].dataset, least["stack"].value, least["stack"].dataset))
}

func (c *committedResults) literature() string {
	all := new(contest)
	r := c.of("gains")
	for i := range r.Experiment.Methods {
		if m := &r.Experiment.Methods[i]; m.Parity && m.Name != "rvfl" {
			for _, g := range r.gainsOf(m.Name, tunedName) {
				all.add(m.Name+" on "+g.Dataset, pair{g.Mean, float64(g.SE), g.Splits, g.Side}, true)
			}
		}
	}
	return filled("On public data the five kinds were " + all.counts("comparison") + " with a tuned KRVFL (`-m krvfl`).")
}

// agreements returns how a protocol's numbers agree with the paper, by table.
func (c *committedResults) agreements(protocol string) (byTable []agreed, sum agreed) {
	sum = agreed{sides: map[int]int{}}
	for _, name := range tablesWithNumbers {
		a := c.view(name, protocol).agreement()
		byTable = append(byTable, a)
		for side, n := range a.sides {
			sum.sides[side] += n
		}
		sum.single, sum.missing = sum.single+a.single, sum.missing+a.missing
	}
	return byTable, sum
}

func (c *committedResults) agreementInShort() string {
	var parts []string
	for _, protocol := range []string{PublishedName, OursName} {
		_, a := c.agreements(protocol)
		parts = append(parts, fmt.Sprintf("of %d measured under “%s”, %d are within two standard errors, %d better here, "+
			"%d worse, and %d have one trial without a standard error", a.count(), protocol, a.sides[0], a.sides[1],
			a.sides[-1], a.single))
	}
	return filled("The paper's numbers in all tables: " + strings.Join(parts, "; ") + ".")
}

func (c *committedResults) agreementTable() string {
	t := table{Names: 2, Head: []string{
		"table", "protocol", "measured", "within two standard errors", "better here", "worse here",
		"one trial, no standard error", "not measured",
	}}
	for _, protocol := range []string{PublishedName, OursName} {
		byTable, sum := c.agreements(protocol)
		for i, a := range append(byTable, sum) {
			name := "all"
			if i < len(tablesWithNumbers) {
				name = strings.TrimPrefix(tablesWithNumbers[i], "table")
			}
			line := []slot{stack(name), stack(protocol)}
			for _, n := range []int{a.count(), a.sides[0], a.sides[1], a.sides[-1], a.single, a.missing} {
				line = append(line, stack(strconv.Itoa(n)))
			}
			t.Rows = append(t.Rows, line)
		}
	}
	return tableText(t)
}

func (c *committedResults) pairs() string {
	var items []string
	for _, methods := range [][2]string{{"KRVFL+", "KRVFL"}, {"RVFL+", "RVFL"}} {
		for _, protocol := range []string{PublishedName, OursName} {
			t := tally{}
			for _, name := range tablesOfPairs {
				v := c.view(name, protocol)
				column := func(name string) int { return v.column(func(m *Method) bool { return m.Name == name }) }
				found := v.contest(column(methods[0]), column(methods[1]))
				for side, sets := range found.sides {
					for _, set := range sets {
						t[side] = append(t[side], set+" in table "+strings.TrimPrefix(name, "table"))
					}
				}
			}
			items = append(items, listed(fmt.Sprintf("%s against %s under “%s”, tables 4, 6, 7 and 8: better by more than "+
				"two standard errors on %s, worse on %s of %s.", methods[0], methods[1], protocol, everyName(t[1]),
				everyName(t[-1]), plural(t.count(), "pair"))))
		}
	}
	return strings.Join(items, "\n")
}

// everyName is amount with all names.
func everyName(names []string) string {
	if len(names) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", len(names), strings.Join(names, "; "))
}

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
	return filled(text + " KRVFL is left out there where KRVFL+ has one trial, and the model that sees all columns is SVM.")
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
	return filled(fmt.Sprintf("`%s` took %s (%s), table 4 alone %s: the sum of `run.seconds` in [results](results). The "+
		"matrix of KRVFL+ on the %s training rows of Shuttle alone takes %.0f GB of memory.", r.Run.Command,
		c.hours(ofThePaper), r.Run.Machine, c.hours(func(name string) bool { return name == "table4" }), thousands(rows),
		8*float64(rows)*float64(rows)/1e9))
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

func (c *committedResults) table2() string {
	v := c.view("table2", PublishedName)
	t := table{Names: 2, Head: []string{
		"method", "kernel or activation", "accuracy, %", "the paper's", "seconds of training", "the paper's",
	}}
	for i, m := range v.methods {
		if cell := v.rows[0].cells[i]; cell.SameAs == "" {
			t.Rows = append(t.Rows, []slot{stack(m.Name), stack(m.Kernel + m.Activation),
				stack(v.e.spread(cell.Mean(), cell.SD())), stack(v.e.paper(cell.Paper)), stack(cell.time()),
				stack(cell.Paper.printedTime())})
		}
	}
	return tableText(t)
}

func (c *committedResults) table4(names ...string) string {
	v := c.view("table4", OursName)
	t := table{Names: 1, Head: append(append([]string{"data"}, names...), "a model that sees all columns")}
	trials := map[int][]string{}
	for _, row := range v.rows {
		line := []slot{stack(row.dataset.Name)}
		for _, name := range names {
			i := v.column(func(m *Method) bool { return m.Name == name })
			cell := row.cells[i]
			if n := len(cell.Trials); n > 0 && n < v.run.Trials {
				trials[n] = append(trials[n], name+" on "+row.dataset.Name)
			}
			text := accuracyText(cell)
			if cell.Paper != nil {
				text += " (" + v.e.paper(cell.Paper) + ")"
			}
			line = append(line, stack(text))
		}
		t.Rows = append(t.Rows, append(line, stack(accuracyText(v.seeingAll(row)))))
	}
	text := fmt.Sprintf("Accuracy in percent on test rows, mean ± standard deviation of %d splits, the paper's number in "+
		"parentheses (`%s`, protocol “ours”).", v.run.Trials, c.of("table4").Run.Command)
	for _, n := range []int{3, 1} {
		if trials[n] != nil {
			text += fmt.Sprintf(" Of %s: %s.", plural(n, "split"), enumerate(trials[n]))
		}
	}
	text += " The model that sees all columns is the better of KRVFL and SVM that have the privileged columns in use too."
	return filled(text) + "\n\n" + tableText(t)
}

// accuracyText writes a cell to a digit.
func accuracyText(c *Cell) string {
	switch {
	case !c.measured():
		return none
	case c.SD() > 0:
		text := rounded(c.Mean())
		_, digits, _ := strings.Cut(text, ".")
		return fmt.Sprintf("%s ± %.*f", text, len(digits), c.SD())
	}
	return rounded(c.Mean())
}

// cellOf returns a cell of a result.
func (c *committedResults) cellOf(name, protocol, dataset, method string) *Cell {
	for _, cell := range c.of(name).Cells {
		if cell.Protocol == protocol && cell.Dataset == dataset && cell.Method == method {
			return cell
		}
	}
	panic(name + " has no cell of " + method + " on " + dataset)
}

func (c *committedResults) iris() string {
	cell := func(protocol, method string) *Cell { return c.cellOf("table4", protocol, "Iris", method) }
	mean := func(protocol, method string) string { return accuracyText(cell(protocol, method)) }
	v := c.view("table4", OursName)
	all, half := v.seeingAll(v.rows[0]), v.bestOf(v.rows[0], func(m *Method) bool { return !m.AllColumns })
	return filled(fmt.Sprintf("On Iris the paper has %.1f points from RVFL to KRVFL+ (%.2f and %.2f). RVFL has %s here under "+
		"“published” and %s under “ours”, KRVFL+ %s and %s. The model that sees all columns has %s, the best with half of "+
		"them %s.", cell(OursName, "KRVFL+").Paper.Value-cell(OursName, "RVFL").Paper.Value,
		cell(OursName, "RVFL").Paper.Value, cell(OursName, "KRVFL+").Paper.Value, mean(PublishedName, "RVFL"),
		mean(OursName, "RVFL"), mean(PublishedName, "KRVFL+"), mean(OursName, "KRVFL+"), accuracyText(all),
		accuracyText(half)))
}

func (c *committedResults) shuttle() string {
	cell := c.cellOf("table4", OursName, "Shuttle", "KRVFL+")
	d := c.of("table4").Experiment.dataset(cell.Key)
	return filled(fmt.Sprintf("KRVFL+ on all %s training rows of Shuttle trains in %s s here and in %s s in the paper.",
		thousands(d.Train), seconds(cell.Seconds()), cell.Paper.printedTime()))
}

func (c *committedResults) files() string {
	return listed(fmt.Sprintf("`table*`, `figure*`: `%s` ([what it does](../reproduction.md)), as Markdown, JSON (every "+
		"trial with its settings) and picture. %s in all (%s), part by part, from kept cells.", c.of("table4").Run.Command,
		c.hours(ofThePaper), c.of("table4").Run.Machine)) + "\n" +
		listed(fmt.Sprintf("`gains*`: `%s` ([how it was measured](../methods.md#how-it-was-measured)), %d splits a setting; "+
			"`gains.svg` is the picture of `label`. `gains-glass-seed-*` are other splits, by the commands that these files "+
			"name.", c.of("gains").Run.Command, c.of("gains").Run.Trials))
}
