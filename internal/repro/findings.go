package repro

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

const quickRun = "quick run, on few rows and settings"

// findings says in plain sentences what the numbers show.
func (r *Result) findings(grids []grid) []string {
	switch {
	case r.Statistics != nil:
		return r.agreement()
	case r.Run.Quick:
		return []string{"a " + quickRun + ": nothing follows from its numbers."}
	case r.Points != nil:
		return r.figureFindings()
	case r.Gains != nil:
		return r.gainFindings()
	}
	var out []string
	for i := range grids {
		v := view{r.Experiment, &grids[i]}
		texts := append([]string{v.againstPaper()}, v.privileged()...)
		for _, text := range append(texts, v.best(), v.unreached(), v.times()) {
			if text != "" {
				out = append(out, fmt.Sprintf("%s: %s", grids[i].protocol.Name, text))
			}
		}
	}
	return out
}

// view is a grid and what its numbers are.
type view struct {
	e *Experiment
	*grid
}

// side compares a cell with a number: 1 where the cell is better by more than two standard errors, -1 where it is worse
// by more, 0 otherwise.
func (e *Experiment) side(c *Cell, number float64) int {
	other := Cell{Trials: c.Trials, TestRows: c.TestRows, Paper: &Published{Value: number}}
	switch {
	case !other.Differs():
		return 0
	case e.better(c.Mean(), number):
		return 1
	}
	return -1
}

// tally holds the names of data sets by side: 1, 0 or -1.
type tally map[int][]string

func (t tally) count() int { return len(t[1]) + len(t[0]) + len(t[-1]) }

// amount writes the number of data sets, and their names if they are few.
func amount(names []string) string {
	text := strconv.Itoa(len(names))
	if len(names) > 0 && len(names) <= 4 {
		text += " (" + strings.Join(names, "; ") + ")"
	}
	return text
}

// againstPaper counts cells by how they compare with the paper.
func (v view) againstPaper() string {
	counts, stopped := map[int]int{}, 0
	for _, row := range v.rows {
		for _, c := range row.cells {
			switch {
			case c == nil || c.Paper == nil:
			case !c.measured():
				stopped++
			default:
				counts[v.e.side(c, c.Paper.Value)]++
			}
		}
	}
	n := counts[1] + counts[0] + counts[-1]
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("of %s of the paper %d within two standard errors, %d better here, %d worse",
		plural(n, "number"), counts[0], counts[1], counts[-1])
	if stopped > 0 {
		text += fmt.Sprintf("; %d not measured", stopped)
	}
	return text + "."
}

