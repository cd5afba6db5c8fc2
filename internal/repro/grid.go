package repro

import "math"

// grid is what was measured under one protocol, laid out as in the paper: a row for
// each data set, a column for each method.
type grid struct {
	protocol Protocol
	methods  []*Method
	rows     []gridRow
}

type gridRow struct {
	dataset *Dataset
	cells   []*Cell // one a method; nil where there is none
}

// grids returns the grids of the protocols that have cells, in the experiment's order;
// methods and data sets without any cell are left out.
func (r *Result) grids() []grid {
	at := map[Key]*Cell{}
	for _, c := range r.Cells {
		at[c.Key] = c
	}
	var grids []grid
	for _, p := range r.Experiment.Protocols {
		if g := r.grid(p, at); len(g.rows) > 0 {
			grids = append(grids, g)
		}
	}
	return grids
}

func (r *Result) grid(p Protocol, at map[Key]*Cell) grid {
	g := grid{protocol: p}
	e := r.Experiment
	for i := range e.Methods {
		for k := range e.Datasets {
			if at[e.Methods[i].key(p.Name, e.Datasets[k].Name)] != nil {
				g.methods = append(g.methods, &e.Methods[i])
				break
			}
		}
	}
	for k := range e.Datasets {
		row, some := gridRow{dataset: &e.Datasets[k]}, false
		for _, m := range g.methods {
			c := at[m.key(p.Name, e.Datasets[k].Name)]
			row.cells, some = append(row.cells, c), some || c != nil
		}
		if some {
			g.rows = append(g.rows, row)
		}
	}
	return g
}

// label names a method among others: with its kernel or activation, where another has
// the same name.
func (g *grid) label(m *Method) string {
	for _, other := range g.methods {
		if other != m && other.Name == m.Name {
			return m.Name + ", " + m.Kernel + m.Activation
		}
	}
	return m.Name
}

// column returns the place of a method that fits, or -1.
func (g *grid) column(fits func(*Method) bool) int {
	for i, m := range g.methods {
		if fits(m) {
			return i
		}
	}
	return -1
}

// measured reports whether a cell has a value.
func (c *Cell) measured() bool { return c != nil && len(c.Trials) > 0 && !math.IsNaN(c.Mean()) }
