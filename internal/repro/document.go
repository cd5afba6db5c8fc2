package repro

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rvflplus/internal/registry"
)

// document is a result as it is read, on a terminal, in Markdown and in HTML.
type document struct {
	Name, Title string
	Findings    []string
	Sections    []section
	Legend      string
	Run         []string
}

type section struct {
	Heading string // or ""
	Text    []string
	Table   table
	Lists   []list
}

// list is a heading with items below it.
type list struct {
	Heading string
	Items   []string
}

type table struct {
	Head  []string
	Rows  [][]slot
	Names int // columns, from the left, that name a row
}

// slot is a place of one or more lines; the first may be the best of its data set.
type slot struct {
	Lines []string
	Best  bool
}

func stack(lines ...string) slot { return slot{Lines: lines} }

// notFinished heads the cells that lack trials.
const notFinished = "Not finished"

// mark stands behind numbers that differ from the paper's.
const mark = "†"

// document lays the result out.
func (r *Result) document() document {
	d := document{Name: r.Experiment.Name, Title: r.title(), Findings: r.Findings, Run: r.provenance()}
	grids := r.grids()
	switch {
	case r.Statistics != nil:
		d.Sections = []section{r.statistics()}
	case r.Points != nil:
		d.Sections = r.figureSections()
	case r.Experiment.Metric == points && len(grids) > 0:
		d.Sections, d.Legend = r.gainSections(&grids[0]), gainLegend
	case r.Experiment.readings():
		d.Sections, d.Legend = r.readingSections(grids), readingLegend
	case len(grids) > 0 && sameRow(grids):
		d.Sections = []section{r.single(grids)}
		d.Legend = legendOf("mean ± standard deviation of the trials on test rows")
	default:
		for i := range grids {
			d.Sections = append(d.Sections, r.wide(&grids[i]))
		}
		d.Legend = legendOf("mean ± standard deviation of the trials on test rows; the paper's number; " +
			"seconds of training and the paper's")
	}
	if last := len(d.Sections) - 1; last >= 0 {
		d.Sections[last].Lists = append(d.Sections[last].Lists, r.notes(grids)...)
	}
	return d
}

// sameRow reports whether there is one data set.
func sameRow(grids []grid) bool {
	for i := range grids {
		if len(grids[i].rows) > 1 || grids[i].rows[0].dataset != grids[0].rows[0].dataset {
			return false
		}
	}
	return true
}

func legendOf(what string) string {
	return what + ". Best of a data set in bold or with *, models that see all columns apart; " + mark +
		": more than two standard errors from the paper's number. Without ±: one trial, or all alike."
}

func (r *Result) title() string { return r.short() + ": " + r.Experiment.Title }

// short is the paper's name of a table or figure.
func (r *Result) short() string { return shortName(r.Experiment.Name) }

// shortName returns "Table 4" for "table4", and other names as they are.
func shortName(name string) string {
	for _, kind := range []string{"table", "figure"} {
		if number, found := strings.CutPrefix(name, kind); found {
			name = strings.ToUpper(kind[:1]) + kind[1:] + " " + number
		}
	}
	return name
}

// provenance tells how a result came about; tables of statistics need no run.
func (r *Result) provenance() []string {
	if r.Statistics != nil {
		return nil
	}
	run := &r.Run
	how := fmt.Sprintf("Seed %d, %s", run.Seed, plural(run.Trials, "trial"))
	if e := r.Experiment; len(e.Protocols) > 0 && e.Sweep == nil && e.Metric != points {
		how += "; settings drawn for each method, and each split where they are not chosen once: " +
			r.draws(e.Protocols[0]).String()
	}
	if run.Quick {
		how += "; a " + quickRun + ": no reproduction"
	}
	if run.Shard != "" {
		how += fmt.Sprintf("; shard %s, %s left to other machines", run.Shard, plural(run.Left, "cell"))
	}
	lines := []string{how + "."}
	if maker := run.maker(); maker != "" {
		lines = append(lines, maker+".")
	}
	if run.Kept != nil {
		lines = append(lines, "Kept cells are also of "+enumerate(run.Kept)+".")
	}
	return append(lines, seconds(run.Seconds)+" s in all.")
}

// draws returns how many settings were drawn under a protocol.
func (r *Result) draws(p Protocol) Draws {
	if n := r.Run.Draws; n > 0 {
		return alike(n)
	}
	return p.Draws
}

