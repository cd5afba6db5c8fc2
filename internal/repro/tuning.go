package repro

import (
	"cmp"
	"fmt"
	"strings"
)

// job returns the job of a cell, as far as the choice of settings goes.
func (v view) job(d *Dataset, m *Method) *job {
	j := &job{experiment: v.e, protocol: v.protocol, dataset: *d, method: *m, kind: m.kind()}
	if v.run.Draws > 0 {
		j.protocol.Draws = alike(v.run.Draws)
	}
	return j
}

// choiceRows returns on how many rows settings are chosen.
func (j *job) choiceRows() int {
	if j.tunesOnSubset() {
		return j.tuningRows()
	}
	return j.dataset.Train
}

// tuning compares how the settings of two methods are chosen on the data sets that both have: how many are drawn, on
// how many rows they are chosen, and whether once or in each split.
func (v view) tuning(with, without int) string {
	drawn, rows, once := tally{}, tally{}, tally{}
	for _, row := range v.rows {
		c, d := row.cells[with], row.cells[without]
		if !c.measured() || !d.measured() {
			continue
		}
		a, b := v.job(row.dataset, v.methods[with]), v.job(row.dataset, v.methods[without])
		drawn.compare(row.dataset.Name, a.draws(), b.draws())
		rows.compare(row.dataset.Name, a.choiceRows(), b.choiceRows())
		if min(len(c.Trials), len(d.Trials)) > 1 {
			once.compare(row.dataset.Name, a.choices(), b.choices())
		}
	}
	text := drawn.differing("settings", "as many settings") + ", chosen on " + rows.differing("rows", "as many rows")
	if n := len(once[-1]) + len(once[1]); n > 0 {
		who := v.methods[with].Name
		if len(once[1]) > 0 {
			who = v.methods[without].Name
		}
		text += "; those of " + who + " once instead of in each split on " + plural(n, "data set")
	}
	return text
}

// choices is 1 where settings are chosen in the first trial only, and 2 where each split has its own.
func (j *job) choices() int {
	if j.choosesOnce() {
		return 1
	}
	return 2
}

// compare notes on which side of b a is on a data set.
func (t tally) compare(name string, a, b int) {
	side := cmp.Compare(a, b)
	t[side] = append(t[side], name)
}

// differing says on how many data sets there are fewer or more of a thing, or the words for none.
func (t tally) differing(thing, none string) string {
	var parts []string
	for _, s := range []struct {
		side int
		word string
	}{{-1, "fewer "}, {1, "more "}} {
		if len(t[s.side]) > 0 {
			parts = append(parts, s.word+thing+" on "+plural(len(t[s.side]), "data set"))
		}
	}
	return cmp.Or(strings.Join(parts, " and "), none)
}

// effort says how many settings are drawn for a method without privileged columns, and which methods with privileged
// columns have as many.
func (v view) effort(row gridRow, column int) string {
	m := v.methods[column]
	n := v.job(row.dataset, m).draws()
	var alike []string
	for _, other := range v.methods {
		sibling := other.kind().Plain == m.Config.Kind && !other.Ours && !other.AllColumns &&
			other.Kernel == m.Kernel && other.Activation == m.Activation
		if sibling && v.job(row.dataset, other).draws() == n {
			alike = append(alike, other.Name)
		}
	}
	text := fmt.Sprintf("tuned here with %d settings", n)
	if alike != nil {
		text += ", as many as " + enumerate(alike)
	}
	return text + "; the paper does not say how it tuned " + m.Name
}
