package repro

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Gain is what a method has over another one on a setting, in points, over the splits that both have.
type Gain struct {
	Dataset string  `json:"dataset"`
	Method  string  `json:"method"`
	Over    string  `json:"over"` // KRVFL, or averaged
	Mean    float64 `json:"mean"`
	SE      orNull  `json:"se"` // standard error of the mean, paired by splits; NaN of one split, null in JSON
	Splits  int     `json:"splits"`
	// Side is 1 where the method is better by more than two standard errors, -1 where it is worse by more, else 0.
	Side int `json:"side"`
}

// orNull is a number that is null in JSON where it is NaN or infinite.
type orNull float64

// MarshalJSON implements json.Marshaler.
func (v orNull) MarshalJSON() ([]byte, error) { return json.Marshal(finite(float64(v))) }

// setGains compares the methods of every setting with the tuned and the averaged KRVFL.
func (r *Result) setGains(g *grid) {
	r.Gains = nil
	for _, row := range g.rows {
		for i, c := range row.cells {
			for _, over := range []string{tunedName, averagedName} {
				base := g.cell(row.dataset, r.method(over))
				if c == base || !c.measured() || !base.measured() {
					continue
				}
				p := compared(c, base)
				r.Gains = append(r.Gains, Gain{Dataset: row.dataset.Name, Method: g.methods[i].Name, Over: over,
					Mean: p.Mean, SE: orNull(p.SE), Splits: p.Trials, Side: p.Side})
			}
		}
	}
}

// method returns the method of a name.
func (r *Result) method(name string) *Method {
	i := slices.IndexFunc(r.Experiment.Methods, func(m Method) bool { return m.Name == name })
	return &r.Experiment.Methods[i]
}

// gainsOf returns the gains of a method over another, by setting.
func (r *Result) gainsOf(method, over string) []Gain {
	var out []Gain
	for _, g := range r.Gains {
		if g.Method == method && g.Over == over {
			out = append(out, g)
		}
	}
	return out
}

// most is the greatest U/B at which labelling is expected to gain.
const mostLeft = 0.7

// gainFindings counts on how many settings a method gains.
func (r *Result) gainFindings() []string {
	var out []string
	for i := range r.Experiment.Methods {
		m := &r.Experiment.Methods[i]
		if m.Name == tunedName || m.Parity || m.AllColumns {
			continue
		}
		for _, over := range []string{tunedName, averagedName} {
			if text := counted(r.gainsOf(m.Name, over)); text != "" {
				out = append(out, fmt.Sprintf("%s against the %s: %s", m.Name, described(over), text))
			}
		}
	}
	return append(append(out, r.labelling()...), r.parity()...)
}

// described names a baseline.
func described(over string) string {
	return map[string]string{tunedName: "tuned KRVFL", averagedName: "averaged KRVFL"}[over]
}

// counted says on how many settings there is a gain, and how large it is on average; "" without any.
func counted(gains []Gain) string {
	var c contest
	for _, g := range gains {
		c.add(g.Dataset, pair{g.Mean, float64(g.SE), g.Splits, g.Side}, true)
	}
	if c.sets == 0 {
		return ""
	}
	return c.counts("setting") + "; " + c.average(1, "setting", "split") + "."
}

// labelling tells what label gains where the columns tell much, and where they do not.
func (r *Result) labelling() []string {
	var much, little []Gain
	for _, g := range r.gainsOf("label", tunedName) {
		if r.left(g.Dataset) <= mostLeft {
			much = append(much, g)
		} else {
			little = append(little, g)
		}
	}
	var out []string
	if len(much) > 0 {
		out = append(out, fmt.Sprintf("label against the tuned KRVFL where U ≤ %g B: %s", mostLeft, counted(much)))
	}
	if len(little) > 0 {
		out = append(out, fmt.Sprintf("label against the tuned KRVFL where U > %g B: %s", mostLeft, counted(little)))
	}
	return out
}

// left returns the mean of U/B over the splits of a setting, NaN if it was not measured.
func (r *Result) left(dataset string) float64 {
	return r.meanRatio(dataset, func(l *lossRatios) float64 { return l.UB })
}

// meanRatio returns the mean of a ratio over the splits of a setting, NaN if it was not measured.
func (r *Result) meanRatio(dataset string, of func(*lossRatios) float64) float64 {
	i := slices.IndexFunc(r.Cells, func(c *Cell) bool { return c.Dataset == dataset && c.Method == tunedName })
	if i < 0 {
		return nan
	}
	return r.Cells[i].mean(func(t Trial) float64 {
		if t.Shares == nil {
			return nan
		}
		return of(t.Shares)
	})
}

