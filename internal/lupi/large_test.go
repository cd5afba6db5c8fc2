package lupi

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/split"
	"rvflplus/learn"
)

// many has more rows than settings are chosen on, in groups of ten.
func many(n int) learn.Problem {
	p := made{n: n, unlabelled: 50, lacking: true, seed: 9}.problem()
	for i := range n {
		p.Group = append(p.Group, i*7%n/10)
	}
	return p
}

// With many rows and random layers the rows held out, those that sums are formed over and those without a part in
// choosing are of different groups, and what is chosen by are predictions of models that did not see the rows.
func TestRowsOfLargeProblemsAreApart(t *testing.T) {
	p := many(1200)
	c := small("label", func(c *Config) { c.Base, c.ProjectC = "rvfl", 1 })
	f, m := begun(t, c, p)
	if !f.large || len(f.held) < 200 || len(f.test) < 100 {
		t.Fatalf("large %v, %d held out, %d outside", f.large, len(f.held), len(f.test))
	}
	part := map[int]string{}
	see := func(name string, groups []int, rows []int) {
		for _, i := range rows {
			if g := groups[i]; part[g] != "" && part[g] != name {
				t.Fatalf("group %d is %s and %s", g, part[g], name)
			}
			part[groups[i]] = name
		}
	}
	see("outside", f.all.Group, f.test)
	see("held", f.basis.Group, f.held)
	see("summed", f.basis.Group, split.Others(len(f.basis.Group), f.held))
	rest := f.basis.Only(split.Others(f.basis.X.RawMatrix().Rows, f.held))
	model, err := f.refit(ctx, m, rest)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "held out", m.out, predict(model, f.rows.X), 1e-9)
	rest.Unlabelled = nil
	if model, err = f.refit(ctx, m, rest); err != nil {
		t.Fatal(err)
	}
	near(t, "without rows that have no target", f.members["projected"].out, predict(model, f.rows.X), 1e-9)
	if f.basis.Unlabelled == nil || f.rows.Unlabelled == nil {
		t.Error("the rows without targets are gone")
	}
}

// Every method trains on more rows than settings are chosen on.
func TestEveryMethodTakesManyRows(t *testing.T) {
	for _, method := range []string{"tuned", "averaged", "projected", "label", "stack"} {
		c := small(method, func(c *Config) { c.Base, c.ProjectC = "rvfl", 1 })
		p := many(1200)
		m, _, err := c.Train(ctx, p)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		got, mean := predict(m, p.X), 0.0
		for i := range 1200 {
			mean += math.Abs(got.At(i, 0)-p.Y.At(i, 0)) / 1200
		}
		if !(mean < 1) {
			t.Errorf("%s: a mean error of %g on the training rows", method, mean)
		}
	}
}

// Layers that are drawn from the rows are, where settings are chosen, those that training draws: of all rows where one
// is left out alone, of the other rows where many are held out together.
func TestLayersFromRowsAreThoseOfTraining(t *testing.T) {
	for _, method := range []string{"tuned", "projected"} {
		c := small(method, func(c *Config) { c.Base, c.ProjectC, c.Layers.Init = "rvfl", 1, "differences" })
		p := made{n: 60, weights: true, lacking: method == "projected", seed: 3}.problem()
		f, m := begun(t, c, p)
		order := p.CompleteFirst().Order() // that of m.out
		p.LeaveOneOut = learn.Always
		network := f.network(m.chosen.U, m.chosen.C)
		if network.Gamma, network.ProjectC = m.chosen.Gamma, 1; method == "tuned" {
			network.Gamma, p.Priv, p.HasPriv = 1, nil, nil
		}
		_, want, err := network.Train(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		near(t, method, m.out, learn.GatherRows(want.LeaveOneOut, order), 1e-8)

		f, m = begun(t, c, many(1200))
		model, err := f.refit(ctx, m, f.basis.Only(split.Others(f.basis.X.RawMatrix().Rows, f.held)))
		if err != nil {
			t.Fatal(err)
		}
		near(t, method+" of many rows", m.out, predict(model, f.rows.X), 1e-8)
	}
}

// A sample of kernels' rows leaves rows for the nested estimate that share no group with it.
func TestNestedEstimatesTakeOtherGroups(t *testing.T) {
	p := many(1200)
	f, _, err := small("stack").begin(p)
	if err != nil {
		t.Fatal(err)
	}
	if f.test != nil { // every group has rows in a sample of 1,000 of 1,200
		t.Errorf("%d rows outside", len(f.test))
	}
	p.Group = nil
	if f, _, err = small("stack").begin(p); err != nil || len(f.test) != 200 {
		t.Fatalf("%d rows outside, error %v", len(f.test), err)
	}
	in := map[int]bool{}
	for _, i := range f.sampled {
		in[i] = true
	}
	for _, i := range f.test {
		if in[i] {
			t.Fatalf("row %d is in the sample", i)
		}
	}
}

// A C that is given does not grow with the rows.
func TestAHeldCDoesNotGrow(t *testing.T) {
	p := made{n: 1100, seed: 2}.problem()
	for _, held := range []bool{true, false} {
		c := small("tuned", func(c *Config) {
			if held {
				c.C = []float64{1e-3}
			} else {
				c.C = []float64{1e-4, 1e-3}
			}
		})
		_, report := train(t, c, p)
		if got := report.Outcome.Growth > 1; got == held {
			t.Errorf("held %v: growth %g", held, report.Outcome.Growth)
		}
	}
}

// Where leave-one-out says nothing, no method chooses by it: noise has no better model than a strong ridge.
func TestTheTrapIsNotChosen(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	p := learn.Problem{X: mat.NewDense(20, 60, nil), Y: mat.NewDense(20, 1, nil)}
	for j := range 60 {
		var mean float64
		for i := range 20 {
			p.X.Set(i, j, r.NormFloat64())
			mean += p.X.At(i, j) / 20
		}
		for i := range 20 {
			p.X.Set(i, j, p.X.At(i, j)-mean)
		}
	}
	for i, at := range r.Perm(20) {
		p.Y.Set(at, 0, float64(i%2*2-1))
	}
	for _, method := range []string{"tuned", "averaged"} {
		_, report := train(t, small(method, func(c *Config) { c.C, c.Center = []float64{1e-4, 1, 1e4}, false }), p)
		for _, c := range report.Outcome.Candidates {
			if c.Loss < 0.5 {
				t.Errorf("%s: loss %g on noise", c.Name, c.Loss)
			}
		}
	}
}
