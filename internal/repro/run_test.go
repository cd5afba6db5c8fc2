package repro

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rvflplus/fault"
	"rvflplus/internal/roles"
)

func runOf(t *testing.T, o Options, names ...string) []*Result {
	t.Helper()
	experiments, err := Find(names...)
	if err != nil {
		t.Fatal(err)
	}
	results, err := o.Run(t.Context(), experiments)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// values are what must not depend on time, threads or what was kept.
func values(results []*Result) (out []float64) {
	for _, r := range results {
		for _, c := range r.Cells {
			for _, trial := range c.Trials {
				out = append(out, trial.Value, trial.Score, trial.Settings.C)
			}
		}
		for _, p := range r.Points {
			out = append(out, p.Value)
		}
	}
	return out
}

// Every table and figure runs under both protocols, is written, and is read back whole from what was kept.
func TestEverythingRuns(t *testing.T) {
	data := &generatedData{}
	o := Options{
		Loader: data, Quick: true, Datasets: []string{"iris", "slump", "mnist+"}, Draws: 2, Trials: 1,
		Cells: t.TempDir(),
	}
	first := runOf(t, o, "all")
	for _, r := range first {
		if len(r.Cells)+len(r.Points)+len(r.Statistics) == 0 {
			t.Errorf("%s is empty", r.Experiment.Name)
		}
		for _, c := range r.Cells {
			if len(c.Trials) != 1 || c.Stopped != "" {
				t.Errorf("%s, %s, %s, %s: %d trials, %q", r.Experiment.Name, c.Protocol, c.Dataset, c.Method,
					len(c.Trials), c.Stopped)
			}
		}
	}
	if err := WriteReport(t.Context(), t.TempDir(), "rvfl repro all", first); err != nil {
		t.Error(err)
	}
	data.loaded = nil
	if again := values(runOf(t, o, "all")); len(again) < 300 || !slices.Equal(again, values(first)) ||
		data.loaded != nil {
		t.Errorf("%d kept numbers, and %v was loaded again", len(again), data.loaded)
	}
}

func TestNumbersDoNotDependOnThreads(t *testing.T) {
	o := onGenerated()
	o.Datasets, o.Protocol = []string{"iris", "slump", "mnist+"}, "both"
	o.Methods = []string{"KRVFL+", "RVFL+", "Fast SVM+", "SVM", "SVR"}
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	var first []float64
	for _, threads := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(threads)
		got := values(runOf(t, o, "table4", "table8", "figure3b"))
		if first == nil {
			first = got
		}
		if len(got) < 50 || !slices.Equal(got, first) {
			t.Errorf("%d threads: %d numbers, not those of one thread", threads, len(got))
		}
	}
}

func TestFinishedTrialsAreUsedAgain(t *testing.T) {
	o := onGenerated()
	o.Methods, o.Cells, o.Version = []string{"KRVFL+", "RVFL"}, t.TempDir(), "rvfl 8"
	o.Trials = 1
	one := values(runOf(t, o, "table4"))
	files, _ := filepath.Glob(filepath.Join(o.Cells, "*.json"))
	if len(files) != 2 {
		t.Fatalf("%d files for 2 cells: %v", len(files), files)
	}
	tamper(t, files[0])
	o.Trials = 3
	three := runOf(t, o, "table4")
	if v := three[0].Cells[0].Trials; len(v) != 3 || v[0].Value != -1 || v[1].Value == -1 {
		t.Errorf("a kept trial was not used, or its successors are not new: %v", v)
	}
	o.Version = "rvfl 9"
	later := runOf(t, o, "table4")[0].Run
	if later.Version != "rvfl 9" || !slices.Equal(later.Kept, []string{"rvfl 8; " + machine()}) {
		t.Errorf("version %q, cells of %q", later.Version, later.Kept)
	}
	o.Version, o.Trials = "rvfl 10", 4
	if later := runOf(t, o, "table4")[0].Run; !slices.Equal(later.Kept, []string{"rvfl 8; " + machine()}) {
		t.Errorf("a cell that went on forgets that it is also of %q", later.Kept)
	}
	o.Trials = 3
	o.Fresh = true
	if again := values(runOf(t, o, "table4")); !slices.Equal(again[:3], one[:3]) {
		t.Errorf("afresh %v, at first %v", again[:3], one[:3])
	}
	o.Fresh = false
	if err := os.WriteFile(files[0], []byte(`{"trials":[{"value":1`), 0o666); err != nil {
		t.Fatal(err)
	}
	if again := values(runOf(t, o, "table4")); !slices.Equal(again[:3], one[:3]) {
		t.Error("a broken file was used")
	}
	if err := os.Truncate(files[0], maxCell+1); err != nil {
		t.Fatal(err)
	}
	if again := values(runOf(t, o, "table4")); !slices.Equal(again[:3], one[:3]) {
		t.Error("a file that is far too long was used")
	}
}

