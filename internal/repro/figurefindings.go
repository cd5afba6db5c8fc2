package repro

import (
	"fmt"
	"math"
	"slices"
)

// region is the part of a figure that the paper chooses or speaks of.
type region struct {
	words                    string
	lowX, highX, lowY, highY float64
}

var regions = map[string]region{
	"figure2":  {"C = 1 and γ = 1000, which the paper chooses", 1, 1, 1000, 1000},
	"figure3a": {"γ of 5000 and more, where the paper sees no influence", 5000, math.Inf(1), 0, 0},
	"figure3b": {"C from 1 to 2 and τ from 0.02 to 0.03, where the paper sees the best", 1, 2, 0.02, 0.03},
}

// holds reports whether a point lies in the region, up to the rounding of grids.
func (g region) holds(p Point) bool {
	const slack = 1e-9
	return p.X >= g.lowX*(1-slack) && p.X <= g.highX*(1+slack) && p.Y >= g.lowY*(1-slack) && p.Y <= g.highY*(1+slack)
}

// figureFindings says where a figure is best, how good it is in the paper's region, and how much each hyper-parameter
// changes it.
func (r *Result) figureFindings() []string {
	var out []string
	for _, p := range r.Experiment.Protocols {
		points := slices.DeleteFunc(r.pointsOf(p.Name), func(p Point) bool { return math.IsNaN(p.Value) })
		if len(points) == 0 {
			continue
		}
		sweep, top := r.Experiment.Sweep, r.top(points)
		at := fmt.Sprintf("%s = %s", sweep.X, setting(top.X))
		if sweep.Y != "" {
			at += fmt.Sprintf(", %s = %s", sweep.Y, setting(top.Y))
		}
		text := fmt.Sprintf("%s: the best is %s, at %s", p.Name, r.Experiment.number(top.Value), at)
		if in := r.inRegion(points); in != "" {
			text += "; " + in
		}
		out = append(out, text+".")
		if sweep.Y != "" {
			out = append(out, fmt.Sprintf("%s: at the best %s, %s moves it %s; at the best %s, %s %s.", p.Name,
				sweep.X, sweep.Y, r.between(points, func(p Point) bool { return p.X == top.X }),
				sweep.Y, sweep.X, r.between(points, func(p Point) bool { return p.Y == top.Y })))
		}
	}
	return out
}

func (r *Result) inRegion(points []Point) string {
	g, known := regions[r.Experiment.Name]
	if !known || !slices.ContainsFunc(points, g.holds) {
		return ""
	}
	return "at " + g.words + ", it is " + r.between(points, g.holds)
}

// between writes the range of the values of some points.
func (r *Result) between(points []Point, of func(Point) bool) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range points {
		if of(p) {
			low, high = min(low, p.Value), max(high, p.Value)
		}
	}
	if r.Experiment.number(low) == r.Experiment.number(high) {
		return r.Experiment.number(low)
	}
	return "from " + r.Experiment.number(low) + " to " + r.Experiment.number(high)
}
