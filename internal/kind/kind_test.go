package kind

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/param"
	"rvflplus/learn"
)

func TestKindsAreWhole(t *testing.T) {
	used := slices.Concat(common, ofPrivileged)
	for _, k := range All() {
		if k.Summary == "" || k.Estimator == nil || len(k.Tuned)+len(k.Chosen) == 0 {
			t.Errorf("%s is not whole", k.Name)
		}
		for _, d := range k.Tuned {
			if !k.Has(d.Param) || !(0 < d.Low && d.Low < d.High) || !k.Tunes(d.Param) {
				t.Errorf("%s tunes %s over %v", k.Name, d.About().Name, d.Range)
			}
		}
		for _, name := range []string{k.Plain, k.OtherTask} {
			if _, err := ByName(name); name != "" && err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
		}
		if k.Privileged != (k.Plain != "") || (k.Task == "") != (k.OtherTask == "") {
			t.Errorf("%s has siblings %q and %q", k.Name, k.Plain, k.OtherTask)
		}
		c := param.With(func(c *param.Config) { c.Kind = k.Name })
		if err := Validate(c); err != nil {
			t.Errorf("the defaults of %s: %v", k.Name, err)
		}
		if once := k.Complete(c); !reflect.DeepEqual(k.Complete(once), once) {
			t.Errorf("%s completes twice", k.Name)
		}
		used = append(used, k.Params...)
	}
	for _, p := range param.All() {
		if !slices.Contains(used, p) {
			t.Errorf("no kind has %s", p.About().Name)
		}
	}
	if _, err := ByName("elm"); !errors.Is(err, fault.Usage) {
		t.Errorf("unknown kind: %v", err)
	}
}

// What a kind writes of its settings is what it takes: with a key less, a key more or a
// value of another type it is no longer.
func TestSettingsAreTakenWhole(t *testing.T) {
	for _, k := range All() {
		c := k.Complete(param.With(func(c *param.Config) {
			c.Kind, c.Task, c.Seed = k.Name, "classification", 1<<63+
				1
		}))
		if k.Task != "" {
			c.Task = string(k.Task)
		}
		text, err := json.Marshal(Settings(c))
		if err != nil {
			t.Fatal(err)
		}
		var read Settings
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("%s: %s: %v", k.Name, text, err)
		}
		if again, err := json.Marshal(read); err != nil || string(again) != string(text) {
			t.Errorf("%s: %s is read as %s (%v)", k.Name, text, again, err)
		}
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatal(err)
		}
		for key, value := range fields {
			change := func(to json.RawMessage) {
				t.Helper()
				other := map[string]json.RawMessage{key: to}
				for k, v := range fields {
					if k != key {
						other[k] = v
					}
				}
				if to == nil {
					delete(other, key)
				}
				changed, err := json.Marshal(other)
				if err != nil {
					t.Fatal(err)
				}
				if err := json.Unmarshal(changed, new(Settings)); err == nil {
					t.Errorf("%s: taken with %s = %s", k.Name, key, to)
				}
			}
			chosen := func(p param.Param) bool { return p.About().Key() == key }
			if !slices.ContainsFunc(k.Chosen, chosen) {
				change(nil) // without it training would choose it
			}
			change(json.RawMessage(`[]`))
			change(json.RawMessage(`null`))
			if value[0] == '"' {
				change(json.RawMessage(`"x"`))
			} else {
				change(json.RawMessage(`"` + string(value) + `"`))
			}
		}
		more := strings.Replace(string(text), "{", `{"elm":1,`, 1)
		if err := json.Unmarshal([]byte(more), new(Settings)); err == nil {
			t.Errorf("%s: taken with an unknown key", k.Name)
		}
	}
}

// A kind does not look at the parameters of other kinds: they have their defaults when it is complete.
func TestParametersOfOtherKindsDoNotMatter(t *testing.T) {
	for _, k := range All() {
		c := param.With(func(c *param.Config) {
			c.Kind, c.Gamma, c.Correction, c.PrivHidden, c.Activation, c.SVMSolver = k.Name, 0, "", -1, "zz", "x"
			if c.Task = string(k.Task); k.Task == "" {
				c.Task = "classification"
			}
			if !k.Takes(param.Solver) {
				c.Solver = "pinv"
			}
			if k.Has(param.Gamma) {
				c.Gamma = 2
			}
			if k.Has(param.Correction) {
				c.Correction = "additive"
			}
			if k.Has(param.Activation) {
				c.Activation, c.PrivHidden = "tanh", 5
			}
			if k.Has(param.SVMSolver) {
				c.SVMSolver = "mat"
			}
		})
		if err := Validate(c); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		text, err := json.Marshal(Settings(k.Complete(c)))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, new(Settings)); err != nil {
			t.Errorf("%s: %s: %v", k.Name, text, err)
		}
	}
}

