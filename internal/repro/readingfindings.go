package repro

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Nearest is the reading whose mean comes nearest to a number of the paper, among those that leak nothing.
type Nearest struct {
	Dataset string   `json:"dataset"`
	Method  string   `json:"method"`
	Paper   float64  `json:"paper"`
	Reading string   `json:"reading"`
	Words   string   `json:"words"` // the reading in words
	Value   float64  `json:"value"`
	SD      *float64 `json:"sd"`
	SE      *float64 `json:"se"` // standard error of the mean
	// Within counts the readings within two standard errors of the paper's number, of Readings.
	Within   int     `json:"within"`
	Readings int     `json:"readings"`
	Low      float64 `json:"low"` // of all means
	High     float64 `json:"high"`
	// Covered is the share of the range from Low to High that is within two standard errors of some reading: the chance
	// that a number from anywhere in this range would find a reading.
	Covered float64 `json:"covered"`
	// Joint are the lowest and the highest mean with one norm of rows over both spaces.
	Joint []float64 `json:"joint,omitempty"`
}

// Overall is how near a reading comes to the paper over all its data sets. Where the paper's row stands for several
// groupings of classes, the nearest of these counts.
type Overall struct {
	Method  string `json:"method"`
	Reading string `json:"reading"`
	// Difference is the mean absolute difference from the paper's numbers: points of an accuracy, percent of an RMSE.
	Difference float64 `json:"difference"`
	// Median is that of the absolute differences, which a number that no reading explains does not move.
	Median    float64  `json:"median"`
	Within    []string `json:"within"` // the paper's rows within two standard errors
	Rows      int      `json:"rows"`
	Groupings []string `json:"groupings,omitempty"` // that count
}

// concludeReadings fills in what follows from the cells of readings.
func (r *Result) concludeReadings() {
	r.Nearest, r.Overall, r.Findings = nil, nil, nil
	for i := range r.Experiment.Methods {
		method := r.Experiment.Methods[i].Name
		for _, d := range r.Experiment.Datasets {
			if n, some := r.nearest(method, d.Name); some {
				r.Nearest = append(r.Nearest, n)
			}
		}
		for _, p := range r.Experiment.Protocols {
			if o := r.overall(method, p.Name); o.Rows > 0 && !p.Reading.leaks() {
				r.Overall = append(r.Overall, o)
			}
		}
	}
	if r.Run.Quick {
		r.Findings = []string{"a " + quickRun + ": nothing follows from its numbers."}
		return
	}
	for i := range r.Experiment.Methods {
		r.Findings = append(r.Findings, r.methodFindings(r.Experiment.Methods[i].Name)...)
	}
	r.Findings = append(r.Findings, r.bothFindings()...)
}

// protocol returns the reading of a name.
func (r *Result) protocol(name string) Protocol {
	i := slices.IndexFunc(r.Experiment.Protocols, func(p Protocol) bool { return p.Name == name })
	return r.Experiment.Protocols[i]
}

// measuredCells returns the cells of a method that have a mean and a number of the paper.
func (r *Result) measuredCells(method string) []*Cell {
	var out []*Cell
	for _, c := range r.Cells {
		if c.Method == method && c.measured() && c.Paper != nil {
			out = append(out, c)
		}
	}
	return out
}

// nearest compares the readings of a data set; some is false where nothing was measured.
func (r *Result) nearest(method, dataset string) (n Nearest, some bool) {
	var best *Cell
	var near []span
	n.Low, n.High = math.Inf(1), math.Inf(-1)
	for _, c := range r.measuredCells(method) {
		p := r.protocol(c.Protocol)
		switch mean := c.Mean(); {
		case c.Dataset != dataset:
		case p.Reading.leaks() && n.Joint == nil:
			n.Joint = []float64{mean, mean}
		case p.Reading.leaks():
			n.Joint = []float64{min(n.Joint[0], mean), max(n.Joint[1], mean)}
		default:
			n.Readings++
			n.Low, n.High = min(n.Low, mean), max(n.High, mean)
			near = append(near, span{mean - c.twoErrors(), mean + c.twoErrors()})
			if !c.Differs() {
				n.Within++
			}
			if best == nil || r.apart(c) < r.apart(best) {
				best = c
			}
		}
	}
	if best == nil {
		return n, false
	}
	n.Dataset, n.Method, n.Paper, n.Reading = dataset, method, best.Paper.Value, best.Protocol
	n.Words, n.Value = r.protocol(best.Protocol).Title, best.Mean()
	n.SD, n.SE = finite(best.SD()), finite(best.StandardError())
	n.Covered = covered(span{n.Low, n.High}, near)
	return n, true
}