// String says how many settings are drawn, by kind where that differs.
func (d Draws) String() string {
	if d.Kernel == d.Layer && d.Kernel == d.Margin {
		return strconv.Itoa(d.Kernel)
	}
	kernel := strconv.Itoa(d.Kernel)
	if d.ManyRows > 0 {
		kernel += fmt.Sprintf(" (on data sets of many rows %d)", d.ManyRows)
	}
	const text = "%s with kernels, %d with random layers, %d of support vector machines"
	return fmt.Sprintf(text, kernel, d.Layer, d.Margin)
}

// single lays out an experiment on one data set, as the paper's tables 1 and 2: a row
// for each method.
func (r *Result) single(grids []grid) section {
	s := section{Table: table{Head: []string{"method", "kernel or activation"}, Names: 2}}
	timed := r.paperTimed()
	for i := range grids {
		s.Text = append(s.Text, grids[i].protocol.Title)
		s.Table.Head = append(s.Table.Head, "here, "+grids[i].protocol.Name, "s")
	}
	s.Table.Head = append(s.Table.Head, "in the paper")
	if timed {
		s.Table.Head = append(s.Table.Head, "paper s")
	}
	for i := range r.Experiment.Methods {
		if row := r.singleRow(&r.Experiment.Methods[i], grids, timed); row != nil {
			s.Table.Rows = append(s.Table.Rows, row)
		}
	}
	for i := range grids {
		s.Lists = append(s.Lists, r.lists(&grids[i])...)
	}
	name := grids[0].rows[0].dataset.Name
	s.Text = append(s.Text, r.Experiment.quantity()+" on the test rows of "+name+"; s: seconds of training.")
	return s
}

// paperTimed reports whether the paper prints times.
func (r *Result) paperTimed() bool {
	return slices.ContainsFunc(r.Cells, func(c *Cell) bool { return c.Paper.printedTime() != none })
}

func (r *Result) singleRow(m *Method, grids []grid, timed bool) []slot {
	row := []slot{stack(m.Name), stack(m.Kernel + m.Activation)}
	var paper *Published
	some := false
	for i := range grids {
		column := grids[i].column(func(other *Method) bool { return other == m })
		if column < 0 {
			row = append(row, stack(none), stack(none))
			continue
		}
		c := grids[i].rows[0].cells[column]
		paper, some = c.Paper, true
		row = append(row, slot{[]string{r.value(c)}, c.Best}, stack(c.time()))
	}
	if !some {
		return nil
	}
	row = append(row, stack(r.Experiment.paper(paper)))
	if timed {
		row = append(row, stack(paper.printedTime()))
	}
	return row
}

// value writes the mean of a cell, its spread and the mark.
func (r *Result) value(c *Cell) string {
	if !c.measured() {
		return none
	}
	text := r.Experiment.spread(c.Mean(), c.SD())
	if c.Differs() {
		text += " " + mark
	}
	return text
}

// wide lays out one protocol with a row for each data set, as the paper's other tables.
func (r *Result) wide(g *grid) section {
	s := section{Heading: "Protocol “" + g.protocol.Name + "”", Text: []string{g.protocol.Title}}
	s.Table = table{Head: []string{"data", ""}, Names: 2}
	for _, m := range g.methods {
		s.Table.Head = append(s.Table.Head, g.label(m))
	}
	for _, row := range g.rows {
		unit := r.Experiment.unit()
		line := []slot{stack(nameLines(row.dataset.Name)...), stack(unit+" here", unit+" paper", "s (paper)")}
		for _, c := range row.cells {
			line = append(line, r.stacked(c))
		}
		s.Table.Rows = append(s.Table.Rows, line)
	}
	s.Lists = r.lists(g)
	return s
}

// stacked writes a cell as three lines: the value, the paper's, and the times.
func (r *Result) stacked(c *Cell) slot {
	if c == nil {
		return stack(none, "", "")
	}
	time := c.time()
	if paper := c.Paper.printedTime(); paper != none {
		time += " (" + paper + ")"
	}
	return slot{[]string{r.value(c), r.Experiment.paper(c.Paper), time}, c.Best}
}