// Left-out rows of an average are predicted from sums that its settings share, and yet by the members that training
// draws.
func TestEnsemblesPredictLeftOutRowsAsRefitsDo(t *testing.T) {
	const rows = 20
	r := rand.New(rand.NewPCG(1, 2))
	p := learn.Problem{X: mat.NewDense(rows, 3, nil), Priv: mat.NewDense(rows, 2, nil), Y: mat.NewDense(rows, 2, nil)}
	for _, m := range []*mat.Dense{p.X, p.Priv, p.Y} {
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
	}
	for _, name := range []string{"rvfl-ensemble", "edrvfl", "edrvfl+", "cmcrvfl+", "ckrvfl+"} {
		k, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		own := p
		if !k.Privileged {
			own.Priv = nil
		}
		for _, solver := range []string{"primal", "dual", "pinv"} {
			if solver == "pinv" && k.Privileged {
				continue
			}
			c := k.Complete(param.With(func(c *param.Config) {
				c.Kind, c.Hidden, c.Members, c.Layers, c.C, c.Seed, c.Solver = name, 4, 3, 2, 5, 7, solver
				c.ProjectC = 3 // each fit would choose its own
			}))
			for _, folds := range []heldout.Folds{nil, {{3, 1, 4}, {0, 19}}} {
				e, err := heldout.New(own, folds)
				if err != nil {
					t.Fatal(err)
				}
				got, err := k.HeldOut(context.Background(), e, []param.Config{c}, Targets{})
				if err != nil {
					t.Fatal(err)
				}
				for i, held := range e.Held() {
					want := refit(t, k.Trainer(c, Targets{}), own, folds, held)
					for j, v := range want {
						if out := got[0].At(i, j); !(math.Abs(out-v) < 1e-8) {
							t.Fatalf("%s %s: row %d, output %d: %v, refitted %v", name, solver, held, j, out, v)
						}
					}
				}
			}
		}
	}
}

// Layers that are drawn from the rows are drawn without the fold; a row that is left out alone keeps the layer of all
// rows, as the report of training has it.
func TestDifferencesAreDrawnWithoutTheFold(t *testing.T) {
	const rows = 24
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	p := learn.Problem{X: mat.NewDense(rows, 3, nil), Priv: mat.NewDense(rows, 2, nil), Y: mat.NewDense(rows, 2, nil)}
	for _, m := range []*mat.Dense{p.X, p.Priv} {
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
	}
	for i := range rows {
		p.Y.Set(i, i%2, 1)
	}
	folds := heldout.Folds{{3, 1, 4}, {0, 19}}
	for _, name := range []string{"rvfl", "rvfl+", "rvfl-ensemble"} {
		k, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		own := p
		if !k.Privileged {
			own.Priv = nil
		}
		c := k.Complete(param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.Members, c.C, c.Init, c.Correction = name, 6, 3, 5, "differences", learn.Additive
		}))
		trainer := k.Trainer(c, Targets{Classification: true})
		e, err := heldout.New(own, folds)
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.HeldOut(ctx, e, []param.Config{c}, Targets{Classification: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, held := range e.Held() {
			for j, want := range refit(t, trainer, own, folds, held) {
				if out := got[0].At(i, j); !(math.Abs(out-want) < 1e-8) {
					t.Fatalf("%s: row %d of a fold, output %d: %v, refitted %v", name, held, j, out, want)
				}
			}
		}
		if e, err = heldout.New(own, nil); err != nil {
			t.Fatal(err)
		}
		if got, err = k.HeldOut(ctx, e, []param.Config{c}, Targets{Classification: true}); err != nil {
			t.Fatal(err)
		}
		own.LeaveOneOut = learn.Always
		_, report, err := trainer.Train(ctx, own)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(got[0], report.LeaveOneOut, 1e-8) {
			t.Errorf("%s: rows left out alone differ from the report's", name)
		}
	}
}

// Kinds whose layers are drawn otherwise say so.
func TestKindsWithoutLayersOfRows(t *testing.T) {
	for _, name := range []string{"edrvfl", "edrvfl+", "stack", "averaged"} {
		for _, init := range []string{"differences", "relevance"} {
			k, err := ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			c := param.With(func(c *param.Config) { c.Kind, c.Init = name, init })
			if err := k.Validate(c); !errors.Is(err, fault.Usage) || !strings.Contains(fault.HintOf(err), "rvfl") {
				t.Errorf("%s, %s: %v", name, init, err)
			}
		}
	}
}

// refit returns the outputs for a row of an estimator trained without its fold.
func refit(t *testing.T, trainer learn.Trainer, p learn.Problem, folds heldout.Folds, row int) []float64 {
	t.Helper()
	out := []int{row}
	for _, fold := range folds {
		if slices.Contains(fold, row) {
			out = fold
		}
	}
	var rest []int
	for i := range p.X.RawMatrix().Rows {
		if !slices.Contains(out, i) {
			rest = append(rest, i)
		}
	}
	m, _, err := trainer.Train(context.Background(), p.Only(rest))
	if err != nil {
		t.Fatal(err)
	}
	_, outputs := m.Dims()
	y := mat.NewDense(1, outputs, nil)
	m.PredictTo(y, learn.GatherRows(p.X, []int{row}))
	return y.RawRowView(0)
}

// Training of a stack chooses the scaling where nothing is given; a scaling that is given, and settings that leave
// nothing to choose, hold it.
func TestAStackChoosesTheScaling(t *testing.T) {
	scale, other := param.Param(param.Scale), param.Default()
	other.Scale = "quantile"
	for _, c := range []struct {
		kind   string
		given  []param.Param
		config param.Config
		free   bool
	}{
		{"stack", nil, param.Default(), true}, {"stack", []param.Param{param.PrivScale}, param.Default(), true},
		{"stack", []param.Param{scale}, param.Default(), false}, {"stack", nil, other, false},
		{"stack", []param.Param{param.C, param.Gamma, param.Width}, param.Default(), false},
		{"averaged", nil, param.Default(), false}, {"krvfl+", nil, param.Default(), false},
	} {
		k, err := ByName(c.kind)
		if err != nil {
			t.Fatal(err)
		}
		if free := slices.Contains(k.FreeOf(c.given, k.Complete(c.config)), scale); free != c.free {
			t.Errorf("%s, given %v: the scaling is free: %v", c.kind, c.given, free)
		}
	}
}