// parity compares methods of the literature with the tuned KRVFL.
func (r *Result) parity() []string {
	var out []string
	for i := range r.Experiment.Methods {
		m := &r.Experiment.Methods[i]
		text := counted(r.gainsOf(m.Name, tunedName))
		if !m.Parity || text == "" {
			continue
		}
		name := m.Name
		if !m.kind().Kernels {
			name += fmt.Sprintf(" with %d nodes", parityNodes)
		}
		out = append(out, name+" against the tuned KRVFL: "+text)
	}
	return out
}

// ownTable has a row for each setting: how good the tuned KRVFL is, what the privileged columns tell, and what each
// method gains over both baselines.
func (r *Result) ownTable(g *grid) table {
	t := table{Head: []string{"setting", "KRVFL", "U/B", "Q/B", "R²", ""}, Names: 1}
	var shown []*Method
	for _, m := range g.methods {
		if m.Name != tunedName && !m.Parity {
			shown, t.Head = append(shown, m), append(t.Head, m.Name)
		}
	}
	for _, row := range g.rows {
		name := row.dataset.Name
		line := []slot{stack(name), stack(r.value(g.cell(row.dataset, r.method(tunedName))))}
		for _, of := range []func(*lossRatios) float64{
			func(l *lossRatios) float64 { return l.UB }, func(l *lossRatios) float64 { return l.QB },
			func(l *lossRatios) float64 { return l.R2 },
		} {
			line = append(line, stack(fixed(r.meanRatio(name, of))))
		}
		line = append(line, stack("− KRVFL", "− averaged"))
		for _, m := range shown {
			line = append(line, r.gainSlot(name, m.Name))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// gainSlot writes what a method gains on a setting over both baselines.
func (r *Result) gainSlot(dataset, method string) slot {
	s := slot{Lines: []string{none, none}}
	for i, over := range []string{tunedName, averagedName} {
		for _, g := range r.gainsOf(method, over) {
			if g.Dataset == dataset {
				s.Lines[i] = g.String()
				s.Best = s.Best || i == 0 && g.Side > 0
			}
		}
	}
	return s
}

// String writes a gain with its standard error, and the mark of a loss.
func (g Gain) String() string {
	text := fmt.Sprintf("%+.1f", g.Mean)
	if !math.IsNaN(float64(g.SE)) {
		text += fmt.Sprintf(" ± %.1f", g.SE)
	}
	if g.Side < 0 {
		text += " " + mark
	}
	return text
}

// parityTable has a row for each setting on which methods of the literature were run.
func (r *Result) parityTable(g *grid) table {
	t := table{Head: []string{"setting"}, Names: 1}
	var shown []*Method
	for _, m := range g.methods {
		if m.Parity {
			shown, t.Head = append(shown, m), append(t.Head, m.Name)
		}
	}
	for _, row := range g.rows {
		if !row.dataset.Parity {
			continue
		}
		line := []slot{stack(row.dataset.Name)}
		for _, m := range shown {
			one := r.gainSlot(row.dataset.Name, m.Name)
			one.Lines = one.Lines[:1]
			line = append(line, one)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// fixed writes a ratio.
func fixed(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return none
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

const (
	gainLegend = "KRVFL: accuracy in percent, or percent of the targets' variance explained, mean ± standard " +
		"deviation over splits. U/B: the loss of rows left out with both kinds of columns, to that with normal ones; " +
		"Q/B: with privileged columns alone; R²: of the normal columns for the privileged ones. Methods: mean " +
		"difference in points ± standard error, paired by splits. Bold or *: better than the tuned KRVFL by more " +
		"than two standard errors; " + mark + ": worse by more."
	settingNames = "Settings: 60+240 are 60 rows with a target and 240 rows with privileged columns and without one. " +
		"targets: the other targets are privileged; half: the second half of the columns; lab: the later half of a " +
		"wine's measurements, to predict one of them from the earlier half; votes: grades of wine as numbers."
)

// gainSections lays the result out.
func (r *Result) gainSections(g *grid) []section {
	sections := []section{{Text: []string{g.protocol.Title, settingNames}, Table: r.ownTable(g), Lists: r.lists(g)}}
	if t := r.parityTable(g); len(t.Head) > t.Names {
		sections = append(sections, section{
			Heading: "Methods of the literature",
			Text: []string{fmt.Sprintf("Networks of %d nodes a layer, the best of %d drawn settings by leave-one-out "+
				"(cascades: by %d folds), against the tuned KRVFL: mean difference in points ± standard error.",
				parityNodes, parityDraws, parityFolds)},
			Table: t,
		})
	}
	return sections
}
