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
	"rvflplus/dataset/tablefile"
	"rvflplus/internal/namelist"
	"rvflplus/internal/registry"
	"rvflplus/internal/roles"
	"rvflplus/internal/survey"
	"rvflplus/internal/target"
)

// description is what data show tells of a table.
type description struct {
	name      string
	entry     *registry.Entry // nil of a file
	part      string          // of the entry, "" if none was named
	available bool
	format    tablefile.Format // of a file
	fields    []dataset.Field
	roles     roles.Columns
	roleOf    []string        // of each field: "normal", "privileged", "target", "" if it is left out
	summary   *survey.Summary // of the fields with a role; nil of a data set that is not here
	place     map[int]int     // of a field among the columns of the summary
}

// setRoles gives the fields the roles that a selection names.
func (d *description) setRoles(sel dataset.Selection) (err error) {
	if d.roles, err = roles.Resolve(sel, dataset.FieldNames(d.fields)); err != nil {
		return err
	}
	d.roleOf = make([]string, len(d.fields))
	for role, columns := range map[string][]int{
		"normal": d.roles.Normal, "privileged": d.roles.Priv, "target": d.roles.Target,
	} {
		for _, i := range columns {
			d.roleOf[i] = role
		}
	}
	return nil
}

// column returns the summary of a field that has a role; nil of a data set that is not here.
func (d *description) column(i int) *survey.Column {
	if d.summary == nil {
		return nil
	}
	return &d.summary.Columns[d.place[i]]
}

// shownPart is the part that was asked for, or all rows.
func (d *description) shownPart() string {
	if d.part == "" {
		return registry.All
	}
	return d.part
}

// rows counts the rows of the part, also of a data set that is not here.
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

// task returns "classification" or "regression", as training would take the targets; "" without targets.
func (d *description) task() string {
	switch {
	case len(d.roles.Target) == 0:
		return ""
	case d.entry != nil && slices.Equal(d.targets(), d.entry.Targets):
		return d.entry.Task
	case len(d.roles.Target) > 1 || d.summary == nil:
		return string(target.Regression)
	}
	c := d.column(d.roles.Target[0])
	fraction := func(v survey.ValueCount) bool {
		x, _ := strconv.ParseFloat(v.Text, 64)
		return x != math.Trunc(x)
	}
	if c.Kind == dataset.Nominal ||
		c.Distinct <= target.MaxIntegerClasses && c.Distinct > 0 && !slices.ContainsFunc(c.Values, fraction) {
		return string(target.Classification)
	}
	return string(target.Regression)
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
		return d.column(d.roles.Target[0]).Values
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

func (d *description) print(a *app) {
	fmt.Fprintln(a.stdout, printable(d.title()))
	s := fmt.Sprintf("  %s", count(len(d.roles.Normal), "normal column"))
	if n := len(d.roles.Priv); n > 0 {
		s += fmt.Sprintf(" + %d privileged", n)
	}
	if n := len(d.roles.Target); n > 0 {
		s += ", " + d.task() + " of " + namelist.Abbreviate(d.targets())
	}
	fmt.Fprintln(a.stdout, printable(s))
	if e := d.entry; e != nil && d.part == "" && e.Default != "" && e.Default != registry.All {
		fmt.Fprintf(a.stdout, "  all rows are shown; train @%s reads its part %s only (@%s:%s is all)\n",
			d.name, e.Default, d.name, registry.All)
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
}

// mostShown is how many columns or classes are listed.
const mostShown = 60

// shortNames cuts long names in the first column of a table.
var shortNames = table.ColumnConfig{Number: 1, WidthMax: 40, WidthMaxEnforcer: text.Trim}

// printRest says how many of all columns or classes were not listed.
func (a *app) printRest(all int) {
	if all > mostShown {
		fmt.Fprintf(a.stdout, "  … and %d more (%d in all; --json lists them)\n", all-mostShown, all)
	}
}

func (d *description) printColumns(a *app) {
	t := a.newTable()
	t.AppendHeader(table.Row{"column", "role", "type", "missing", "distinct", "min", "max", "mean", "sd"})
	t.SetColumnConfigs(append(numbersRight(4, 9), shortNames))
	all := 0
	for i, f := range d.fields {
		if d.roleOf[i] == "" {
			continue
		}
		if all++; all > mostShown {
			continue
		}
		row := table.Row{printable(f.Name), d.roleOf[i]}
		if c := d.column(i); c != nil {
			typeName, distinct := "numeric", strconv.Itoa(c.Distinct)
			if c.Kind == dataset.Nominal {
				typeName = "categorical"
			} else if c.Distinct > survey.MaxDistinct {
				distinct = fmt.Sprintf("> %d", survey.MaxDistinct)
			}
			row = append(row, typeName, c.Missing, distinct)
			if c.Kind != dataset.Nominal && !math.IsNaN(c.Min) {
				row = append(row, digits(c.Min), digits(c.Max), digits(c.Mean), digits(c.Std))
			}
		}
		t.AppendRow(row)
	}
	t.SuppressEmptyColumns()
	t.Render()
	a.printRest(all)
}

// printClasses writes a bar for every class.
func (a *app) printClasses(classes []survey.ValueCount) {
	most, rows := 1, 0
	for _, c := range classes {
		most, rows = max(most, c.Count), rows+c.Count
	}
	t := a.newTable()
	t.SetColumnConfigs(append(numbersRight(2, 3), shortNames))
	for _, c := range classes[:min(len(classes), mostShown)] {
		share := float64(c.Count) / float64(max(1, rows))
		bar := strings.Repeat("#", int(math.Ceil(40*float64(c.Count)/float64(most))))
		t.AppendRow(table.Row{printable(c.Text), c.Count, percent(share), bar})
	}
	t.Render()
	a.printRest(len(classes))
}

// printEntry writes what the registry knows.
func (d *description) printEntry(a *app) {
	e := d.entry
	a.section("About")
	t := a.newTable()
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, WidthMax: 90, WidthMaxEnforcer: text.WrapSoft}})
	t.AppendRow(table.Row{"parts", strings.Join(partsOf(e), ", ")})
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

