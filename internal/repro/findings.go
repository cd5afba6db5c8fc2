package repro

import (
	"cmp"
	"fmt"
	"math"
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
		v := r.view(&grids[i])
		texts := append([]string{v.againstPaper()}, v.privileged()...)
		for _, text := range append(texts, v.best(), v.unreached(r), v.times()) {
			if text != "" {
				out = append(out, fmt.Sprintf("%s: %s", grids[i].protocol.Name, text))
			}
		}
	}
	return out
}

// view is a grid and what its numbers are.
type view struct {
	e   *Experiment
	run *Run
	*grid
}

func (r *Result) view(g *grid) view { return view{r.Experiment, &r.Run, g} }

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

// tells reports whether a cell has a standard error, so that it can be compared with a number of the paper.
func (c *Cell) tells() bool { return !math.IsNaN(c.StandardError()) }

// agreed counts numbers of the paper by how the cells here compare with them.
type agreed struct {
	sides   map[int]int // 1 better here, 0 within two standard errors, -1 worse
	single  int         // measured once, and without a standard error
	missing int         // not measured
	other   int         // measured otherwise than in the paper by design, see Cell.Otherwise
}

func (a *agreed) count() int { return a.sides[1] + a.sides[0] + a.sides[-1] + a.single }

// agreement counts the cells of a grid that the paper has too.
func (v view) agreement() agreed {
	a := agreed{sides: map[int]int{}}
	for _, row := range v.rows {
		for _, c := range row.cells {
			switch {
			case c == nil || c.Paper == nil:
			case !c.measured():
				a.missing++
			case c.Otherwise != "":
				a.other++
			case !c.tells():
				a.single++
			default:
				a.sides[v.e.side(c, c.Paper.Value)]++
			}
		}
	}
	return a
}

// againstPaper counts cells by how they compare with the paper.
func (v view) againstPaper() string {
	a := v.agreement()
	if a.count() == 0 {
		return ""
	}
	text := fmt.Sprintf("of %s of the paper %d within two standard errors, %d better here, %d worse",
		plural(a.count(), "number"), a.sides[0], a.sides[1], a.sides[-1])
	if a.single > 0 {
		text += fmt.Sprintf(", %d measured in one trial, which has no standard error", a.single)
	}
	if a.other > 0 {
		text += fmt.Sprintf("; %d measured otherwise than in the paper", a.other)
	}
	if a.missing > 0 {
		text += fmt.Sprintf("; %d not measured", a.missing)
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

// contest compares two methods, trial by trial.
func (v view) contest(with, without int) contest {
	var c contest
	for _, row := range v.rows {
		a, b := row.cells[with], row.cells[without]
		if a.measured() && b.measured() && a.Otherwise == b.Otherwise {
			c.add(row.dataset.Name, compared(a, b), v.e.greater())
		}
	}
	return c
}

// gain says on how many data sets a method is better than another.
func (v view) gain(with, without int) string {
	c := v.contest(with, without)
	names := fmt.Sprintf("%s against %s (%s): ", v.label(v.methods[with]), v.label(v.methods[without]),
		v.tuning(with, without))
	switch {
	case c.sets == 1:
		return names + v.single(&c) + "."
	case c.sides.count() == 0:
		return ""
	case v.e.greater():
		return names + c.counts("data set") + "; " + c.average(2, "data set", "trial") + "."
	}
	return names + c.counts("data set") + "."
}

// single says what the difference is on the only data set.
func (v view) single(c *contest) string {
	text := fmt.Sprintf("%+.2f points", c.sum)
	if !v.e.greater() {
		text = fmt.Sprintf("%+.3f", c.sum)
	}
	switch {
	case c.sides.count() == 0:
		return text + " in one trial"
	case len(c.sides[0]) == 0:
		return text + ", more than two standard errors"
	}
	return text + ", within two standard errors"
}

// best compares the best method with privileged columns with the paper's KRVFL+.
func (v view) best() string {
	t := tally{}
	for _, row := range v.rows {
		best := v.bestOf(row, func(m *Method) bool { return m.kind().Privileged && !m.AllColumns })
		paper := InPaper(v.e.Name, Key{Dataset: row.dataset.Name, Method: "KRVFL+"})
		if best != nil && paper != nil && best.Otherwise == "" {
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

// unreached names the data sets on which the paper's best number is better than the model that sees all columns, and
// tells where another cell of this result reaches the number.
func (v view) unreached(r *Result) string {
	var names, reached []string
	compared := 0
	for _, row := range v.rows {
		all, paper := v.seeingAll(row), v.paperBest(row)
		if all == nil || paper == nil || all.Otherwise != "" {
			continue
		}
		compared++
		if v.e.side(all, paper.Value) >= 0 {
			continue
		}
		names = append(names, row.dataset.Name)
		if c := r.reaching(row.dataset.Name, paper.Value); c != nil {
			reached = append(reached, row.dataset.Name+": "+r.where(c, v.protocol.Name))
		}
	}
	if compared == 0 {
		return ""
	}
	text := fmt.Sprintf("the paper's best number is better than our model that sees all columns under this protocol "+
		"on %s of %s", amount(names), plural(compared, "data set"))
	if reached != nil {
		text += "; other cells are as good, or within two standard errors, on " + amount(reached) + " of them"
	}
	return text + "."
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

// seeingAll returns the best cell of a row among the methods that see all columns, nil without any.
func (v view) seeingAll(row gridRow) *Cell {
	return v.bestOf(row, func(m *Method) bool { return m.AllColumns })
}

// times counts the data sets on which training took less time than the paper's.
func (v view) times() string {
	var parts, slower []string
	for i, m := range v.methods {
		faster, n := 0, 0
		for _, row := range v.rows {
			c := row.cells[i]
			if !c.measured() || c.Paper == nil || c.Otherwise != "" || math.IsNaN(c.Paper.Seconds) {
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
