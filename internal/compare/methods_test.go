package compare

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/rng"
	"rvflplus/internal/search"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// few is a comparison of the default methods with little work.
var few = Options{Splits: 2, Permutations: 19, NoAuto: true}

func compared(t *testing.T, rows int, sel dataset.Selection, o Options, set func(*param.Config)) *Comparison {
	t.Helper()
	c, err := Compare(context.Background(), synthetic(t, rows, sel), param.With(func(c *param.Config) {
		c.Hidden = 20
		if set != nil {
			set(c)
		}
	}), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// What mixing gains is no gain of the columns: the averaged model is a baseline of every comparison, and a method has
// to beat it and every other one. Gains that permuted residuals keep are judged on held-out rows.
func TestEveryTaskHasItsBaselinesAndControls(t *testing.T) {
	two := dataset.Selection{Target: "y,x3", Priv: "lab_*", Drop: "kind"}
	named, all := few, few
	named.Methods, all.Methods = []string{"krvfl", "krvfl+:additive"}, []string{All}
	for name, c := range map[string]*Comparison{
		"numbers": compared(t, 40, numbers, few, nil), "classes": compared(t, 40, classes, few, nil),
		"two targets": compared(t, 40, two, few, nil), "named": compared(t, 40, numbers, named, nil),
		"all": compared(t, 30, numbers, all, nil),
	} {
		var controls []string
		for _, s := range c.Controls {
			controls = append(controls, s.Name)
		}
		averagedToo := slices.ContainsFunc(c.Methods, func(s Score) bool {
			return s.Name == "averaged" && s.Role == Baseline && len(s.Values) == 2
		})
		if !averagedToo || !slices.Contains(controls, "shuffled") || !slices.Contains(controls, "noise") {
			t.Errorf("%s: %+v, controls %v", name, c.Methods, controls)
		}
		for _, s := range c.Methods {
			heldOut := slices.Contains([]string{"transfer", "stack", "weigh"}, s.Name)
			tested := s.Role == Privileged && !heldOut
			if (c.PValue(s.Name) != "") != tested || (c.HeldOutP(s.Name) != "") != heldOut ||
				heldOut != slices.Contains(controls, "permuted "+s.Name) {
				t.Errorf("%s: %s has p %q, on held-out rows %q, controls %v", name, s.Name, c.PValue(s.Name),
					c.HeldOutP(s.Name), controls)
			}
			over := map[string]bool{}
			for _, g := range s.Gains {
				over[g.Over] = true
			}
			if (s.Role == Privileged) != (over["krvfl"] && over["averaged"]) {
				t.Errorf("%s: %s has gains over %v", name, s.Name, over)
			}
		}
	}
}

// The JSON keeps the two tests apart.
func TestTestsInJSON(t *testing.T) {
	var got struct {
		Methods []map[string]any
	}
	if err := json.Unmarshal([]byte(answer(t, compared(t, 30, numbers, few, nil))), &got); err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Methods {
		permuted, heldOut := m["p"] != nil && m["statistic"] != nil, m["p_held_out"] != nil && m["control_gains"] != nil
		switch m["name"] {
		case "transfer", "stack":
			if permuted || !heldOut {
				t.Errorf("%v", m)
			}
		case "krvfl+:projected", "distill":
			if !permuted || heldOut {
				t.Errorf("%v", m)
			}
		}
	}
}

// Where no method is in the permutation test none is made.
func TestNothingToPermute(t *testing.T) {
	o := few
	o.Methods = []string{"krvfl", "transfer"}
	c := compared(t, 30, classes, o, nil)
	if c.Permutation.Rounds != 0 || c.Best != "transfer" || c.HeldOutP("transfer") == "" || len(c.Controls) != 3 {
		t.Errorf("%d rounds, best %s, %+v", c.Permutation.Rounds, c.Best, c.Controls)
	}
}

// Methods that need the privileged values of all rows stay away where some lack them.
func TestSuited(t *testing.T) {
	p := learn.Problem{HasPriv: []bool{true, false}}
	names, notes := suited(append(DefaultMethods(), "label", "weigh"), p)
	if slices.Contains(names, "distill") || slices.Contains(names, "weigh") || slices.Contains(names, "label") ||
		len(notes) != 2 {
		t.Error(names, notes)
	}
	p = learn.Problem{Unlabelled: &learn.Unlabelled{}}
	if names, notes := suited([]string{"label", "distill"}, p); len(names) != 2 || notes != nil {
		t.Error(names, notes)
	}
}

// The progress ends where it was said to end, and each step of it takes a small part of the whole.
func TestProgressIsPlanned(t *testing.T) {
	all := few
	all.Methods = []string{All}
	for name, o := range map[string]Options{"default": few, "all": all} {
		last, whole, largest := 0, 0, 0
		o.Splits = 4
		o.Progress = func(_ string, done, total int) {
			if whole != 0 && total != whole || done < last {
				t.Errorf("%s: %d of %d after %d of %d", name, done, total, last, whole)
			}
			largest, last, whole = max(largest, done-last), done, total
		}
		compared(t, 30, numbers, o, nil)
		if last != whole || largest > whole/4 {
			t.Errorf("%s: %d of %d at the end, the largest step %d", name, last, whole, largest)
		}
	}
}

// Permuted rows are the same rows in another order; rows without privileged values stay so.
func TestRowsPermuted(t *testing.T) {
	const n = 30
	x, priv, has := mat.NewDense(n, 1, nil), mat.NewDense(n, 2, nil), make([]bool, n)
	for i := range n {
		x.Set(i, 0, float64(i))
		if has[i] = i%4 != 0; has[i] {
			priv.SetRow(i, []float64{float64(i), float64(-i)})
		}
	}
	v, err := newView(learn.Problem{X: x, Y: x, Priv: priv, HasPriv: has}, pipeline.Truth{}, search.Score{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	v.problem.Unlabelled = &learn.Unlabelled{X: x, Priv: priv}
	out, err := v.withRowsExchanged(exchanger{}, rng.New(1, "test"))
	if err != nil {
		t.Fatal(err)
	}
	var moved int
	seen := map[float64]bool{}
	for i := range n {
		a, b := out.problem.Priv.At(i, 0), out.problem.Priv.At(i, 1)
		if a != -b || !has[i] && a != 0 || has[i] && seen[a] {
			t.Fatalf("row %d: %v, %v", i, a, b)
		}
		seen[a] = true
		if a != priv.At(i, 0) {
			moved++
		}
	}
	if moved < n/2 || mat.Equal(out.problem.Unlabelled.Priv, priv) || !mat.Equal(v.problem.Unlabelled.Priv, priv) {
		t.Errorf("%d rows moved", moved)
	}
}

// Several targets count in units of their standard deviations.
func TestTargetsHaveNoUnits(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{0, 1, 2})
	y := mat.NewDense(3, 2, []float64{0, 0, 1, 1000, 2, 2000})
	v, err := newView(learn.Problem{X: x, Y: y}, pipeline.Truth{}, search.Score{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.squaredError(mat.NewDense(1, 2, nil), []int{1}); math.Abs(got-3) > 1e-12 {
		t.Errorf("%v, want 1.5 for each target", got)
	}
}

// verdictOf judges two baselines and the given privileged methods, whose gains over the chosen baseline are given.
func verdictOf(tests []Test, heldOut []HeldOutTest, gains map[string]float64) *Comparison {
	c := &Comparison{Task: target.Regression, Metric: "rmse", Upper: math.NaN(), HeldOut: heldOut,
		OverConstant: Interval{Mean: 0.5}, Loss: 1,
		Permutation: Permutation{Rounds: 199, Tests: tests, plain: []plainLoss{{"krvfl", 2}, {"averaged", 1}}}}
	for _, name := range []string{"krvfl+:projected", "krvfl+:additive", "distill", "transfer", "stack"} {
		if g, has := gains[name]; has {
			c.Methods = append(c.Methods, Score{Name: name, Role: Privileged, Difference: Interval{Mean: g},
				Gains: []Gain{{"krvfl", Interval{Mean: g + 0.1}}, {"averaged", Interval{Mean: g}}}})
		}
	}
	c.conclude()
	return c
}

// permuted is a test whose statistic is reached by so many of 199 permutations.
func permuted(method string, statistic float64, reached int) Test {
	t := Test{Method: method, Statistic: statistic, form: method != "distill"}
	for b := range 199 {
		t.Null = append(t.Null, statistic-1)
		if b < reached {
			t.Null[b] = statistic + 1
		}
	}
	t.P = permutationP(t.Statistic, t.Null)
	return t
}

func TestVerdicts(t *testing.T) {
	projected := func(reached int, statistic float64) []Test {
		return []Test{permuted("krvfl+:projected", statistic, reached)}
	}
	transfer := func(p float64, controlGains bool) []HeldOutTest {
		return []HeldOutTest{{Method: "transfer", P: p, ControlGains: controlGains}}
	}
	both := map[string]float64{"krvfl+:projected": 0.1, "transfer": 0.2}
	for _, c := range []struct {
		name      string
		tests     []Test
		heldOut   []HeldOutTest
		gains     map[string]float64
		want      Verdict
		strongest string
		best      string
		says      string
	}{
		{"permutation", projected(0, 1), transfer(0.4, false), both, Helps, "krvfl+:projected",
			"krvfl+:projected",
			"p = 0.00714 for krvfl+:projected (permutation test, adjusted for 2 methods), and krvfl+:projected " +
				"predicts"},
		{"held out", projected(180, 1), transfer(0.01, false), both, Helps, "transfer", "transfer",
			"+0.2 of RMSE over averaged"},
		{"control gains too", projected(180, 1), transfer(0.01, true), both, NoEvidence, "transfer", "transfer",
			"permuted too"},
		{"both too large", projected(7, 1), transfer(0.02, false), both, NoEvidence, "transfer", "transfer",
			"more than chance allows"},
		{"nothing gains", projected(0, 1), nil, map[string]float64{"krvfl+:projected": -0.1}, NoEvidence,
			"krvfl+:projected", "krvfl+:projected", "held-out rows are not predicted better by such a method"},
		{"another form gains by chance", append(projected(0, 1), permuted("krvfl+:additive", -0.5, 190)), nil,
			map[string]float64{"krvfl+:projected": -0.1, "krvfl+:additive": 0.3}, NoEvidence, "krvfl+:projected",
			"krvfl+:projected", "such a method or by a stack: +0 of RMSE over krvfl, -0.1"},
		{"the stack gains", projected(0, 1), []HeldOutTest{{Method: "stack", P: 0.3}},
			map[string]float64{"krvfl+:projected": -0.1, "stack": 0.2}, Helps, "krvfl+:projected", "stack",
			"and stack predicts held-out rows better: +0.3 of RMSE over krvfl"},
		{"leave-one-out loses", projected(0, -1), nil, both, NoEvidence, "krvfl+:projected", "krvfl+:projected",
			"does not gain over the best method"},
	} {
		got := verdictOf(c.tests, c.heldOut, c.gains)
		if got.Verdict != c.want || got.Best != c.best || got.Strongest != c.strongest ||
			!strings.Contains(got.Reason, c.says) || got.Baseline != "averaged" {
			t.Errorf("%s: %s by %s, %s: %s", c.name, got.Verdict, got.Strongest, got.Best, got.Reason)
		}
	}
}

// Evidence alone is not enough for "helps": the gain must be one that a user would have.
func TestOpenVerdicts(t *testing.T) {
	gain := func(mean, low float64) Interval { return Interval{Mean: mean, Low: low, High: 2*mean - low} }
	for _, c := range []struct {
		name           string
		metric         string
		baseline       float64 // its gain over the constant predictor
		gain           Interval
		constant, auto Interval // the gains over these
		want           Verdict
		says           string
	}{
		{"all is well", "rmse", 0.5, gain(0.1, -0.1), gain(0.6, 0.1), gain(0.1, -0.1), Helps, "predicts held-out rows"},
		{"small, perhaps 0", "rmse", 0.5, gain(0.009, -0.1), gain(0.5, 0.1), gain(0.1, 0), Open, "below 1 %"},
		{"small, but sure", "rmse", 0.5, gain(0.009, 0.001), gain(0.5, 0.1), gain(0.1, 0), Helps, "predicts"},
		{"auto is as good", "rmse", 0.5, gain(0.1, 0.05), gain(0.6, 0.1), gain(-0.04, -0.3), Helps, "predicts"},
		{"auto is better", "rmse", 0.5, gain(0.1, 0.05), gain(0.6, 0.1), gain(-0.1, -0.3), Open, "learned widths"},
		{"the constant is better", "rmse", -0.2, gain(0.1, 0.05), gain(-0.1, -0.2), gain(0.1, 0), Open, "neither"},
		{"better than the constant", "rmse", -0.2, gain(0.3, 0.05), gain(0.1, -0.2), gain(0.1, 0), Helps, "predicts"},
		{"hardly better than it", "rmse", -0.2, gain(0.3, 0.05), gain(0.009, -0.2), gain(0.1, 0), Open, "below 1 %"},
		{"a class not surely", "accuracy", 0, gain(0.1, 0.05), gain(0.1, -0.01), gain(0.1, 0), Open, "not surely"},
		{"a class surely", "accuracy", 0, gain(0.1, 0.05), gain(0.1, 0.01), gain(0.1, 0), Helps, "predicts"},
		{"an area not surely", "auc", 0, gain(0.1, 0.05), gain(0.1, -0.01), gain(0.1, 0), Open, "points of ROC AUC"},
		{"of two balanced", "balanced-accuracy", 0, gain(0.1, 0.05), gain(0.1, 0), gain(0.1, 0), Open, "50.0 %"},
		{"R² above the mean", "r2", -0.2, gain(0.3, 0.05), gain(0.1, -0.2), gain(0.1, 0), Helps, "of R²"},
	} {
		task := target.Classification
		if slices.Contains([]string{"rmse", "r2"}, c.metric) {
			task = target.Regression
		}
		score, err := search.MeasureByName(c.metric, task)
		if err != nil {
			t.Fatal(err)
		}
		got := &Comparison{
			Task: task, Metric: c.metric, Greater: score.Greater, Constant: Score{Mean: 0.5},
			Upper: math.NaN(), Auto: Score{Values: make([]float64, 10)},
			OverConstant: gain(c.baseline, 0), Loss: 1, LeastGain: 0.01,
			Permutation: Permutation{Rounds: 199, Tests: []Test{permuted("krvfl+:projected", 1, 0)},
				plain: []plainLoss{{"averaged", 1}}},
			Methods: []Score{{Name: "krvfl+:projected", Role: Privileged, Difference: c.gain,
				Gains: []Gain{{Constant, c.constant}, {Auto, c.auto}}}},
		}
		if got.conclude(); got.Verdict != c.want || !strings.Contains(got.Reason, c.says) {
			t.Errorf("%s: %s: %s", c.name, got.Verdict, got.Reason)
		}
	}
}

// The forms of the correction share one test: each counts what any of them reaches by chance. The p-value of another
// method is adjusted apart from them.
func TestFormsShareATest(t *testing.T) {
	gains := map[string]float64{"krvfl+:projected": 1, "krvfl+:additive": 1, "distill": 1}
	c := verdictOf([]Test{permuted("krvfl+:projected", 1, 3), permuted("krvfl+:additive", 1.5, 1),
		permuted("distill", 1, 150)}, nil, gains)
	tests := c.Permutation.Tests
	// Additive is reached once by its own permutations and three times by those of projected, the same one among them.
	if want := 4.0 / 200 / formsWeight; !near(tests[1].Holm, want) || tests[1].P != 0.01 {
		t.Errorf("additive: %v, adjusted %v, want %v", tests[1].P, tests[1].Holm, want)
	}
	if !near(tests[0].Holm, tests[1].Holm) || !near(tests[2].Holm, tests[2].P) {
		t.Errorf("projected %v, distill %v of %v", tests[0].Holm, tests[2].Holm, tests[2].P)
	}
}
