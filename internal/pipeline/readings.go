package pipeline

import (
	"math"
	"slices"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/namelist"
	"rvflplus/internal/roles"
)

// Assumed tells in one sentence what was assumed of cells that are not plain numbers; "" if nothing was.
func Assumed(d *dataset.Table) string {
	var phrases []string
	columns := map[string][]string{}
	add := func(phrase, name string) {
		if columns[phrase] == nil {
			phrases = append(phrases, phrase)
		}
		if !slices.Contains(columns[phrase], name) {
			columns[phrase] = append(columns[phrase], name)
		}
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		if !c.Reading.Plain() {
			add("as "+c.Reading.Phrase(), c.Name)
		}
		if c.Padded {
			add("as text, because of leading zeros", c.Name)
		}
		if len(c.Markers) > 0 {
			add("as missing: "+strings.Join(quoted(c.Markers), ", "), c.Name)
		}
	}
	for i, phrase := range phrases {
		phrases[i] = phrase + " (" + namelist.Abbreviate(columns[phrase]) + ")"
	}
	if len(phrases) == 0 {
		return ""
	}
	return "read " + strings.Join(phrases, "; ")
}

func quoted(texts []string) (out []string) {
	for _, text := range texts {
		out = append(out, `"`+text+`"`)
	}
	return out
}

// withoutDates returns the data without columns of dates among the features, if they are to be dropped.
func (t *training) withoutDates(d *roles.Data) *roles.Data {
	if t.Dates != "drop" {
		return d
	}
	out := *d
	var dropped []string
	keep := func(columns []int) (kept []int) {
		for _, i := range columns {
			if c := &d.Columns[i]; c.Reading.IsDate() {
				dropped = append(dropped, c.Name)
			} else {
				kept = append(kept, i)
			}
		}
		return kept
	}
	out.Roles.Normal, out.Roles.Priv = keep(d.Roles.Normal), keep(d.Roles.Priv)
	if len(dropped) > 0 {
		t.note("columns of dates left out: %s", namelist.Abbreviate(dropped))
	}
	return &out
}

// OrderedInTime returns the name of a column of dates by which the rows are sorted, ascending or descending; "" if
// there is none. Rows that may be so by chance, because there are few or few different dates, do not count.
func OrderedInTime(d *dataset.Table) string {
	const leastRows, leastDates = 10, 5
	for i := range d.Columns {
		c := &d.Columns[i]
		if !c.Numeric() || !c.Reading.IsDate() || d.Rows < leastRows {
			continue
		}
		days := slices.Compact(slices.DeleteFunc(slices.Clone(c.Numbers), math.IsNaN))
		if len(days) < leastDates {
			continue
		}
		up := slices.IsSorted(days)
		slices.Reverse(days)
		if up || slices.IsSorted(days) {
			return c.Name
		}
	}
	return ""
}

// Readings returns the readings of the columns that are not plain, by name; targets are the names of the targets.
func (s *Schema) Readings(targets []string) map[string]*dataset.Reading {
	out := map[string]*dataset.Reading{}
	for _, c := range slices.Concat(s.Normal, s.Privileged) {
		if c.Reading != nil {
			out[c.Name] = c.Reading
		}
	}
	for i, name := range targets {
		if r := s.TargetReading(i); r != nil {
			out[name] = r
		}
	}
	return out
}

// warnOfOrder warns that rows left out at random are predicted by models of later rows.
func (t *training) warnOfOrder(name string) {
	t.model.Report.Warnings = append(t.model.Report.Warnings, fault.Textf("the rows are sorted by time (column %q): "+
		"where rows are left out at random or one by one, models of later rows predict earlier ones, which flatters "+
		"if the model is to predict the future; rvfl compare %s and rvfl data split %s keep the order", name,
		fault.Set("time", "COL"), fault.Set("time", "COL")))
}

// TargetReading returns how the numbers of target i of a later table are written, nil for plain numbers and classes.
func (s *Schema) TargetReading(i int) *dataset.Reading {
	if s.Targets == nil {
		return nil
	}
	return s.Targets[i]
}