// span is a range of values.
type span struct{ low, high float64 }

// covered returns the share of a range that lies in one of the spans, 1 of an empty range.
func covered(all span, spans []span) float64 {
	if !(all.high > all.low) {
		return 1
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.low, b.low) })
	length, at := 0.0, all.low
	for _, s := range spans {
		if from, to := max(s.low, at), min(s.high, all.high); to > from {
			length, at = length+to-from, to
		}
	}
	return length / (all.high - all.low)
}

// apart is how far a cell is from the paper's number: in points of an accuracy, in percent of an RMSE.
func (r *Result) apart(c *Cell) float64 {
	difference := math.Abs(c.Mean() - c.Paper.Value)
	if r.Experiment.greater() {
		return difference
	}
	return 100 * difference / c.Paper.Value
}

// paperRow is the name of the paper's row that a data set belongs to, and the grouping of its classes, "" for none.
func paperRow(dataset string) (row, grouping string) {
	row, grouping, _ = strings.Cut(dataset, ", ")
	return row, grouping
}

func (r *Result) overall(method, reading string) Overall {
	o := Overall{Method: method, Reading: reading, Within: []string{}}
	best := map[string]*Cell{} // by the paper's row
	var rows []string
	for _, c := range r.measuredCells(method) {
		if c.Protocol != reading {
			continue
		}
		row, _ := paperRow(c.Dataset)
		if best[row] == nil {
			rows = append(rows, row)
		}
		if best[row] == nil || r.apart(c) < r.apart(best[row]) {
			best[row] = c
		}
	}
	var apart []float64
	for _, row := range rows {
		o.Rows++
		apart = append(apart, r.apart(best[row]))
		o.Difference += r.apart(best[row]) / float64(len(rows))
		if !best[row].Differs() {
			o.Within = append(o.Within, row)
		}
		if _, grouping := paperRow(best[row].Dataset); grouping != "" {
			o.Groupings = append(o.Groupings, row+" "+grouping)
		}
	}
	o.Median = median(apart)
	return o
}

// median returns the middle of some values, NaN without any.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return nan
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// nearestOverall returns the reading of a method with the least of a measure over all data sets, among those that have
// the most data sets; nil without any.
func (r *Result) nearestOverall(method string, measure func(*Overall) float64) *Overall {
	var best *Overall
	for i := range r.Overall {
		o := &r.Overall[i]
		if o.Method == method && (best == nil || o.Rows > best.Rows ||
			o.Rows == best.Rows && measure(o) < measure(best)) {
			best = o
		}
	}
	return best
}

// nearestOf returns the nearest readings of a method, by data set.
func (r *Result) nearestOf(method string) []Nearest {
	return slices.DeleteFunc(slices.Clone(r.Nearest), func(n Nearest) bool { return n.Method != method })
}

// methodFindings says on which data sets some reading comes to the paper's number, how many do, which reading is the
// nearest over all, and what remains unexplained.
func (r *Result) methodFindings(method string) []string {
	near := r.nearestOf(method)
	if len(near) == 0 {
		return nil
	}
	var rows, explained, unexplained []string
	nearestOfRow := map[string]Nearest{}
	cells, within, chance := 0, 0, 0.0
	for _, n := range near {
		cells, within, chance = cells+n.Readings, within+n.Within, chance+n.Covered/float64(len(near))
		row, _ := paperRow(n.Dataset)
		before, known := nearestOfRow[row]
		if !known {
			rows = append(rows, row)
		}
		if !known || math.Abs(n.Value-n.Paper) < math.Abs(before.Value-before.Paper) {
			before.Dataset, before.Reading, before.Value, before.Paper = n.Dataset, n.Reading, n.Value, n.Paper
		}
		before.Within += n.Within
		nearestOfRow[row] = before
	}
	for _, row := range rows {
		n := nearestOfRow[row]
		if n.Within > 0 {
			explained = append(explained, row)
			continue
		}
		unexplained = append(unexplained, fmt.Sprintf("%s (%s in the paper; the nearest reading, “%s”, has %s)", row,
			r.Experiment.number(n.Paper), n.Reading, r.Experiment.number(n.Value)))
	}
	text := fmt.Sprintf("%s: some reading is within two standard errors of the paper's number on %d of %s",
		method, len(explained), plural(len(rows), "data set"))
	if explained != nil {
		text += ": " + enumerate(explained)
	}
	text += fmt.Sprintf(". Of all %d cells %d are.", cells, within)
	if within > 0 {
		text += fmt.Sprintf(" The nearest of many is also luck: a number from anywhere between the lowest and the "+
			"highest reading would be within two standard errors of some reading with a chance of %.0f %% on average.",
			100*chance)
	}
	out := []string{text}
	if unexplained != nil {
		out = append(out, fmt.Sprintf("%s: no reading explains %s.", method, enumerate(unexplained)))
	}
	return append(out, r.overallFinding(method))
}

