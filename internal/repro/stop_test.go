package repro

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/learn"
)

// failing fails on every problem but the small ones of fingerprints.
type failing struct {
	learn.Trainer
	fail func(context.Context) error
}

func (f failing) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	if p.X.RawMatrix().Rows > fingerprintRows.Train {
		if err := f.fail(ctx); err != nil {
			return nil, learn.Report{}, err
		}
	}
	return f.Trainer.Train(ctx, p)
}

// failingWith substitutes the estimators of a kind by failing ones.
func failingWith(kind string, fail func(context.Context) error) func(param.Config, learn.Trainer) learn.Trainer {
	return func(c param.Config, t learn.Trainer) learn.Trainer {
		if c.Kind == kind {
			return failing{t, fail}
		}
		return t
	}
}

// onRVFL are options for two cells, of which RVFL fails.
func onRVFL(t *testing.T, fail func(context.Context) error) Options {
	o := onGenerated()
	o.Methods, o.Cells = []string{"RVFL", "KRVFL"}, t.TempDir()
	o.substitute = failingWith("rvfl", fail)
	return o
}

func keptFiles(t *testing.T, o Options) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(o.Cells, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A cell without a solution stops alone, and is not tried again. Where memory did not suffice it is tried again.
func TestFailuresStopTheirCellsOnly(t *testing.T) {
	for _, c := range []struct {
		kind  fault.Kind
		files int
	}{{fault.NotSolved, 2}, {fault.Resource, 1}} {
		calls := 0
		o := onRVFL(t, func(context.Context) error {
			calls++
			return fault.New(c.kind, "a failure")
		})
		for range 2 {
			cells := runOf(t, o, "table4")[0].Cells
			if len(cells) != 2 || len(cells[0].Trials) != 0 || cells[0].Stopped != "a failure" {
				t.Errorf("%v: RVFL %+v", c.kind, cells[0])
			}
			if len(cells[1].Trials) != quickTrials || cells[1].Stopped != "" {
				t.Errorf("%v: KRVFL %+v", c.kind, cells[1])
			}
		}
		if files := keptFiles(t, o); len(files) != c.files || calls != 3-c.files {
			t.Errorf("%v: %d cells are kept, want %d; %d trainings, want %d", c.kind, len(files), c.files, calls,
				3-c.files)
		}
	}
}

// An error that is none of a cell's ends the run, and the error says where.
func TestOtherErrorsEndTheRun(t *testing.T) {
	wrong := errors.New("an internal error")
	o := onRVFL(t, func(context.Context) error { return wrong })
	experiments, _ := Find("table4")
	_, err := o.Run(t.Context(), experiments)
	if !errors.Is(err, wrong) || !strings.Contains(err.Error(), "table4, Iris, RVFL") {
		t.Errorf("error %v", err)
	}
	o.Datasets, o.Methods = []string{"mnist+"}, []string{"RVFL"}
	experiments, _ = Find("table2")
	if _, err := o.Run(t.Context(), experiments); !errors.Is(err, wrong) {
		t.Errorf("while settings are chosen on validation rows: %v", err)
	}
}

// Settings without a solution are not chosen. When no setting has one, the cell stops.
func TestSettingsThatFailAreNotChosen(t *testing.T) {
	o := onGenerated()
	o.Datasets, o.Methods, o.Trials, o.Seed = []string{"mnist+"}, []string{"RVFL"}, 1, 3
	whole := runOf(t, o, "table2")[0].Cells[0].Trials[0]
	o.substitute = func(c param.Config, t learn.Trainer) learn.Trainer {
		if c.C != whole.Config.C {
			return t
		}
		return failing{t, func(context.Context) error { return fault.New(fault.Data, "overflow") }}
	}
	if c := runOf(t, o, "table2")[0].Cells[0]; len(c.Trials) != 1 || c.Trials[0].Config.C == whole.Config.C {
		t.Errorf("a setting that fails was chosen: %+v", c)
	}
	singular := func(context.Context) error { return fault.New(fault.NotSolved, "singular") }
	o.substitute = failingWith("rvfl", singular)
	if c := runOf(t, o, "table2")[0].Cells[0]; len(c.Trials) != 0 || c.Stopped != "none of 4 settings could be solved" {
		t.Errorf("all settings fail: %+v", c)
	}
	experiments, _ := Find("figure2")
	o.substitute, o.Methods = failingWith("rvfl+", singular), nil
	results, err := o.Run(t.Context(), experiments)
	if err != nil || len(results[0].Points) != 0 {
		t.Errorf("a figure of settings that fail: %d points, %v", len(results[0].Points), err)
	}
}

// A cell that the time limit stopped goes on under a longer limit, and only then.
func TestLongerLimitsGoOn(t *testing.T) {
	o := onGenerated()
	o.Methods, o.Cells, o.Limit, o.Trials = []string{"SVM"}, t.TempDir(), time.Nanosecond, 1
	asked := o.Loader.(*generatedData)
	for range 2 {
		if c := runOf(t, o, "table4")[0].Cells[0]; len(c.Trials) != 0 || c.Limit != 1e-9 {
			t.Fatalf("%d trials, limit %g", len(c.Trials), c.Limit)
		}
	}
	if !slices.Equal(asked.loaded, []string{"iris"}) {
		t.Errorf("loaded %v, want iris once: nothing is left to do in the second run", asked.loaded)
	}
	o.Limit = time.Hour
	if c := runOf(t, o, "table4")[0].Cells[0]; len(c.Trials) != 1 || c.Limit != 0 || c.Stopped != "" {
		t.Errorf("after an hour's limit: %+v", c)
	}
}

// Finished cells are shown although their data set is not there any more.
func TestKeptCellsNeedNoData(t *testing.T) {
	o := onGenerated()
	o.Methods, o.Cells = []string{"RVFL"}, t.TempDir()
	before := values(runOf(t, o, "table4"))
	o.Loader = &generatedData{absent: []string{"iris"}}
	if after := values(runOf(t, o, "table4")); len(before) == 0 || !slices.Equal(before, after) {
		t.Errorf("%v, with data %v", after, before)
	}
}
