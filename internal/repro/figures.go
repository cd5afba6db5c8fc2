package repro

import (
	"slices"

	"rvflplus/internal/registry"
)

// figures returns the numbers of a row of tables 3 and 5 in their order.
func figures(f registry.Figures) []int {
	return []int{f.Train, f.Test, f.Attributes, f.Normal, f.Privileged, f.Classes}
}

// figureSections lays out a figure: for each protocol a section with its points as a table.
func (r *Result) figureSections() []section {
	var sections []section
	for _, p := range r.Experiment.Protocols {
		points := r.pointsOf(p.Name)
		if len(points) == 0 {
			continue
		}
		s := section{Heading: "Protocol “" + p.Name + "”", Text: []string{p.Title}}
		if r.Experiment.Sweep.Y == "" {
			s.Table = r.curveTable(points)
		} else {
			s.Table = r.mapTable(points)
		}
		sections = append(sections, s)
	}
	return sections
}

func (r *Result) pointsOf(protocol string) []Point {
	var points []Point
	for _, p := range r.Points {
		if p.Protocol == protocol {
			points = append(points, p)
		}
	}
	return points
}

func (r *Result) curveTable(points []Point) table {
	t := table{Head: []string{r.Experiment.Sweep.X, r.Experiment.quantity()}, Names: 1}
	top := r.top(points)
	for _, p := range points {
		t.Rows = append(t.Rows, []slot{stack(setting(p.X)), {[]string{r.Experiment.number(p.Value)}, p == top}})
	}
	return t
}

// mapTable has a row for each Y, a column for each X.
func (r *Result) mapTable(points []Point) table {
	xs, ys := axis(points, func(p Point) float64 { return p.X }), axis(points, func(p Point) float64 { return p.Y })
	t := table{Head: []string{r.Experiment.Sweep.Y + `\` + r.Experiment.Sweep.X}, Names: 1}
	for _, x := range xs {
		t.Head = append(t.Head, setting(x))
	}
	top := r.top(points)
	for _, y := range ys {
		row := []slot{stack(setting(y))}
		for _, x := range xs {
			at := slices.IndexFunc(points, func(p Point) bool { return p.X == x && p.Y == y })
			if at < 0 {
				row = append(row, stack(none))
				continue
			}
			row = append(row, slot{[]string{r.Experiment.number(points[at].Value)}, points[at] == top})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// axis returns the distinct values along one axis, ascending.
func axis(points []Point, of func(Point) float64) []float64 {
	var values []float64
	for _, p := range points {
		values = append(values, of(p))
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// top returns the best point, the first of equal ones.
func (r *Result) top(points []Point) Point {
	best := Point{Value: nan}
	for _, p := range points {
		if r.Experiment.better(p.Value, best.Value) {
			best = p
		}
	}
	return best
}