// tamper gives the kept trial a value that none can have.
func tamper(t *testing.T, path string) {
	t.Helper()
	var k kept
	if !k.read(path) {
		t.Fatalf("%s cannot be read", path)
	}
	k.Trials[0].Value = -1
	if err := k.write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
}

func TestInterruptKeepsFinishedTrials(t *testing.T) {
	o := onGenerated()
	o.Methods, o.Cells, o.Trials = []string{"KRVFL+", "RVFL"}, t.TempDir(), 4
	whole := values(runOf(t, o, "table4"))
	o.Cells = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Progress = func(_ string, done, _ int) {
		if done == 3 {
			cancel()
		}
	}
	experiments, _ := Find("table4")
	if _, err := o.Run(ctx, experiments); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	files, _ := filepath.Glob(filepath.Join(o.Cells, "*.json"))
	var k kept
	if len(files) != 1 || !k.read(files[0]) || len(k.Trials) != 3 {
		t.Fatalf("kept %v with %d trials, want one cell of 3", files, len(k.Trials))
	}
	o.Progress = nil
	if got := values(runOf(t, o, "table4")); !slices.Equal(got, whole) {
		t.Error("the run that went on has other numbers")
	}
}

// Points of a figure are means over trials: those of one trial are not those of two.
func TestPointsOfFewerTrialsAreNotUsed(t *testing.T) {
	o := onGenerated()
	o.Datasets, o.Cells, o.Trials = nil, t.TempDir(), 1
	one := values(runOf(t, o, "figure2"))
	o.Trials = 2
	two := values(runOf(t, o, "figure2"))
	o.Cells = t.TempDir()
	if slices.Equal(one, two) || !slices.Equal(two, values(runOf(t, o, "figure2"))) {
		t.Errorf("one trial %v, two %v", one, two)
	}
}

func TestTimeLimitStopsACell(t *testing.T) {
	o := onGenerated()
	o.Methods, o.Limit = []string{"SVM", "KRVFL+"}, time.Nanosecond
	cells := runOf(t, o, "table4")[0].Cells
	if c := cells[1]; len(c.Trials) != 0 || c.Limit != 1e-9 || !strings.Contains(c.Stopped, "limit") {
		t.Errorf("SVM: %d trials, limit %g, %q", len(c.Trials), c.Limit, c.Stopped)
	}
	if c := cells[0]; len(c.Trials) != quickTrials || c.Stopped != "" {
		t.Errorf("KRVFL+, which is not limited: %d trials, %q", len(c.Trials), c.Stopped)
	}
}

func TestMissingDataStopItsRowsOnly(t *testing.T) {
	o := onGenerated()
	o.Datasets, o.Methods = []string{"SLUMP", "SCM1D"}, []string{"KRVFL"}
	o.Loader = &generatedData{absent: []string{"scm1d", "scm1d-test"}}
	cells := runOf(t, o, "table6")[0].Cells
	if len(cells) != 2 || len(cells[0].Trials) == 0 || !strings.Contains(cells[1].Stopped, "rvfl data fetch scm1d") {
		t.Errorf("SLUMP %+v, SCM1D %+v", cells[0], cells[1])
	}
	o.Datasets = []string{"SCM1D"}
	experiments, _ := Find("table6")
	if _, err := o.Run(t.Context(), experiments); !errors.Is(err, fault.Data) ||
		!strings.Contains(fault.HintOf(err), "rvfl data fetch scm1d") {
		t.Errorf("no data at all: %v", err)
	}
}

