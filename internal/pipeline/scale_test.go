package pipeline

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/prep"
	"rvflplus/internal/roles"
)

// skewedTable has normal columns x and privileged columns p of uniform numbers u after a map each, a target that is
// smooth in u, and columns of weights, groups and classes.
func skewedTable(rows int, seed uint64, x, p func(u float64) float64) *dataset.Table {
	r := rand.New(rand.NewPCG(seed, 7))
	names := []string{"x1", "x2", "x3", "p1", "p2", "y", "y2", "w", "g", "class"}
	t := &dataset.Table{Rows: rows}
	for k, name := range names {
		t.Columns = append(t.Columns, dataset.Column{Name: name, Number: k + 1, Numbers: make([]float64, rows)})
	}
	t.Find("g").Numbers, t.Find("g").Texts = nil, make([]string, rows)
	for i := range rows {
		var u [5]float64
		for j := range u {
			u[j] = 2*r.Float64() - 1
		}
		for j, v := range u[:3] {
			t.Columns[j].Numbers[i] = x(v)
		}
		for j, v := range u[3:] {
			t.Columns[3+j].Numbers[i] = p(v)
		}
		y := math.Sin(3*u[0]) + 2*u[1]*u[2] + 2*u[3]*u[4] + 0.1*r.NormFloat64()
		t.Find("y").Numbers[i], t.Find("y2").Numbers[i] = y, 1000*(y+u[0])
		t.Find("w").Numbers[i], t.Find("g").Texts[i] = float64(i%4), fmt.Sprint("g", i/5)
		if y > 0 {
			t.Find("class").Numbers[i] = 1
		}
	}
	return t
}

func same(u float64) float64    { return u }
func veryLog(u float64) float64 { return math.Exp(4 * u) }
func heavy(u float64) float64   { return u / math.Pow(1.01-u*u, 3) }

var scaleRoles = dataset.Selection{Target: "y", Priv: "p*", Drop: "y2,w,g,class"}

// autoScale is a kind with its constants whose scalings training chooses.
func autoScale(kind string) param.Config {
	return param.With(func(c *param.Config) { c.Kind, c.Scale = kind, param.AutoScale })
}

