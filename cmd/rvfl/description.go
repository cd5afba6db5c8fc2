package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"rvflplus/dataset"
	"rvflplus/internal/namelist"
	"rvflplus/internal/registry"
	"rvflplus/internal/survey"
	"rvflplus/internal/target"
)

// rows returns the rows of the part, also of a data set that is not here.
func (d *description) rows() int {
	if d.summary != nil {
		return d.summary.Rows
	}
	for _, p := range d.entry.Parts {
		if p.Name == d.part {
			return p.To - p.From
		}
	}
	for _, x := range d.entry.Extra {
		if x.Name == d.part {
			return x.Block.Rows
		}
	}
	return d.entry.Rows
}

// title says what is described.
func (d *description) title() string {
	s := d.name
	if d.part != "" {
		s += ":" + d.part
	}
	if d.entry != nil {
		s += ", " + d.entry.Title
	}
	return s + ": " + count(d.rows(), "row")
}

// task returns what the targets mean, as training would take them; "" without any.
func (d *description) task() string {
	switch {
	case len(d.roles.Target) == 0:
		return ""
	case d.entry != nil && slices.Equal(d.targets(), d.entry.Targets):
		return d.entry.Task
	case len(d.roles.Target) > 1 || d.summary == nil:
		return string(target.Regression)
	}
	c := d.summary.Columns[d.columns[d.roles.Target[0]]]
	if c.Kind == dataset.Nominal || c.Distinct <= target.MaxIntegerClasses && c.Distinct > 0 && wholeNumbers(c.Values) {
		return string(target.Classification)
	}
	return string(target.Regression)
}

func wholeNumbers(values []survey.ValueCount) bool {
	return !slices.ContainsFunc(values, func(v survey.ValueCount) bool {
		x, _ := strconv.ParseFloat(v.Text, 64)
		return x != math.Trunc(x)
	})
}

func (d *description) targets() []string {
	names := []string{}
	for _, i := range d.roles.Target {
		names = append(names, d.fields[i].Name)
	}
	return names
}

// classes returns the classes and their rows.
func (d *description) classes() []survey.ValueCount {
	switch {
	case d.task() != string(target.Classification):
		return nil
	case d.summary != nil:
		return d.summary.Columns[d.columns[d.roles.Target[0]]].Values
	case d.part != "" && d.part != registry.All:
		return nil // not known before the data are here
	}
	var classes []survey.ValueCount
	for _, c := range d.entry.Classes {
		classes = append(classes, survey.ValueCount{Text: c.Name, Count: c.Rows})
	}
	return classes
}

// paper returns what the paper says of the data set, or nil.
func (d *description) paper() *paperJSON {
	for _, r := range registry.Paper() {
		if d.entry != nil && r.Entry == d.entry.Name {
			row := paperRow(r)
			return &row
		}
	}
	return nil
}

func (d *description) print(a *app) error {
	fmt.Fprintln(a.stdout, printable(d.title()))
	s := fmt.Sprintf("  %s", count(len(d.roles.Normal), "normal column"))
	if n := len(d.roles.Priv); n > 0 {
		s += fmt.Sprintf(" + %d privileged", n)
	}
	if n := len(d.roles.Target); n > 0 {
		s += ", " + d.task() + " of " + namelist.Abbreviate(d.targets())
	}
	fmt.Fprintln(a.stdout, printable(s))
	if text := d.meaning(); text != "" {
		fmt.Fprintln(a.stdout, "  "+text)
	}
	a.section("Columns")
	d.printColumns(a)
	if classes := d.classes(); len(classes) > 0 {
		a.section("Classes")
		a.printClasses(classes)
	}
	if d.entry != nil {
		d.printEntry(a)
	}
	return nil
}

// meaning says which rows @NAME means where that is not what is shown.
func (d *description) meaning() string {
	if d.entry == nil || d.part != "" || d.entry.Default == "" || d.entry.Default == registry.All {
		return ""
	}
	return fmt.Sprintf("all rows are shown; train @%s reads its part %s only (@%s:%s is all)", d.name, d.entry.Default, d.name, registry.All)
}