func TestUnknownNames(t *testing.T) {
	_, err := Find("tabel4")
	if !errors.Is(err, fault.Usage) || !strings.Contains(fault.HintOf(err), "table4") {
		t.Errorf("table: %v, hint %q", err, fault.HintOf(err))
	}
	experiments, _ := Find("table6")
	for _, o := range []Options{{Datasets: []string{"iris"}}, {Methods: []string{"SVM"}}, {Protocol: "theirs"}} {
		if _, err := o.Run(t.Context(), experiments); !errors.Is(err, fault.Usage) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Of several tables those are left out of which nothing is asked for.
func TestNothingToRun(t *testing.T) {
	experiments, _ := Find("table1", "table4")
	for _, c := range []struct {
		o    Options
		left int
	}{
		{Options{Methods: []string{"SVM"}}, 1},
		{Options{Methods: []string{"RVFL+"}}, 2},
		{Options{Methods: []string{"SVM"}, Datasets: []string{"mnist+"}}, 0},
	} {
		c.o.Protocol = "both"
		plans, err := c.o.plan(experiments)
		if len(plans) != c.left || (err != nil) != (c.left == 0) || err != nil && !errors.Is(err, fault.Usage) {
			t.Errorf("%v on %v: %d tables, %v", c.o.Methods, c.o.Datasets, len(plans), err)
		}
	}
}

// Under one-hot coding the correction adds the same to every output, which is why
// cells of the additive one share the trials of the other.
func TestCorrectionsPredictTheSameClasses(t *testing.T) {
	o := onGenerated()
	o.Datasets, o.Protocol = []string{"glass"}, OursName
	experiments, _ := Find("table4")
	e := experiments[0]
	for i := range e.Methods {
		if m := &e.Methods[i]; m.SameAs != "" {
			m.SameAs, m.Name = "", m.Name+" by itself"
		}
	}
	o.Methods = []string{"KRVFL+", "KRVFL+ additive by itself", "RVFL+", "RVFL+ additive by itself"}
	results, err := o.Run(t.Context(), experiments)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, c := range results[0].Cells {
		got[c.Method] = c.Mean()
	}
	for _, name := range []string{"KRVFL+", "RVFL+"} {
		if got[name] == 0 || got[name] != got[name+" additive by itself"] {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSplits(t *testing.T) {
	for _, d := range append(append(table4().Datasets, regressions()...), mnistPlus()) {
		p := poolOf(t, d, false)
		for trial := range 2 {
			checkParts(t, p, trial)
		}
	}
}

// checkParts tests sizes and that all parts have the mixture of classes.
func checkParts(t *testing.T, p *pool, trial int) {
	t.Helper()
	rows, err := p.split(trial, uint64(trial))
	if err != nil {
		t.Fatal(err)
	}
	if rows.train.Rows != p.Train || rows.test.Rows != p.Test {
		t.Errorf("%s: %d training and %d test rows", p.Name, rows.train.Rows, rows.test.Rows)
	}
	if first := p.Published && trial == 0; p.classes == nil || p.Fixed || first {
		return
	}
	all, train, test := shares(p.data), shares(rows.train), shares(rows.test)
	for class, share := range all {
		if off := train[class] - share; off > 1/float64(p.Train) || off < -1/float64(p.Train) {
			t.Errorf("%s: class %s is %.3f of all rows, %.3f of the training rows", p.Name, class, share, train[class])
		}
		if off := test[class] - share; off > 2/float64(p.Test) || off < -2/float64(p.Test) {
			t.Errorf("%s: class %s is %.3f of all rows, %.3f of the test rows", p.Name, class, share, test[class])
		}
	}
}

func shares(d *roles.Data) map[string]float64 {
	out := map[string]float64{}
	c := d.Pick(d.Roles.Target)[0]
	for i := range d.Rows {
		out[c.Text(i)] += 1 / float64(d.Rows)
	}
	return out
}

func TestNoiseHidesTheTestRows(t *testing.T) {
	rows, err := poolOf(t, table4().Datasets[0], true).split(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n, d := len(rows.train.Roles.Normal), len(rows.train.Roles.Priv); n != 4 || d != 4 {
		t.Fatalf("%d normal and %d privileged columns", n, d)
	}
	sum := 0.0
	for k, i := range rows.test.Roles.Normal {
		noisy, clean := rows.test.Columns[i], rows.test.Columns[rows.test.Roles.Priv[k]]
		for r := range noisy.Numbers {
			sum += (noisy.Numbers[r] - clean.Numbers[r]) * (noisy.Numbers[r] - clean.Numbers[r])
		}
	}
	if variance := sum / float64(4*rows.test.Rows); variance < 7 || variance > 13 {
		t.Errorf("noise of variance %.1f in the test rows, want about 10", variance)
	}
}
