package repro

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"rvflplus/internal/report"
)

// picture is a picture of a result; name tells the pictures of one result apart.
type picture struct {
	name    string
	drawing report.Drawing
}

// suffix is the end of the picture's file name in a format, behind the result's name.
func (p picture) suffix(ending string) string {
	if p.name == "" {
		return ending
	}
	return "-" + p.name + ending
}

// pictures returns the box plots of a table's trials, the map of a figure for each
// protocol, or the rows of data sets beside the paper's.
func (r *Result) pictures() []picture { return r.divided(math.MaxInt) }

// divided is pictures, with at most so many data sets in a picture of box plots.
func (r *Result) divided(panels int) []picture {
	switch {
	case r.Statistics != nil:
		return []picture{{drawing: r.sizes()}}
	case r.Points != nil && r.Experiment.Sweep.Y == "":
		return []picture{{drawing: r.curve()}}
	case r.Points != nil:
		return r.heatMaps()
	case len(r.Cells) == 0:
		return nil
	case r.Experiment.Metric == points:
		return r.forests()
	case r.Experiment.readings():
		return []picture{{drawing: r.readingPicture()}}
	}
	var out []picture
	all := r.boxes()
	for part := range slices.Chunk(all.Panels, panels) {
		b := *all
		b.Panels = part
		out = append(out, picture{drawing: &b})
	}
	return out
}

// boxes shows the trials of every cell, the protocols below one another, with the
// paper's numbers.
func (r *Result) boxes() *report.Boxes {
	grids := r.grids()
	e := r.Experiment
	b := &report.Boxes{Title: r.title(), Label: e.quantity(), Tick: "in the paper", Log: e.Metric == rmse}
	for i := range grids {
		b.Series = append(b.Series, "here, "+grids[i].protocol.Name)
	}
	for k := range r.Experiment.Datasets {
		if p := r.panel(&r.Experiment.Datasets[k], grids); len(p.Lines) > 0 {
			b.Panels = append(b.Panels, p)
		}
	}
	return b
}

// panel is the picture of one data set.
func (r *Result) panel(d *Dataset, grids []grid) report.BoxPanel {
	p := report.BoxPanel{Name: d.Name}
	for i := range r.Experiment.Methods {
		m := &r.Experiment.Methods[i]
		line := report.BoxLine{Name: m.Name, Values: make([][]float64, len(grids)), Tick: math.NaN()}
		some := false
		for k := range grids {
			c := grids[k].cell(d, m)
			if c == nil {
				continue
			}
			line.Name, line.Values[k], some = grids[k].label(m), c.values(), true
			if c.Paper != nil {
				line.Tick = c.Paper.Value
			}
		}
		if some {
			p.Lines = append(p.Lines, line)
		}
	}
	return p
}

// cell returns the cell of a data set and a method, nil where there is none.
func (g *grid) cell(d *Dataset, m *Method) *Cell {
	column := g.column(func(other *Method) bool { return other == m })
	row := slices.IndexFunc(g.rows, func(row gridRow) bool { return row.dataset == d })
	if column < 0 || row < 0 {
		return nil
	}
	return g.rows[row].cells[column]
}

func (c *Cell) values() []float64 {
	var values []float64
	for _, t := range c.Trials {
		values = append(values, t.Value)
	}
	return values
}

// curve shows a figure of one hyper-parameter, with a rule where the paper's region
// begins.
func (r *Result) curve() *report.Curve {
	v := &report.Curve{Title: r.title(), X: r.Experiment.Sweep.X, Y: r.Experiment.quantity()}
	for _, p := range r.Experiment.Protocols {
		s := report.CurveSeries{Name: p.Name}
		for _, point := range r.pointsOf(p.Name) {
			s.X, s.Y = append(s.X, point.X), append(s.Y, point.Value)
		}
		if s.X != nil {
			v.Series = append(v.Series, s)
		}
	}
	if g, known := regions[r.Experiment.Name]; known {
		v.Mark, v.Tick = g.lowX, "chosen in the paper"
	}
	return v
}

// forests shows what methods gain over the tuned KRVFL, a picture a method, label first.
func (r *Result) forests() []picture {
	var out []picture
	for _, method := range []string{"label", "stack", "transfer", "distill", "projected", "weigh", averagedName} {
		v := &report.Intervals{Label: method + ": points over the tuned KRVFL, mean ± 2 standard errors"}
		for _, g := range r.gainsOf(method, tunedName) {
			both := 2 * float64(g.SE)
			if math.IsNaN(both) { // one split: a point
				both = 0
			}
			v.Lines = append(v.Lines, report.IntervalLine{Name: g.Dataset, Mean: g.Mean, Low: g.Mean - both,
				High: g.Mean + both, Colour: map[int]color.Color{
					1: report.Palette[2], 0: report.Palette[9], -1: report.Palette[5],
				}[g.Side]})
		}
		if v.Lines == nil {
			continue
		}
		name := method
		if len(out) == 0 {
			name = ""
		}
		out = append(out, picture{name, v})
	}
	return out
}

// heatMaps shows a figure of two hyper-parameters, a picture a protocol.
func (r *Result) heatMaps() []picture {
	var out []picture
	sweep := r.Experiment.Sweep
	for _, p := range r.Experiment.Protocols {
		points := r.pointsOf(p.Name)
		if len(points) == 0 {
			continue
		}
		h := &report.HeatMap{
			Title: r.short() + ", " + r.Experiment.Methods[0].Name,
			Score: cmp.Or(r.Experiment.Metric, accuracy), Greater: r.Experiment.greater(),
			Names: []string{sweep.X, sweep.Y}, Pairs: [][2]int{{0, 1}},
			Best: max(0, slices.Index(points, r.top(points))),
		}
		for _, point := range points {
			h.Points = append(h.Points, report.Setting{Values: []float64{point.X, point.Y}, Score: point.Value})
		}
		name := ""
		if len(out) > 0 {
			name = p.Name
		}
		out = append(out, picture{name, h})
	}
	return out
}

// sizes shows what tables 3 and 5 count.
func (r *Result) sizes() *report.Boxes {
	b := &report.Boxes{Title: r.title(), Label: "number", Series: []string{"data"}, Tick: "in the paper", Log: true}
	for i, name := range []string{"training rows", "test rows", "normal features", "privileged features"} {
		at := []int{0, 1, 3, 4}[i]
		p := report.BoxPanel{Name: name}
		for _, s := range r.Statistics {
			data, paper := figures(s.Data())[at], figures(s.Figures)[at]
			p.Lines = append(p.Lines, report.BoxLine{
				Name: s.Problem, Values: [][]float64{{float64(data)}}, Tick: float64(paper),
			})
		}
		b.Panels = append(b.Panels, p)
	}
	return b
}
