package repro

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/roles"
)

// gainsOn runs the gains of settings whose names begin as said, on random values.
func gainsOn(t *testing.T, names ...string) *Result {
	t.Helper()
	e := gains()
	e.Datasets = slices.DeleteFunc(e.Datasets, func(d Dataset) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(d.Name, name) })
	})
	o := Options{Loader: &generatedData{}, Quick: true, Draws: 2}
	results, err := o.Run(t.Context(), []*Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

// Every method has its trials, label only where there are rows without a target, and the report is written.
func TestGainsRun(t *testing.T) {
	r := gainsOn(t, "SLUMP flow", "SLUMP half", "Wine half 25+80")
	counts := map[string]int{}
	for _, c := range r.Cells {
		counts[c.Method]++
		if len(c.Trials) != quickTrials || c.Stopped != "" {
			t.Errorf("%s, %s: %d trials, %q", c.Dataset, c.Method, len(c.Trials), c.Stopped)
		}
		for _, trial := range c.Trials {
			if (trial.Shares != nil) != (c.Method == tunedName) {
				t.Errorf("%s, %s: ratios of losses: %v", c.Dataset, c.Method, trial.Shares)
			}
		}
	}
	for _, m := range r.Experiment.Methods {
		want := 3
		switch {
		case m.Name == "label":
			want = 2
		case m.Parity:
			want = 1
		}
		if counts[m.Name] != want {
			t.Errorf("%s has %d cells, want %d", m.Name, counts[m.Name], want)
		}
	}
	if err := WriteReport(t.Context(), t.TempDir(), "rvfl repro gains", []*Result{r}); err != nil {
		t.Error(err)
	}
	if len(r.pictures()) != 7 {
		t.Errorf("%d pictures", len(r.pictures()))
	}
	text := text(t, r, 100)
	for _, part := range []string{"SLUMP flow targets 25+45", "− averaged", "Methods of the literature", "edrvfl+"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// The targets of rows without one and everything of test rows but the measured value change nothing.
func TestGainsLearnFromTrainingRowsAlone(t *testing.T) {
	e := gains()
	d := e.Datasets[slices.IndexFunc(e.Datasets, func(d Dataset) bool { return d.Name == "SLUMP flow targets 25+45" })]
	p := poolOf(t, d, false)
	before, err := p.split(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	if n := before.train.Rows + before.train.Unlabelled.Rows + before.test.Rows; n != p.data.Rows {
		t.Fatalf("%d rows of %d", n, p.data.Rows)
	}
	column := &p.data.Columns[p.data.Roles.Target[0]]
	values := map[float64]bool{}
	for _, i := range []*dataset.Table{before.train.Table, before.train.Unlabelled, before.test.Table} {
		for _, v := range i.Columns[p.data.Roles.Target[0]].Numbers {
			values[v] = true
		}
	}
	if len(values) != len(column.Numbers) {
		t.Error("a row is in two parts")
	}
	value := func(method string, rows parts) Trial {
		j := jobFor(t, e, d, method)
		j.pool = p
		best, err := j.choose(t.Context(), rows, 3)
		if err != nil {
			t.Fatal(err)
		}
		trial, _, err := j.trial(t.Context(), rows, best, 0)
		if err != nil {
			t.Fatal(err)
		}
		return trial
	}
	other := before
	other.train = blurred(before.train, before.train.Unlabelled, p.data.Roles.Target)
	otherTest := before
	test := *before.test
	test.Table = blurredTable(before.test.Table, nil)
	otherTest.test = &test
	for _, method := range []string{"label", "stack", tunedName} {
		want := value(method, before)
		if got := value(method, other); got.Value != want.Value || got.Score != want.Score {
			t.Errorf("%s looks at hidden targets: %v and %v", method, want.Value, got.Value)
		}
		if got := value(method, otherTest); got.Score != want.Score {
			t.Errorf("%s looks at test rows", method)
		}
	}
}

// jobFor returns the job of a method on a setting.
func jobFor(t *testing.T, e *Experiment, d Dataset, method string) *job {
	t.Helper()
	one := *e
	one.Datasets = []Dataset{d}
	o := Options{Protocol: "both", Methods: []string{method}}
	plans, err := o.plan([]*Experiment{&one})
	if err != nil {
		t.Fatal(err)
	}
	return plans[0].jobs[0]
}

// blurred returns d with other values in some columns of its rows without a target.
func blurred(d *roles.Data, unlabelled *dataset.Table, columns []int) *roles.Data {
	out := *d
	out.Unlabelled = blurredTable(unlabelled, columns)
	return &out
}

// blurredTable returns a table with 1 added to all numbers of some columns, nil for all.
func blurredTable(t *dataset.Table, columns []int) *dataset.Table {
	out := *t
	out.Columns = slices.Clone(t.Columns)
	for i := range out.Columns {
		if columns != nil && !slices.Contains(columns, i) {
			continue
		}
		out.Columns[i].Numbers = slices.Clone(t.Columns[i].Numbers)
		for k := range out.Columns[i].Numbers {
			out.Columns[i].Numbers[k]++
		}
	}
	return &out
}

// madeUpGains is three settings with made-up values of four splits: label gains 1, 2, 3 and 4 points in the first,
// nothing in the second, and the stack loses as much in the third.
func madeUpGains() *Result {
	e := gains()
	e.Datasets = []Dataset{{Name: "a 1+2"}, {Name: "b 1+2"}, {Name: "c 3"}}
	r := &Result{Experiment: e, Protocol: OursName, Run: Run{Trials: 4}}
	add := func(set, method string, ub float64, values ...float64) {
		c := &Cell{Key: e.Methods[0].key(OursName, set)}
		c.Method = method
		for _, v := range values {
			c.Trials = append(c.Trials, Trial{Value: v})
			if method == tunedName {
				c.Trials[len(c.Trials)-1].Shares = &lossRatios{UB: ub, QB: 1, R2: 0.5}
			}
		}
		r.Cells = append(r.Cells, c)
	}
	for _, set := range []struct {
		name string
		ub   float64
	}{{"a 1+2", 0.5}, {"b 1+2", 0.9}, {"c 3", 0.6}} {
		add(set.name, tunedName, set.ub, 50, 60, 70, 80)
		add(set.name, averagedName, 0, 50, 60, 70, 80)
	}
	add("a 1+2", "label", 0, 51, 62, 73, 84)
	add("b 1+2", "label", 0, 50, 60, 70, 80)
	add("c 3", "stack", 0, 49, 58, 67, 76)
	r.Conclude()
	return r
}

func TestGainsArePaired(t *testing.T) {
	r := madeUpGains()
	label := r.gainsOf("label", tunedName)
	// 1, 2, 3 and 4 have the mean 2.5 and the standard deviation √(5/3).
	want := Gain{
		Dataset: "a 1+2", Method: "label", Over: tunedName, Mean: 2.5, SE: orNull(math.Sqrt(5.0 / 3 / 4)),
		Splits: 4, Side: 1,
	}
	if len(label) != 2 || math.Abs(float64(label[0].SE-want.SE)) > 1e-12 {
		t.Fatalf("%+v", label)
	}
	if label[0].SE = want.SE; label[0] != want {
		t.Errorf("%+v, want %+v", label[0], want)
	}
	if label[1].Side != 0 || label[1].Mean != 0 {
		t.Errorf("%+v", label[1])
	}
	const better, worse = "better by more than two standard errors on ", "worse on "
	for _, sentence := range []string{
		"label against the tuned KRVFL: " + better + "1 (a 1+2), " + worse +
			"0 of 2 settings; on average +1.2 points (2 settings, 8 splits).",
		"stack against the averaged KRVFL: " + better + "0, " + worse +
			"1 (c 3) of 1 setting; on average -2.5 points (1 setting, 4 splits).",
		"label against the tuned KRVFL where U ≤ 0.7 B: " + better + "1 (a 1+2), " + worse +
			"0 of 1 setting; on average +2.5 points (1 setting, 4 splits).",
		"label against the tuned KRVFL where U > 0.7 B: " + better + "0, " + worse +
			"0 of 1 setting; on average +0.0 points (1 setting, 4 splits).",
	} {
		if !slices.Contains(r.Findings, sentence) {
			t.Errorf("no sentence %q in %q", sentence, r.Findings)
		}
	}
	var b bytes.Buffer
	if err := r.writeJSON(&b); err != nil || !strings.Contains(b.String(), `"side": -1`) {
		t.Errorf("%v: %s", err, b.String())
	}
}

// One split has no standard error: nothing is better or worse, and the JSON and the tables have no NaN.
func TestGainsOfOneSplit(t *testing.T) {
	r := madeUpGains()
	for _, c := range r.Cells {
		c.Trials = c.Trials[:1]
	}
	r.Conclude()
	if g := r.gainsOf("label", tunedName)[0]; g.Mean != 1 || g.Side != 0 || !math.IsNaN(float64(g.SE)) {
		t.Errorf("%+v", g)
	}
	var b bytes.Buffer
	if err := r.writeJSON(&b); err != nil || !strings.Contains(b.String(), `"se": null`) {
		t.Errorf("%v: %s", err, b.String())
	}
	if text := text(t, r, 100) + markdown(t, r); strings.Contains(text, "NaN") || !strings.Contains(text, "+1.0") {
		t.Error(text)
	}
	for _, p := range r.pictures() {
		var svg bytes.Buffer
		if err := p.drawing.WriteSVG(&svg); err != nil || strings.Contains(svg.String(), "NaN") {
			t.Errorf("picture %q: %v", p.name, err)
		}
	}
	sentence := "label against the tuned KRVFL: better by more than two standard errors on 0, worse on 0 of 0 " +
		"settings; on average +0.5 points (2 settings, 2 splits)."
	if !slices.Contains(r.Findings, sentence) {
		t.Errorf("%q", r.Findings)
	}
}