// mostShown is how many columns or classes are listed.
const mostShown = 60

func (d *description) printColumns(a *app) {
	t := a.newTable()
	t.AppendHeader(table.Row{"column", "role", "type", "missing", "distinct", "min", "max", "mean", "sd"})
	t.SetColumnConfigs(append(numbersRight(4, 9), table.ColumnConfig{Number: 1, WidthMax: 40, WidthMaxEnforcer: text.Trim}))
	shown := 0
	for i, f := range d.fields {
		if d.role(i) == "" {
			continue
		}
		if shown++; shown > mostShown {
			continue
		}
		row := table.Row{printable(f.Name), d.role(i)}
		if d.summary != nil {
			row = append(row, cells(&d.summary.Columns[d.columns[i]])...)
		}
		t.AppendRow(row)
	}
	t.SuppressEmptyColumns()
	t.Render()
	if shown > mostShown {
		fmt.Fprintf(a.stdout, "  … and %d more (%d in all; --json lists them)\n", shown-mostShown, shown)
	}
}

func cells(c *survey.Column) table.Row {
	distinct := strconv.Itoa(c.Distinct)
	if c.Kind == dataset.Nominal {
		return table.Row{"categorical", c.Missing, distinct}
	}
	if c.Distinct > survey.MaxDistinct {
		distinct = fmt.Sprintf("> %d", survey.MaxDistinct)
	}
	row := table.Row{"numeric", c.Missing, distinct}
	if math.IsNaN(c.Min) {
		return row
	}
	return append(row, digits(c.Min), digits(c.Max), digits(c.Mean), digits(c.Std))
}

// printClasses writes a bar for every class.
func (a *app) printClasses(classes []survey.ValueCount) {
	most, all := 1, 0
	for _, c := range classes {
		most, all = max(most, c.Count), all+c.Count
	}
	t := a.newTable()
	t.SetColumnConfigs(append(numbersRight(2, 3), table.ColumnConfig{Number: 1, WidthMax: 40, WidthMaxEnforcer: text.Trim}))
	for _, c := range classes[:min(len(classes), mostShown)] {
		share := float64(c.Count) / float64(max(1, all))
		t.AppendRow(table.Row{printable(c.Text), c.Count, percent(share), strings.Repeat("#", int(math.Ceil(40*float64(c.Count)/float64(most))))})
	}
	t.Render()
	if len(classes) > mostShown {
		fmt.Fprintf(a.stdout, "  … and %d more (%d in all; --json lists them)\n", len(classes)-mostShown, len(classes))
	}
}

// printEntry writes what the registry knows.
func (d *description) printEntry(a *app) {
	e := d.entry
	a.section("About")
	t := a.newTable()
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, WidthMax: 90, WidthMaxEnforcer: text.WrapSoft}})
	t.AppendRow(table.Row{"parts", strings.Join(d.parts(), ", ")})
	t.AppendRow(table.Row{"publisher", e.Page})
	for _, f := range e.Files() {
		t.AppendRow(table.Row{"file", f.URL})
	}
	t.AppendRow(table.Row{"licence", e.Licence})
	t.AppendRow(table.Row{"citation", e.Citation})
	for _, erratum := range e.Errata {
		t.AppendRow(table.Row{"note", erratum})
	}
	t.Render()
	if p := d.paper(); p != nil {
		a.section("In the RVFL+ paper")
		a.printPaper([]paperJSON{*p}, p.Table)
		if len(p.Differences) > 0 {
			fmt.Fprintln(a.stdout, "  * The data differ from the paper.")
		}
	}
}

// parts lists the parts with their rows.
func (d *description) parts() []string {
	e := d.entry
	def := func(name string) string {
		if name == e.Default || e.Default == "" && name == registry.All {
			return ", meant by @" + e.Name
		}
		return ""
	}
	parts := []string{fmt.Sprintf("%s (%s%s)", registry.All, count(e.Rows, "row"), def(registry.All))}
	for _, p := range e.Parts {
		parts = append(parts, fmt.Sprintf("%s (rows %d to %d%s)", p.Name, p.From+1, p.To, def(p.Name)))
	}
	for _, x := range e.Extra {
		parts = append(parts, fmt.Sprintf("%s (%d further rows)", x.Name, x.Block.Rows))
	}
	return parts
}

