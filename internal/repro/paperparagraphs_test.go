package repro

import (
	"fmt"
	"strconv"
	"strings"
)

// agreements returns how a protocol's numbers agree with the paper, by table.
func (c *committedResults) agreements(protocol string) (byTable []agreed, sum agreed) {
	sum = agreed{sides: map[int]int{}}
	for _, name := range tablesWithNumbers {
		a := c.view(name, protocol).agreement()
		byTable = append(byTable, a)
		for side, n := range a.sides {
			sum.sides[side] += n
		}
		sum.single, sum.missing, sum.other = sum.single+a.single, sum.missing+a.missing, sum.other+a.other
	}
	return byTable, sum
}

func (c *committedResults) agreementInShort() string {
	var parts []string
	for _, protocol := range []string{PublishedName, OursName} {
		_, a := c.agreements(protocol)
		parts = append(parts, fmt.Sprintf("of %d measured under “%s”, %d are within two standard errors, %d better "+
			"here, %d worse, and %d have one trial without a standard error", a.count(), protocol, a.sides[0],
			a.sides[1], a.sides[-1], a.single))
	}
	return filled("The paper's numbers in all tables: " + strings.Join(parts, "; ") + ".")
}

func (c *committedResults) agreementTable() string {
	t := table{Names: 2, Head: []string{
		"table", "protocol", "measured", "within two standard errors", "better here", "worse here",
		"one trial, no standard error", "otherwise than in the paper", "not measured",
	}}
	for _, protocol := range []string{PublishedName, OursName} {
		byTable, sum := c.agreements(protocol)
		for i, a := range append(byTable, sum) {
			name := "all"
			if i < len(tablesWithNumbers) {
				name = strings.TrimPrefix(tablesWithNumbers[i], "table")
			}
			line := []slot{stack(name), stack(protocol)}
			for _, n := range []int{a.count(), a.sides[0], a.sides[1], a.sides[-1], a.single, a.other, a.missing} {
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
			items = append(items, listed(fmt.Sprintf("%s against %s under “%s”, tables 4, 6, 7 and 8: better by more "+
				"than two standard errors on %s, worse on %s of %s.", methods[0], methods[1], protocol, everyName(t[1]),
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
	text := fmt.Sprintf("Accuracy in percent on test rows, mean ± standard deviation of %d splits, the paper's number "+
		"in parentheses (`%s`, protocol “ours”).", v.run.Trials, c.of("table4").Run.Command)
	for _, n := range []int{3, 1} {
		if trials[n] != nil {
			text += fmt.Sprintf(" Of %s: %s.", plural(n, "split"), enumerate(trials[n]))
		}
	}
	text += " The model that sees all columns is the better of KRVFL and SVM that have the privileged columns in use " +
		"too."
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

// rounded writes an accuracy to one digit, near 100 to two.
func rounded(v float64) string {
	if v > 99 {
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
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
	return filled(fmt.Sprintf("On Iris the paper has %.1f points from RVFL to KRVFL+ (%.2f and %.2f). RVFL has %s "+
		"here under “published” and %s under “ours”, KRVFL+ %s and %s. The model that sees all columns has %s, the "+
		"best with half of them %s.", cell(OursName, "KRVFL+").Paper.Value-cell(OursName, "RVFL").Paper.Value,
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