func testError(t *testing.T, m *Model, fresh *dataset.Table) float64 {
	t.Helper()
	e, err := m.Evaluate(ctx, fresh, fresh.Pick([]int{slices.Index(fresh.Names(), "y")}), EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e.Metrics.Number.RMSE
}

// Skewed columns are worth another scaling, and each space takes its own.
func TestScalingsAreChosenForEachSpace(t *testing.T) {
	for name, c := range map[string]struct {
		x, p         func(float64) float64
		normal, priv string
		better       float64 // test error at most this share of that under "standard"
	}{
		"neither":    {same, same, "standard", "standard", 1},
		"normal":     {veryLog, same, "log", "standard", 0.85},
		"privileged": {same, veryLog, "standard", "log", 1.02},
		"heavy":      {heavy, same, "quantile", "standard", 0.8},
	} {
		rows, fresh := skewedTable(150, 1, c.x, c.p), skewedTable(1000, 2, c.x, c.p)
		auto := train(t, rows, scaleRoles, autoScale("krvfl+"))
		standard := train(t, rows, scaleRoles, param.With(func(c *param.Config) { c.Kind = "krvfl+" }))
		privileged := auto.Config.PrivScale
		if privileged == "" {
			privileged = auto.Config.Scale
		}
		if auto.Config.Scale != c.normal || auto.Normal.Scale != c.normal || privileged != c.priv ||
			auto.Priv.Scale != c.priv {
			t.Errorf("%s: %s and %q, prepared by %s and %s, want %s and %s", name, auto.Config.Scale,
				auto.Config.PrivScale, auto.Normal.Scale, auto.Priv.Scale, c.normal, c.priv)
		}
		if a, s := testError(t, auto, fresh), testError(t, standard, fresh); !(a <= c.better*s) {
			t.Errorf("%s: test error %.3f, under standard %.3f", name, a, s)
		}
		if len(auto.Report.Scalings) != 2 || len(standard.Report.Scalings) != 0 {
			t.Errorf("%s: told %v, under standard %v", name, auto.Report.Scalings, standard.Report.Scalings)
		}
	}
}

// The scaling that is chosen is that of the least loss, whatever else it is trained with.
func TestTheScalingOfTheLeastLossIsChosen(t *testing.T) {
	d, err := roles.Assign(skewedTable(120, 3, veryLog, same), scaleRoles)
	if err != nil {
		t.Fatal(err)
	}
	best, least, told := "", math.Inf(1), ""
	for _, scale := range []string{"standard", "log", "quantile"} {
		p, err := Prepare(ctx, d, param.With(func(c *param.Config) { c.Kind, c.Scale = "rvfl", scale }))
		if err != nil {
			t.Fatal(err)
		}
		losses, err := p.TunedLosses(ctx)
		if err != nil {
			t.Fatal(err)
		}
		loss, _ := losses.Mean()
		if loss < least {
			best, least = scale, loss
		}
		told += fmt.Sprintf(", %s %.4g", scale, loss)
	}
	for _, kind := range []string{"rvfl", "svr", "averaged"} {
		p, err := Prepare(ctx, d, autoScale(kind))
		if err != nil {
			t.Fatal(err)
		}
		if p.Config().Scale != best || best == "standard" {
			t.Errorf("%s: %s chosen, the least loss is that of %s", kind, p.Config().Scale, best)
		}
		note := p.Scalings()
		if len(note) != 1 || !strings.HasSuffix(note[0].Text().String(), "(losses: "+told[2:]+")") {
			t.Errorf("%s: %v, want %q", kind, note, told)
		}
	}
}

// Rows of every sort: groups, weights, several targets, classes, missing privileged values, no target, many rows.
func TestScalingsAreChosenOnRowsOfEverySort(t *testing.T) {
	for name, c := range map[string]struct {
		rows      int
		selection dataset.Selection
		edit      func(t *dataset.Table, c *param.Config)
		left      int // rows that are left out
	}{
		"groups":  {150, dataset.Selection{Target: "y", Priv: "p*", Drop: "y2,w,class", Group: "g"}, nil, 150},
		"weights": {160, dataset.Selection{Target: "y", Priv: "p*", Drop: "y2,g,class", Weight: "w"}, nil, 120},
		"targets": {150, dataset.Selection{Target: "y,y2", Priv: "p*", Drop: "w,g,class"}, nil, 150},
		"classes": {150, dataset.Selection{Target: "class", Priv: "p*", Drop: "y,y2,w,g"}, nil, 150},
		"many":    {1500, scaleRoles, nil, 1000},
		"no privileged values": {150, scaleRoles, func(t *dataset.Table, c *param.Config) {
			c.AllowMissingPriv = true
			for i := range 50 {
				t.Find("p1").Numbers[i] = math.NaN()
			}
		}, 100},
		"no target": {150, scaleRoles, func(t *dataset.Table, c *param.Config) {
			c.Kind = "label"
			for i := range 40 {
				t.Find("y").Numbers[i] = math.NaN()
			}
		}, 110},
	} {
		table, config := skewedTable(c.rows, 5, veryLog, veryLog), autoScale("krvfl+")
		if c.edit != nil {
			c.edit(table, &config)
		}
		d, err := roles.Assign(table, c.selection)
		if err != nil {
			t.Fatal(err)
		}
		choose := func() *Prepared {
			p, err := Prepare(ctx, d, config)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return p
		}
		p := choose()
		if p.Config().Scale == "standard" || p.t.model.Priv.Scale == "standard" {
			t.Errorf("%s: standard was chosen: %v", name, p.Scalings())
		}
		notes := p.Scalings()
		if len(notes) != 2 || notes[1].Rows != c.left {
			t.Errorf("%s: %v, want two scalings, the second by %d rows", name, notes, c.left)
		}
		if c.rows > mostScaledOn {
			continue // which takes a while
		}
		threads := runtime.GOMAXPROCS(1)
		again := choose().Scalings()
		runtime.GOMAXPROCS(threads)
		if fmt.Sprint(again) != fmt.Sprint(notes) {
			t.Errorf("%s: with one thread %v, before %v", name, again, notes)
		}
	}
}

// Rows outside a fold keep the scaling that was chosen, fitted to them.
func TestFoldsKeepTheChosenScaling(t *testing.T) {
	table := skewedTable(60, 4, veryLog, heavy)
	d, err := roles.Assign(table, scaleRoles)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(ctx, d, autoScale("krvfl+"))
	if err != nil {
		t.Fatal(err)
	}
	fold := []int{3, 4, 50}
	q, err := p.Without(fold)
	if err != nil {
		t.Fatal(err)
	}
	var rest []int
	for i := range 60 {
		if !slices.Contains(fold, i) {
			rest = append(rest, i)
		}
	}
	for _, part := range []struct {
		columns []int
		scale   string
		got     []float64
	}{
		{d.Roles.Normal, p.t.model.Normal.Scale, q.X.RawMatrix().Data},
		{d.Roles.Priv, p.t.model.Priv.Scale, q.Priv.RawMatrix().Data},
	} {
		columns := table.Pick(part.columns)
		space, err := prep.Fit(rowsOf(columns, rest, 60), prep.Options{Scale: part.scale})
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := space.Apply(columns, 60)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range rest {
			for j := range part.columns {
				if k := i*len(part.columns) + j; part.got[k] != want.RawMatrix().Data[k] {
					t.Fatalf("%s: row %d is %v, want %v", part.scale, i, part.got[k], want.RawMatrix().Data[k])
				}
			}
		}
	}
}

// Rows and columns that tell nothing keep "standard", and what is given is held.
func TestScalingsThatAreNotChosen(t *testing.T) {
	twoValues := func(u float64) float64 { return math.Copysign(1, u) }
	c := autoScale("krvfl+")
	for name, table := range map[string]*dataset.Table{
		"two rows":   skewedTable(2, 1, veryLog, veryLog),
		"two values": skewedTable(50, 1, twoValues, twoValues),
	} {
		m := train(t, table, scaleRoles, c)
		if m.Config.Scale != "standard" || m.Config.PrivScale != "" || len(m.Report.Scalings) > 0 {
			t.Errorf("%s: %s, %q, %v", name, m.Config.Scale, m.Config.PrivScale, m.Report.Scalings)
		}
	}
	rows := skewedTable(100, 1, veryLog, veryLog)
	c.PrivScale = "minmax"
	if m := train(t, rows, scaleRoles, c); m.Priv.Scale != "minmax" || m.Normal.Scale != "log" {
		t.Errorf("the privileged scaling is %s, the normal one %s", m.Priv.Scale, m.Normal.Scale)
	}
	c.Scale, c.PrivScale = "l2", param.AutoScale
	if m := train(t, rows, scaleRoles, c); m.Priv.Scale != "log" || m.Normal.Scale != "l2" {
		t.Errorf("the privileged scaling is %s, the normal one %s", m.Priv.Scale, m.Normal.Scale)
	}
	c.Scale = "ranks"
	if err := Validate(c); !errors.Is(err, fault.Usage) {
		t.Errorf("an unknown scaling: %v", err)
	}
}