// partsOf lists the parts of a data set with their rows.
func partsOf(e *registry.Entry) []string {
	meant := func(name string) string {
		if name == e.Default || e.Default == "" && name == registry.All {
			return ", meant by @" + e.Name
		}
		return ""
	}
	parts := []string{fmt.Sprintf("%s (%s%s)", registry.All, count(e.Rows, "row"), meant(registry.All))}
	for _, p := range e.Parts {
		parts = append(parts, fmt.Sprintf("%s (rows %d to %d%s)", p.Name, p.From+1, p.To, meant(p.Name)))
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
		Name: d.name, Rows: d.rows(), Features: len(d.roles.Normal), Privileged: len(d.roles.Priv),
		Classes: map[string]int{}, Targets: d.targets(), Columns: []columnJSON{},
		Format: string(d.format), Notes: notes,
	}
	if task := d.task(); task != "" {
		j.Task = &task
	}
	for _, c := range d.classes() {
		j.Classes[c.Text] = c.Count
	}
	for i, f := range d.fields {
		if role := d.roleOf[i]; role != "" {
			j.Columns = append(j.Columns, newColumnJSON(f.Name, role, d.column(i)))
		}
	}
	if d.entry != nil {
		s := d.entry.Summary(d.available)
		j.entryJSON = &entryJSON{
			Title: s.Title, Part: d.shownPart(), Parts: s.Parts, Available: s.Available, URL: s.URL, SHA256: s.SHA256,
			Page: s.Page, Licence: s.Licence, Citation: s.Citation, Files: s.Files,
			Errata: append([]string{}, d.entry.Errata...), Paper: d.paper(),
		}
	}
	return j
}

// newColumnJSON describes a column by its summary c, nil if there is none.
func newColumnJSON(name, role string, c *survey.Column) columnJSON {
	j := columnJSON{Name: name, Role: role}
	if c == nil {
		return j
	}
	j.Type, j.Missing = "numeric", &c.Missing
	if c.Kind == dataset.Nominal {
		j.Type = "categorical"
	}
	if c.Kind == dataset.Nominal || c.Distinct <= survey.MaxDistinct {
		j.Distinct = &c.Distinct
	}
	finite := func(v float64) *float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	j.Min, j.Max, j.Mean, j.SD = finite(c.Min), finite(c.Max), finite(c.Mean), finite(c.Std)
	if len(c.Values) <= survey.MaxDistinct {
		for _, v := range c.Values {
			j.Values = append(j.Values, valueJSON{v.Text, v.Count})
		}
	}
	return j
}
