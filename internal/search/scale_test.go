package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
)

// logNormal is a table of five columns, log-normal or normal, whose logarithms tell the target.
func logNormal(rows int, seed uint64, skewed bool) *dataset.Table {
	r := rand.New(rand.NewPCG(seed, 3))
	t := &dataset.Table{Rows: rows}
	for j := range 6 {
		name := fmt.Sprint("x", j)
		if j == 5 {
			name = "y"
		}
		t.Columns = append(t.Columns, dataset.Column{Name: name, Number: j + 1, Numbers: make([]float64, rows)})
	}
	for i := range rows {
		var z [5]float64
		for j := range z {
			z[j] = r.NormFloat64()
			if t.Columns[j].Numbers[i] = z[j]; skewed {
				t.Columns[j].Numbers[i] = math.Exp(1.5 * z[j])
			}
		}
		t.Columns[5].Numbers[i] = math.Sin(z[0]) + z[1]*z[2]/2 + z[3] + 0.2*r.NormFloat64()
	}
	return t
}

func assigned(t *testing.T, table *dataset.Table, s dataset.Selection) *roles.Data {
	t.Helper()
	d, err := roles.Assign(table, s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// byDefault is what is trained where no kind is named.
func byDefault(t *testing.T, given ...param.Param) param.Config {
	t.Helper()
	k, base := kind.ForAuto(given, false, true)
	c := param.With(func(c *param.Config) { c.Kind, c.Base = k.Name, base })
	c.Free = k.FreeOf(given, k.Complete(c))
	return c
}

func testRMSE(t *testing.T, m *pipeline.Model, fresh *dataset.Table) float64 {
	t.Helper()
	e, err := m.Evaluate(ctx, fresh, fresh.Pick([]int{5}), pipeline.EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Metrics.Number.RMSE
}

// The default takes another scaling where the columns are log-normal and is much better for it. Where they are normal
// it is, bit for bit, what it is under "standard".
func TestTheDefaultChoosesAScaling(t *testing.T) {
	y := dataset.Selection{Target: "y"}
	for seed := range uint64(3) {
		for _, skewed := range []bool{true, false} {
			d, fresh := assigned(t, logNormal(150, seed, skewed), y), logNormal(1000, 100+seed, skewed)
			train := func(c param.Config) (*pipeline.Model, float64) {
				m, err := Train(ctx, d, c, pipeline.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return m, testRMSE(t, m, fresh)
			}
			auto, own := train(byDefault(t, param.Kernel)) // learned widths take long, and do not differ
			held, plain := train(byDefault(t, param.Kernel, param.Scale))
			if held.Config.Scale != "standard" {
				t.Errorf("the scaling that is held is %s", held.Config.Scale)
			}
			if skewed && (auto.Config.Scale == "standard" || !(own < plain/2)) {
				t.Errorf("seed %d, log-normal: %s, test error %.3f, under standard %.3f", seed, auto.Config.Scale,
					own, plain)
			}
			if !skewed && (auto.Config.Scale != "standard" || own != plain) {
				t.Errorf("seed %d, normal: %s, test error %.3f, under standard %.3f", seed, auto.Config.Scale, own,
					plain)
			}
		}
	}
}

// A search settles the scaling once: its settings tell it, those of kinds that choose for themselves too.
func TestSearchesSettleTheScaling(t *testing.T) {
	d := assigned(t, logNormal(60, 1, true), dataset.Selection{Target: "y", Priv: "x4"})
	c := param.Default()
	r := tune(t, d, c, Options{Trials: 6, Kinds: []string{"krvfl", "stack"}, Seed: 1})
	for _, trial := range r.Trials {
		want := "standard"
		if trial.Config.Kind == "stack" {
			want = "log"
		}
		if trial.Config.Scale != want || slices.Contains(trial.Config.Free, param.Param(param.Scale)) {
			t.Errorf("%s: %s, %q", trial.Config.Kind, trial.Config.Scale, trial.Config.PrivScale)
		}
	}
	c.Scale = param.AutoScale
	r = tune(t, d, c, Options{Trials: 6, Kinds: []string{"krvfl", "krvfl+", "rvfl"}, Seed: 1})
	var scores []float64
	for _, trial := range r.Trials {
		if trial.Config.Scale != "log" {
			t.Errorf("%s: %s", trial.Config.Kind, trial.Config.Scale)
		}
		scores = append(scores, trial.Score)
	}
	told := 0
	for _, note := range r.Notes {
		if strings.Contains(note.String(), "scaling of the") {
			told++
		}
	}
	if told != 2 { // both spaces, once
		t.Errorf("notes %q", r.Notes)
	}
	// What is scored is the setting that the answer tells.
	again := tune(t, d, c, Options{Candidates: settings(r.Trials), Seed: 1})
	for i, trial := range again.Trials {
		if trial.Score != scores[i] {
			t.Errorf("%s scores %v, before %v", trial.Config.Kind, trial.Score, scores[i])
		}
	}
}

func settings(trials []Trial) (out []param.Config) {
	for _, trial := range trials {
		out = append(out, trial.Config)
	}
	return out
}

// A kind whose settings are searched by folds has the scaling chosen first.
func TestSearchedKindsTakeTheScaling(t *testing.T) {
	d := assigned(t, logNormal(60, 1, true), dataset.Selection{Target: "y"})
	k, err := kind.ByName("svr")
	if err != nil {
		t.Fatal(err)
	}
	c := param.With(func(c *param.Config) { c.Kind, c.Scale = "svr", param.AutoScale })
	c.Free = k.FreeOf([]param.Param{param.Scale, param.Width, param.Epsilon}, k.Complete(c))
	m, err := Train(ctx, d, c, pipeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Config.Scale == "standard" || m.Normal.Scale != m.Config.Scale || len(m.Report.Scalings) != 1 {
		t.Errorf("%s, %v", m.Config.Scale, m.Report.Scalings)
	}
}