type columnJSON struct {
	Name     string      `json:"name"`
	Role     string      `json:"role"`
	Type     string      `json:"type,omitempty"`
	Missing  *int        `json:"missing,omitempty"`
	Distinct *int        `json:"distinct,omitempty"` // absent if there are more than 50 numbers
	Min      *float64    `json:"min,omitempty"`
	Max      *float64    `json:"max,omitempty"`
	Mean     *float64    `json:"mean,omitempty"`
	SD       *float64    `json:"sd,omitempty"`
	Values   []valueJSON `json:"values,omitempty"` // if there are at most 50
}

type valueJSON struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

type showJSON struct {
	Name       string         `json:"name"`
	Rows       int            `json:"rows"`
	Features   int            `json:"features"`
	Privileged int            `json:"privileged"`
	Task       *string        `json:"task"`
	Classes    map[string]int `json:"classes"`
	Targets    []string       `json:"targets"`
	Columns    []columnJSON   `json:"columns"`
	Format     string         `json:"format,omitempty"`
	*entryJSON
	Notes []string `json:"notes"`
}

// entryJSON is what the registry adds.
type entryJSON struct {
	Title     string                 `json:"title"`
	Part      string                 `json:"part"`
	Parts     []string               `json:"parts"`
	Available bool                   `json:"available"`
	URL       string                 `json:"url"`
	SHA256    string                 `json:"sha256"`
	Page      string                 `json:"page"`
	Licence   string                 `json:"licence"`
	Citation  string                 `json:"citation"`
	Files     []registry.FileSummary `json:"files"`
	Errata    []string               `json:"errata"`
	Paper     *paperJSON             `json:"paper"`
}

func (d *description) json(notes []string) showJSON {
	j := showJSON{
		Name: d.name, Rows: d.rows(), Features: len(d.roles.Normal), Privileged: len(d.roles.Priv), Classes: map[string]int{},
		Targets: d.targets(), Columns: []columnJSON{}, Format: string(d.format), Notes: orEmpty(notes),
	}
	if task := d.task(); task != "" {
		j.Task = &task
	}
	for _, c := range d.classes() {
		j.Classes[c.Text] = c.Count
	}
	for i, f := range d.fields {
		if role := d.role(i); role != "" {
			j.Columns = append(j.Columns, d.columnJSON(i, f.Name, role))
		}
	}
	if d.entry != nil {
		j.entryJSON = d.entryJSON()
	}
	return j
}

func (d *description) entryJSON() *entryJSON {
	s := d.entry.Summary(d.available)
	return &entryJSON{
		Title: s.Title, Part: d.shownPart(), Parts: s.Parts, Available: s.Available, URL: s.URL, SHA256: s.SHA256, Page: s.Page,
		Licence: s.Licence, Citation: s.Citation, Files: s.Files, Errata: orEmpty(d.entry.Errata), Paper: d.paper(),
	}
}

func (d *description) columnJSON(i int, name, role string) columnJSON {
	j := columnJSON{Name: name, Role: role}
	if d.summary == nil {
		return j
	}
	c := &d.summary.Columns[d.columns[i]]
	j.Type, j.Missing = "numeric", &c.Missing
	if c.Kind == dataset.Nominal {
		j.Type = "categorical"
	}
	if c.Kind == dataset.Nominal || c.Distinct <= survey.MaxDistinct {
		j.Distinct = &c.Distinct
	}
	for _, n := range []struct {
		dst **float64
		v   float64
	}{{&j.Min, c.Min}, {&j.Max, c.Max}, {&j.Mean, c.Mean}, {&j.SD, c.Std}} {
		if !math.IsNaN(n.v) && !math.IsInf(n.v, 0) {
			*n.dst = &n.v
		}
	}
	if len(c.Values) <= survey.MaxDistinct {
		for _, v := range c.Values {
			j.Values = append(j.Values, valueJSON{v.Text, v.Count})
		}
	}
	return j
}