// privileged compares every method that learns from privileged columns with its sibling that does not.
func (v view) privileged() []string {
	var out []string
	for i, m := range v.methods {
		plain := m.kind().Plain
		without := v.column(func(o *Method) bool {
			return o.Config.Kind == plain && !o.AllColumns && o.Kernel == m.Kernel && o.Activation == m.Activation
		})
		if !m.AllColumns && without >= 0 && !v.copied(i) {
			if text := v.gain(i, without); text != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

// copied reports whether all cells of a column show the trials of another method.
func (v view) copied(column int) bool {
	for _, row := range v.rows {
		if c := row.cells[column]; c != nil && c.SameAs == "" {
			return false
		}
	}
	return true
}

// gain says on how many data sets a method is better than another, trial by trial.
func (v view) gain(with, without int) string {
	t, sum, known := tally{}, 0.0, 0
	for _, row := range v.rows {
		a, b := row.cells[with], row.cells[without]
		if !a.measured() || !b.measured() {
			continue
		}
		sum += a.Mean() - b.Mean()
		known++
		if side, ok := v.paired(a, b); ok {
			t[side] = append(t[side], row.dataset.Name)
		}
	}
	names := v.label(v.methods[with]) + " against " + v.label(v.methods[without]) + v.tuned(with)
	switch n := t.count(); {
	case known == 1:
		return names + v.single(sum, t) + "."
	case n == 0:
		return ""
	default:
		text := fmt.Sprintf("%sbetter by more than two standard errors of the difference on %s, worse on %s of %s",
			names, amount(t[1]), amount(t[-1]), plural(n, "data set"))
		if v.e.greater() {
			text += fmt.Sprintf("; on average %+.2f points", sum/float64(known))
		}
		return text + "."
	}
}

// tuned says how a method was tuned, compared with its sibling without privileged columns.
func (v view) tuned(with int) string {
	if v.methods[with].ChosenWith != "" && len(v.rows) > 1 {
		return ", its settings chosen once: "
	}
	return ", tuned equally: "
}

// single says what the difference is on the only data set.
func (v view) single(difference float64, t tally) string {
	text := fmt.Sprintf("%+.2f points", difference)
	if !v.e.greater() {
		text = fmt.Sprintf("%+.3f", difference)
	}
	switch {
	case t.count() == 0:
		return text + " in one trial"
	case len(t[0]) == 0:
		return text + ", more than two standard errors"
	}
	return text + ", within two standard errors"
}

// paired compares two cells over the trials they share; ok is false for fewer than two.
func (v view) paired(a, b *Cell) (side int, ok bool) {
	difference := differences(a, b)
	if len(difference.Trials) < 2 {
		return 0, false
	}
	switch mean := difference.Mean(); {
	case math.Abs(mean) <= difference.twoErrors():
		return 0, true
	case v.e.better(mean, 0):
		return 1, true
	}
	return -1, true
}

// best compares the best method with privileged columns with the paper's KRVFL+.
func (v view) best() string {
	t := tally{}
	for _, row := range v.rows {
		best := v.bestOf(row, func(m *Method) bool { return m.kind().Privileged && !m.AllColumns })
		paper := InPaper(v.e.Name, Key{Dataset: row.dataset.Name, Method: "KRVFL+"})
		if best != nil && paper != nil {
			side := v.e.side(best, paper.Value)
			t[side] = append(t[side], row.dataset.Name)
		}
	}
	if t.count() == 0 || len(v.rows) == 1 {
		return ""
	}
	var parts []string
	for _, s := range []struct {
		side int
		word string
	}{{1, "better on "}, {0, "within two standard errors on "}, {-1, "worse on "}} {
		if len(t[s.side]) > 0 {
			parts = append(parts, s.word+strings.Join(t[s.side], "; "))
		}
	}
	return "the best method with privileged columns beside the paper's KRVFL+: " + strings.Join(parts, ", ") + "."
}

// bestOf returns the best measured cell of a row among the methods that fit, nil without any.
func (v view) bestOf(row gridRow, fits func(*Method) bool) *Cell {
	var best *Cell
	for i, c := range row.cells {
		if fits(v.methods[i]) && c.measured() && (best == nil || v.e.better(c.Mean(), best.Mean())) {
			best = c
		}
	}
	return best
}

// unreached names the data sets on which the paper's best number is out of reach.
func (v view) unreached() string {
	var names []string
	bounded := 0
	for _, row := range v.rows {
		upper := v.upper(row)
		paper := v.paperBest(row)
		if upper == nil || paper == nil {
			continue
		}
		bounded++
		if v.e.side(upper, paper.Value) < 0 {
			names = append(names, row.dataset.Name)
		}
	}
	if bounded == 0 {
		return ""
	}
	return "the paper's best number is out of reach, even for a model that sees all columns of test rows, on " +
		amount(names) + " of " + plural(bounded, "data set") + "."
}

// paperBest returns the best number that the paper prints in a row, nil without any.
func (v view) paperBest(row gridRow) *Published {
	var best *Published
	for _, c := range row.cells {
		if c != nil && c.Paper != nil && (best == nil || v.e.better(c.Paper.Value, best.Value)) {
			best = c.Paper
		}
	}
	return best
}

// upper returns the best cell of a row among the methods that see all columns, nil without any.
func (v view) upper(row gridRow) *Cell {
	return v.bestOf(row, func(m *Method) bool { return m.AllColumns })
}

// times counts the data sets on which training took less time than the paper's.
func (v view) times() string {
	var parts, slower []string
	for i, m := range v.methods {
		faster, n := 0, 0
		for _, row := range v.rows {
			c := row.cells[i]
			if !c.measured() || c.Paper == nil || math.IsNaN(c.Paper.Seconds) {
				continue
			}
			n++
			if c.Seconds() < c.Paper.Seconds {
				faster++
			}
		}
		switch {
		case n == 0:
		case len(v.rows) > 1:
			parts = append(parts, fmt.Sprintf("%s on %d of %d", v.label(m), faster, n))
		case faster > 0:
			parts = append(parts, v.label(m))
		default:
			slower = append(slower, v.label(m))
		}
	}
	switch {
	case parts == nil && slower == nil:
		return ""
	case len(v.rows) > 1:
		return "training took less time than the paper's: " + strings.Join(parts, "; ") + " data sets."
	}
	return fmt.Sprintf("training took less time than the paper's with %s, more with %s.", orNone(parts), orNone(slower))
}

func orNone(names []string) string { return cmp.Or(strings.Join(names, "; "), "none") }

// agreement counts the data sets that are what the paper says.
func (r *Result) agreement() []string {
	var names []string
	for _, s := range r.Statistics {
		if len(s.Differences()) > 0 {
			names = append(names, s.Problem)
		}
	}
	n := len(r.Statistics)
	text := fmt.Sprintf("%d of %s are as the paper says", n-len(names), plural(n, "data set"))
	if names != nil {
		text += "; not " + enumerate(names)
	}
	return []string{text + "."}
}
