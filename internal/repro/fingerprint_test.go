package repro

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/kind"
	"rvflplus/internal/lupi"
	"rvflplus/internal/param"
	"rvflplus/learn"
)

// cellNames returns the names of the cells of experiments, as one run makes them.
func cellNames(t *testing.T, o Options, experiments ...string) map[*job]string {
	t.Helper()
	o.Protocol, o.Datasets = "both", nil
	found, err := Find(experiments...)
	if err != nil {
		t.Fatal(err)
	}
	plans, err := o.plan(found)
	if err != nil {
		t.Fatal(err)
	}
	r, names := newRunner(o), map[*job]string{}
	for _, p := range plans {
		for _, j := range p.jobs {
			if names[j], err = r.name(t.Context(), j); err != nil {
				t.Fatal(err)
			}
		}
	}
	return names
}

// sorted returns the distinct names of the jobs that fit.
func sorted(names map[*job]string, fits func(*job) bool) []string {
	var out []string
	for j, name := range names {
		if fits(j) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func every(*job) bool { return true }

// nudged changes the last bit of everything that a model predicts.
type nudged struct{ learn.Trainer }

func (n nudged) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	m, report, err := n.Trainer.Train(ctx, p)
	return nudgedModel{m}, report, err
}

type nudgedModel struct{ learn.Model }

func (m nudgedModel) PredictTo(dst, x *mat.Dense) {
	m.Model.PredictTo(dst, x)
	dst.Apply(func(_, _ int, v float64) float64 { return math.Nextafter(v, 2*v) }, dst)
}

// nudge substitutes the estimators of the kinds that fit.
func nudge(fits func(param.Config) bool) func(param.Config, learn.Trainer) learn.Trainer {
	return func(c param.Config, t learn.Trainer) learn.Trainer {
		if fits(c) {
			return nudged{t}
		}
		return t
	}
}

// When the last bit of one kind's predictions changes, its cells have other names and the cells of other kinds keep
// theirs.
func TestCellsAreNamedByTheirComputation(t *testing.T) {
	o := onGenerated()
	few := []string{"figure2", "figure3a", "table2", "table6", "gains"} // all kinds, and every way to choose settings
	if testing.Short() {
		few = few[:2] // the others take long under the race detector
	}
	before := cellNames(t, o, few...)
	if again := cellNames(t, o, few...); !slices.Equal(sorted(again, every), sorted(before, every)) {
		t.Fatal("the same computation has other names")
	}
	for _, k := range kind.All() {
		if k.Name != "stack" && slices.Contains(lupi.Methods(), k.Name) {
			continue // run as methods of kind stack
		}
		of := func(j *job) bool { return j.kind.Name == k.Name }
		others := func(j *job) bool { return j.kind.Name != k.Name }
		o.substitute = nudge(func(c param.Config) bool { return c.Kind == k.Name })
		after := cellNames(t, o, few...)
		old, now := sorted(before, of), sorted(after, of)
		same := slices.DeleteFunc(slices.Clone(now), func(name string) bool { return !slices.Contains(old, name) })
		if len(old) == 0 && !testing.Short() || len(old) != len(now) || len(same) > 0 {
			t.Errorf("%s changed: of %d cells %d have the name from before", k.Name, len(old), len(same))
		}
		if !slices.Equal(sorted(after, others), sorted(before, others)) {
			t.Errorf("%s changed, and so did the names of other cells", k.Name)
		}
	}
}

// A solver of SVM+ names the cells that it trains or chooses the settings of.
func TestSolversHaveFingerprintsOfTheirOwn(t *testing.T) {
	o := onGenerated()
	before := cellNames(t, o, "table2")
	o.substitute = nudge(func(c param.Config) bool { return c.Kind == "svm+" && c.SVMSolver == "mat" })
	after := cellNames(t, o, "table2")
	for j, name := range after {
		if changed := !slices.Contains(sorted(before, every), name); changed != (j.method.Name == "MAT-SVM+") {
			t.Errorf("another solver mat: %s has another name: %v", j.method.Name, changed)
		}
	}
}

func TestFingerprintsDoNotDependOnThreads(t *testing.T) {
	threads := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(threads)
	var first []string
	for _, n := range []int{1, 2, 7} {
		runtime.GOMAXPROCS(n)
		names := sorted(cellNames(t, onGenerated(), "all"), every)
		if first == nil {
			first = names
		}
		if len(names) < 100 || !slices.Equal(names, first) {
			t.Errorf("%d threads: %d names, not those of one thread", n, len(names))
		}
	}
}

// The generated problem is one on which the computation succeeds: a failure has no numbers that could change.
func TestFingerprintsAreOfNumbers(t *testing.T) {
	names := []string{"figure2", "figure3a", "table2", "table6", "table7", "gains"}
	if testing.Short() {
		names = names[:5] // methods that learn widths take long under the race detector
	}
	for j := range cellNames(t, onGenerated(), names...) {
		small, err := j.small()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := small.sample(t.Context()); err != nil {
			t.Errorf("%s, %s, %s: %v", j.experiment.Name, j.protocol.Name, j.method.Name, err)
		}
	}
}