// lists returns the remarks, the reasons of unfinished cells and the notes of a grid.
func (r *Result) lists(g *grid) []list {
	var lists []list
	for _, kind := range []struct {
		heading string
		of      func(*Cell) []string
	}{
		{mark + " More than two standard errors from the paper", func(c *Cell) []string { return []string{c.Remark} }},
		{notFinished, func(c *Cell) []string { return []string{c.Stopped} }},
		{"How some cells were run", func(c *Cell) []string { return c.Notes }},
	} {
		if items := g.sentences(kind.of); items != nil {
			lists = append(lists, list{kind.heading + " (" + g.protocol.Name + ")", items})
		}
	}
	return lists
}

// sentences collects sentences on cells: every sentence once, behind the names of the cells it is about.
func (g *grid) sentences(of func(*Cell) []string) []string {
	var order []string
	about := map[string]map[*Cell]bool{}
	for _, row := range g.rows {
		for _, c := range row.cells {
			if c == nil {
				continue
			}
			for _, text := range of(c) {
				if text == "" {
					continue
				}
				if about[text] == nil {
					order, about[text] = append(order, text), map[*Cell]bool{}
				}
				about[text][c] = true
			}
		}
	}
	var items []string
	for _, text := range order {
		items = append(items, g.nameCells(about[text])+": "+text)
	}
	return items
}

// nameCells names cells, data set by data set or method by method, whichever is shorter.
func (g *grid) nameCells(cells map[*Cell]bool) string {
	var byRow, byColumn []string
	for _, row := range g.rows {
		var methods []string
		for i, c := range row.cells {
			if cells[c] {
				methods = append(methods, g.label(g.methods[i]))
			}
		}
		byRow = append(byRow, group(row.dataset.Name, methods, present(row.cells))...)
	}
	for i, m := range g.methods {
		var column []*Cell
		var sets []string
		for _, row := range g.rows {
			if column = append(column, row.cells[i]); cells[row.cells[i]] {
				sets = append(sets, row.dataset.Name)
			}
		}
		byColumn = append(byColumn, group(g.label(m), sets, present(column))...)
	}
	rows, columns := strings.Join(byRow, "; "), strings.Join(byColumn, "; ")
	if len(g.rows) == 1 || runes(columns) < runes(rows) {
		return columns
	}
	return rows
}

func present(cells []*Cell) int {
	n := 0
	for _, c := range cells {
		if c != nil {
			n++
		}
	}
	return n
}

// group names some of the parts of a whole, none, or all by the whole's name alone.
func group(whole string, some []string, all int) []string {
	switch len(some) {
	case 0:
		return nil
	case all:
		return []string{whole}
	}
	return []string{whole + " (" + strings.Join(some, ", ") + ")"}
}

// notes tells of the data sets of a result.
func (r *Result) notes(grids []grid) []list {
	var notes []string
	for i := range r.Experiment.Datasets {
		d := &r.Experiment.Datasets[i]
		shown := slices.ContainsFunc(grids, func(g grid) bool {
			return slices.ContainsFunc(g.rows, func(row gridRow) bool { return row.dataset == d })
		})
		if shown && d.Note != "" {
			notes = append(notes, d.Name+": "+d.Note)
		}
	}
	if notes == nil {
		return nil
	}
	return []list{{"The data", notes}}
}

// statistics lays out tables 3 and 5: the paper's figures, and the data's where they
// differ.
func (r *Result) statistics() section {
	s := section{Table: table{Names: 1}}
	s.Table.Head = []string{"data", "training rows", "test rows", "attributes", "normal", "privileged", "classes"}
	if !slices.ContainsFunc(r.Statistics, func(row registry.PaperRow) bool { return row.Classes > 0 }) {
		s.Table.Head = s.Table.Head[:6]
	}
	remarks := list{Heading: "Remarks"}
	for _, row := range r.Statistics {
		paper, data := figures(row.Figures), figures(row.Data())
		line := []slot{stack(row.Problem)}
		for i := range s.Table.Head[1:] {
			text := count(paper[i])
			if paper[i] != data[i] {
				text = fmt.Sprintf("%s (data: %s)", text, count(data[i]))
			}
			line = append(line, stack(text))
		}
		s.Table.Rows = append(s.Table.Rows, line)
		if row.Remark != "" {
			remarks.Items = append(remarks.Items, row.Problem+": "+row.Remark)
		}
	}
	if remarks.Items != nil {
		s.Lists = []list{remarks}
	}
	s.Text = []string{"As the paper prints it; what the data of the registry have stands behind it where it differs."}
	return s
}

func count(n int) string {
	if n == 0 {
		return none
	}
	return fmt.Sprint(n)
}
