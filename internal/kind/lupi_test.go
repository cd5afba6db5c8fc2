package kind

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/learn"
)

// lupiProblem has rows whose privileged columns tell the target, and rows without a target.
func lupiProblem() learn.Problem {
	r := rand.New(rand.NewPCG(5, 6))
	p := learn.Problem{X: mat.NewDense(40, 3, nil), Priv: mat.NewDense(40, 2, nil), Y: mat.NewDense(40, 2, nil)}
	u := &learn.Unlabelled{X: mat.NewDense(15, 3, nil), Priv: mat.NewDense(15, 2, nil)}
	for _, m := range []*mat.Dense{p.X, p.Priv, u.X, u.Priv} {
		m.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, m)
	}
	p.Y.Apply(func(i, j int, _ float64) float64 { return math.Sin(2*p.X.At(i, j)) + p.Priv.At(i, j) }, p.Y)
	p.Unlabelled = u
	return p
}

// lupiModels are models of every method and base, by name.
func lupiModels(t testing.TB) map[string]learn.Model {
	t.Helper()
	out := map[string]learn.Model{}
	for _, name := range []string{"averaged", "label", "transfer", "distill", "weigh", "stack"} {
		for _, base := range []string{"krvfl", "rvfl"} {
			if base == "rvfl" && (name == "transfer" || name == "distill") {
				continue
			}
			k, err := ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			c := k.Complete(param.With(func(c *param.Config) {
				c.Kind, c.Hidden, c.Base, c.Free = name, 6, base, k.Chosen
			}))
			m, _, err := k.Trainer(c, Targets{}).Train(context.Background(), lupiProblem())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			out[name+" "+base] = m
		}
	}
	return out
}

// described returns what a file holds of a model.
func described(t testing.TB, m learn.Model) *Tensors {
	t.Helper()
	text, err := method{}.Description(m)
	if err != nil {
		t.Fatal(err)
	}
	out := &Tensors{All: map[string]Tensor{}, Description: text}
	for _, one := range (method{}).Tensors(m, true) {
		if _, twice := out.All[one.Name]; twice {
			t.Errorf("two tensors %s", one.Name)
		}
		out.All[one.Name] = one
	}
	return out
}

func outputsOf(m learn.Model, x *mat.Dense) *mat.Dense {
	_, outputs := m.Dims()
	out := mat.NewDense(x.RawMatrix().Rows, outputs, nil)
	m.PredictTo(out, x)
	return out
}

func TestDescribedModelsAreRestored(t *testing.T) {
	x, seen := lupiProblem().X, ""
	for name, m := range lupiModels(t) {
		tensors := described(t, m)
		seen += tensors.Description
		again, err := method{}.Model(param.Config{}, tensors)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(outputsOf(again, x).RawMatrix().Data, outputsOf(m, x).RawMatrix().Data) {
			t.Errorf("%s: the restored model predicts other bits", name)
		}
		if text, _ := (method{}).Description(again); text != tensors.Description {
			t.Errorf("%s: described as %s, before %s", name, text, tensors.Description)
		}
	}
	for _, model := range []string{"krvfl", "rvfl", "transfer", "sum"} {
		if !strings.Contains(seen, `"model":"`+model+`"`) {
			t.Errorf("no model has a part %s", model)
		}
	}
}

func TestUnsoundDescriptionsAreRefused(t *testing.T) {
	nested := strings.Repeat(`{"model":"sum","parts":[`, 8) + strings.Repeat(`]}`, 8)
	others := strings.NewReplacer("part1", "part9", "krvfl", "rvfl", "rvfl", "krvfl")
	for name, m := range lupiModels(t) {
		whole := described(t, m)
		for what, text := range map[string]string{
			"nothing":      ``,
			"no object":    `3`,
			"an array":     `[]`,
			"null":         `null`,
			"no model":     `{}`,
			"other model":  `{"model":"elm"}`,
			"no parts":     `{"model":"sum"}`,
			"one stage":    `{"model":"transfer","parts":[{"model":"krvfl"}]}`,
			"no stages":    `{"model":"transfer","parts":[{},{}]}`,
			"no kernels":   `{"model":"krvfl"}`,
			"first rows":   `{"model":"krvfl","kernels":["linear"],"from":[]}`,
			"an open rbf":  `{"model":"krvfl","kernels":["rbf"],"from":[0]}`,
			"no kernel":    `{"model":"krvfl","kernels":["x"],"from":[0]}`,
			"activation":   `{"model":"rvfl","activation":"x"}`,
			"no weights":   `{"model":"sum","parts":[{"model":"rvfl","activation":"relu"},{"model":"rvfl"}]}`,
			"nested":       nested,
			"unknown key":  strings.Replace(whole.Description, "{", `{"elm":1,`, 1),
			"more":         whole.Description + "{}",
			"other part":   others.Replace(whole.Description),
			"negative row": strings.Replace(whole.Description, `"from":[0`, `"from":[-1`, 1),
			"late row":     strings.Replace(whole.Description, `"from":[0`, `"from":[9999999`, 1),
		} {
			if text == whole.Description {
				continue
			}
			spoilt := &Tensors{All: whole.All, Description: text}
			if _, err := (method{}).Model(param.Config{}, spoilt); !errors.Is(err, fault.Data) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		for missing := range whole.All {
			rest := &Tensors{All: map[string]Tensor{}, Description: whole.Description}
			for key, one := range whole.All {
				if key != missing {
					rest.All[key] = one
				}
			}
			if _, err := (method{}).Model(param.Config{}, rest); !errors.Is(err, fault.Data) {
				t.Errorf("%s without %s: %v", name, missing, err)
			}
		}
	}
}

// A description builds a model that predicts, or is a fault.Data error; it never panics.
func FuzzDescription(f *testing.F) {
	all := map[string]Tensor{}
	for _, m := range lupiModels(f) {
		d := described(f, m)
		f.Add(d.Description)
		for name, one := range d.All {
			all[name] = one
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := method{}.Model(param.Config{}, &Tensors{All: all, Description: text})
		if err != nil {
			if !errors.Is(err, fault.Data) {
				t.Errorf("error %v", err)
			}
			return
		}
		n, outputs := m.Dims()
		m.PredictTo(mat.NewDense(2, outputs, nil), mat.NewDense(2, n, nil))
	})
}
