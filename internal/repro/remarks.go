package repro

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// reason is a known reason why numbers differ from the paper's. A field that is empty fits every cell.
type reason struct {
	tables   []string
	dataset  string // how the name begins
	methods  []string
	protocol string
	side     int // 1 where ours is better, -1 where it is worse
	text     string
}

// reasons are tried in this order: the first that fits is told. Reasons that follow from the numbers themselves (see
// derived) come after them.
var reasons = []reason{
	{dataset: "EDM", text: "the paper's 140 and 74 rows are those of Glass; EDM has 154, here 100 and 54"},
	{dataset: "Glass", text: "six classes occur; the paper has five and does not say which"},
	{dataset: "Red Wine Quality, ", text: "the paper does not name its three classes; this grouping is one of several"},
	{dataset: "Red Wine Quality", text: "the paper has three classes and does not name them; the data have six grades"},
	{
		tables: []string{"table4"}, dataset: "Segment", side: 1,
		text: "not known; the paper itself has 79 % in table 7, with noise on the same rows, and 30 % here",
	},
	{
		tables: []string{"table6"}, dataset: "SLUMP", protocol: PublishedName, side: 1,
		text: slumpNear0 + "; targets that are not centred, as here, do not explain it",
	},
	{tables: []string{"table6"}, dataset: "SLUMP", side: 1, text: slumpNear0},
}

const (
	notKnown   = "not known"
	slumpNear0 = "the paper's RMSE is near that of predicting 0 (38.9 over all rows) " +
		"and far above that of predicting the means (12.1)"
)

// markRemarks gives every cell that differs from the paper its reason.
func (r *Result) markRemarks(g *grid) {
	v := r.view(g)
	for _, row := range g.rows {
		for i, c := range row.cells {
			if c != nil && c.Differs() {
				c.Remark = cmp.Or(c.Otherwise, r.reason(v, row, i))
			}
		}
	}
}

func (r *Result) reason(v view, row gridRow, column int) string {
	c := row.cells[column]
	side := v.e.side(c, c.Paper.Value)
	if r.Run.Quick {
		return quickRun
	}
	known := r.beyondAll(v, row, c)
	for i := range reasons {
		if !reasons[i].fits(r.Experiment.Name, c, side) {
			continue
		}
		if known != "" {
			return reasons[i].text + "; " + known
		}
		return reasons[i].text
	}
	return cmp.Or(known, r.derived(v, row, column, side))
}

func (x *reason) fits(table string, c *Cell, side int) bool {
	return (x.tables == nil || slices.Contains(x.tables, table)) && strings.HasPrefix(c.Dataset, x.dataset) &&
		(x.methods == nil || slices.Contains(x.methods, c.Method)) && (x.protocol == "" || x.protocol == c.Protocol) &&
		(x.side == 0 || x.side == side)
}

// beyondAll tells that the paper's number is better than the model that sees all columns under the cell's protocol, and
// which cell of the result reaches the number all the same. Such a model is no bound: other methods, another protocol
// or another half of the columns may do better.
func (r *Result) beyondAll(v view, row gridRow, c *Cell) string {
	all := v.seeingAll(row)
	if all == nil || v.e.side(all, c.Paper.Value) >= 0 {
		return ""
	}
	if other := r.reaching(c.Dataset, c.Paper.Value); other != nil {
		return "reached" + r.closely(other, c.Paper.Value) + " by " + r.where(other, c.Protocol)
	}
	return "better than our model that sees all columns under this protocol (" + v.e.number(all.Mean()) + ")"
}

// reaching returns the best cell of a data set, of any method and protocol, that is as good as a number or within two
// standard errors of it; nil without any. A cell without the privileged columns in use goes before one that sees them.
func (r *Result) reaching(dataset string, number float64) *Cell {
	var best *Cell
	e := r.Experiment
	for _, c := range r.Cells {
		if c.Dataset != dataset || c.SameAs != "" || !c.measured() || !e.reaches(c, number) {
			continue
		}
		if best == nil || e.seesAll(best) && !e.seesAll(c) ||
			e.seesAll(best) == e.seesAll(c) && e.better(c.Mean(), best.Mean()) {
			best = c
		}
	}
	return best
}

// reaches reports whether a cell is as good as a number or within two standard errors of it. Without a standard error
// the mean decides.
func (e *Experiment) reaches(c *Cell, number float64) bool {
	return !e.better(number, c.Mean()) || math.Abs(c.Mean()-number) <= c.twoErrors()
}

// seesAll reports whether a cell is of a model that sees all columns.
func (e *Experiment) seesAll(c *Cell) bool {
	return slices.ContainsFunc(e.Methods, func(m Method) bool { return m.AllColumns && m.Name == c.Method })
}

// closely says how a cell reaches a number that is better than its mean.
func (r *Result) closely(c *Cell, number float64) string {
	if r.Experiment.better(number, c.Mean()) {
		return " within two standard errors"
	}
	return ""
}

// where names a cell with its value, and with its protocol if that is another.
func (r *Result) where(c *Cell, protocol string) string {
	if c.Protocol != protocol {
		return fmt.Sprintf("%s under “%s” (%s)", c.Method, c.Protocol, r.Experiment.number(c.Mean()))
	}
	return fmt.Sprintf("%s (%s)", c.Method, r.Experiment.number(c.Mean()))
}

// derived returns the reason for a difference that follows from the numbers.
func (r *Result) derived(v view, row gridRow, column, side int) string {
	c := row.cells[column]
	other := r.twin(c)
	switch {
	case side > 0 && other.measured() && v.e.side(other, other.Paper.Value) <= 0:
		return fmt.Sprintf("this protocol makes the difference: under “%s” it is %s",
			other.Protocol, v.e.number(other.Mean()))
	case side > 0 && !v.methods[column].kind().Privileged:
		return v.effort(row, column)
	}
	if c.Protocol != PublishedName {
		return notKnown
	}
	return nearestReading(r.Experiment.Name, c.Dataset, c.Method)
}

// twin returns the same cell under the first protocol, nil for a cell of the first protocol.
func (r *Result) twin(c *Cell) *Cell {
	key := c.Key
	key.Protocol = r.Experiment.Protocols[0].Name
	i := slices.IndexFunc(r.Cells, func(o *Cell) bool { return o.Key == key })
	if i < 0 || key == c.Key || r.Cells[i].Paper == nil {
		return nil
	}
	return r.Cells[i]
}
