package repro

import "cmp"

// Conclude fills in what follows from the trials: the paper's number of every cell, the best cell of every data set and
// protocol (never one that sees all columns), why a cell differs from the paper, and the findings. Concluding twice
// changes nothing.
func (r *Result) Conclude() {
	for _, c := range r.Cells {
		c.Paper = InPaper(cmp.Or(r.Experiment.Numbers, r.Experiment.Name), c.Key)
		c.Best, c.Remark = false, ""
	}
	if r.Experiment.readings() {
		r.concludeReadings()
		return
	}
	grids := r.grids()
	for i := range grids {
		r.markBest(&grids[i])
		r.markRemarks(&grids[i])
		if r.Experiment.Metric == points {
			r.setGains(&grids[i])
		}
	}
	r.Findings = r.findings(grids)
}

// markBest marks the best cell of each row, and cells whose mean prints the same.
func (r *Result) markBest(g *grid) {
	for _, row := range g.rows {
		best := nan
		for i, c := range row.cells {
			if c.measured() && !g.methods[i].AllColumns && r.Experiment.better(c.Mean(), best) {
				best = c.Mean()
			}
		}
		for i, c := range row.cells {
			if c.measured() && !g.methods[i].AllColumns {
				c.Best = r.Experiment.number(c.Mean()) == r.Experiment.number(best)
			}
		}
	}
}