// overallFinding names the reading that comes nearest over all data sets, beside the reading of the table.
func (r *Result) overallFinding(method string) string {
	best := r.nearestOverall(method, func(o *Overall) float64 { return o.Difference })
	text := fmt.Sprintf("%s over all data sets: “%s” comes nearest, %s", method, best.Reading, r.distance(best))
	first := r.Experiment.Protocols[0].Name
	i := slices.IndexFunc(r.Overall, func(o Overall) bool { return o.Method == method && o.Reading == first })
	if i >= 0 && first != best.Reading {
		text += fmt.Sprintf("; “%s”, the reading of %s, %s", first, shortName(r.Experiment.Numbers),
			r.distance(&r.Overall[i]))
	}
	other := r.nearestOverall(method, func(o *Overall) float64 { return o.Median })
	if other.Reading == best.Reading {
		return text + fmt.Sprintf(". “%s” has the least median difference too.", best.Reading)
	}
	return text + fmt.Sprintf(". By the median difference “%s” comes nearest, with %.1f %s.",
		other.Reading, other.Median, r.unitOfDifference())
}

func (r *Result) unitOfDifference() string {
	if r.Experiment.greater() {
		return "points"
	}
	return "percent"
}

// distance says how far a reading is from the paper over all data sets.
func (r *Result) distance(o *Overall) string {
	return fmt.Sprintf("on average %.1f %s from the paper and within two standard errors on %d of %s",
		o.Difference, r.unitOfDifference(), len(o.Within), plural(o.Rows, "data set"))
}

// bothFindings tells on which data sets a single reading explains the numbers of all methods, and where one norm over
// both spaces is better than every reading that leaks nothing.
func (r *Result) bothFindings() []string {
	var out []string
	methods := len(r.methodNames())
	explains := map[string]map[string]int{} // methods that a reading explains, by the paper's row and the cell's place
	var rows []string
	for _, c := range r.Cells {
		p := r.protocol(c.Protocol)
		if !c.measured() || c.Paper == nil || p.Reading.leaks() {
			continue
		}
		row, grouping := paperRow(c.Dataset)
		if explains[row] == nil {
			rows, explains[row] = append(rows, row), map[string]int{}
		}
		if !c.Differs() {
			explains[row][c.Protocol+grouping]++
		}
	}
	var both []string
	for _, row := range rows {
		for _, n := range explains[row] {
			if n == methods {
				both = append(both, row)
				break
			}
		}
	}
	if len(rows) > 0 && methods > 1 {
		out = append(out, fmt.Sprintf("%s: one and the same reading is within two standard errors of the numbers of "+
			"both on %s of %s.", enumerate(r.methodNames()), amount(both), plural(len(rows), "data set")))
	}
	return append(out, r.leaking()...)
}

func (r *Result) methodNames() []string {
	var names []string
	for _, m := range r.Experiment.Methods {
		if len(r.nearestOf(m.Name)) > 0 {
			names = append(names, m.Name)
		}
	}
	return names
}

// leaking tells where one norm over both spaces is better, by more than two standard errors, than the best reading that
// leaks nothing.
func (r *Result) leaking() []string {
	var out []string
	for i := range r.Experiment.Methods {
		method := r.Experiment.Methods[i].Name
		var better []string
		for _, n := range r.nearestOf(method) {
			best := n.High
			if !r.Experiment.greater() {
				best = n.Low
			}
			leaked := nan
			for _, c := range r.measuredCells(method) {
				if c.Dataset == n.Dataset && r.protocol(c.Protocol).Reading.leaks() && r.Experiment.side(c, best) > 0 &&
					r.Experiment.better(c.Mean(), leaked) {
					leaked = c.Mean()
				}
			}
			if !math.IsNaN(leaked) {
				better = append(better, fmt.Sprintf("%s (%s; without at best %s)",
					n.Dataset, r.Experiment.number(leaked), r.Experiment.number(best)))
			}
		}
		if better != nil {
			out = append(out, fmt.Sprintf("%s with one norm of rows over both spaces, which tells the normal columns "+
				"something of the privileged ones, is better by more than two standard errors than under every other "+
				"reading on %s.", method, enumerate(better)))
		}
	}
	return out
}
