package pipeline

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

var numbersOnly = dataset.Selection{Target: "y", Priv: "lab_*"}

// halved is the synthetic table in which every second row on average lacks
// privileged cells, and which rows are complete.
func halved(rows int) (t *dataset.Table, has []bool) {
	t, _ = dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.1, Seed: 4}.Table()
	has = make([]bool, rows)
	for i := range has {
		has[i] = i*i%7 > 1
		if !has[i] {
			t.Find("lab_1").Numbers[i] = math.NaN()
		}
		if !has[i] && i%2 == 0 {
			t.Find("lab_2").Numbers[i] = math.NaN()
		}
	}
	return t, has
}

// brute is the missing-row form of the dual, solved as it is defined.
type brute struct {
	omega, priv *mat.SymDense // Ω, and Ω̃ with zeros for rows without privileged values
	y           []float64
	has         []bool
	c, gamma    float64
	sign        float64 // of the correction
	center      bool
	bar         float64       // ω̄, the mean of Ω̃'s diagonal over complete rows
	second      *mat.SymDense // of learn.Projected: k₂, else nil
	secondC     float64
}

// fit solves over the given rows; α and ȳ come back.
func (b brute) fit(t *testing.T, rows []int) (alpha *mat.VecDense, mean float64) {
	t.Helper()
	if b.center {
		for _, i := range rows {
			mean += b.y[i] / float64(len(rows))
		}
	}
	system, right := mat.NewSymDense(len(rows), nil), mat.NewVecDense(len(rows), nil)
	for p, i := range rows {
		r := b.y[i] - mean
		for q, j := range rows {
			system.SetSym(p, q, b.omega.At(i, j)+b.priv.At(i, j)/b.gamma)
			r -= b.sign * b.c / b.gamma * b.priv.At(i, j)
		}
		right.SetVec(p, r)
	}
	for p, i := range rows {
		noise := 1 / b.c
		if !b.has[i] {
			noise += b.bar / b.gamma
		}
		system.SetSym(p, p, system.At(p, p)+noise)
	}
	alpha = mat.NewVecDense(len(rows), nil)
	if err := alpha.SolveVec(system, right); err != nil {
		t.Fatal(err)
	}
	return alpha, mean
}

// predict returns f of row i.
func (b brute) predict(t *testing.T, alpha *mat.VecDense, mean float64, rows []int, i int) float64 {
	t.Helper()
	f := mean
	for p, j := range rows {
		f += b.omega.At(i, j) * alpha.AtVec(p)
	}
	if b.second != nil {
		f += b.project(t, alpha, rows, i)
	}
	return f
}

// project returns the second stage of learn.Projected at row i: the regression, on the normal features, of what the
// privileged features explain in the rows that have them.
func (b brute) project(t *testing.T, alpha *mat.VecDense, rows []int, i int) float64 {
	t.Helper()
	var guides []int
	for _, j := range rows {
		if b.has[j] {
			guides = append(guides, j)
		}
	}
	system, right := mat.NewDense(len(guides), len(guides), nil), mat.NewVecDense(len(guides), nil)
	for p, j := range guides {
		for q, k := range guides {
			system.Set(p, q, b.second.At(j, k))
		}
		system.Set(p, p, system.At(p, p)+1/b.secondC)
		for q, k := range rows {
			right.SetVec(p, right.AtVec(p)+b.priv.At(j, k)/b.gamma*alpha.AtVec(q))
		}
	}
	var beta mat.VecDense
	if err := beta.SolveVec(system, right); err != nil {
		t.Fatal(err)
	}
	var f float64
	for p, j := range guides {
		f += b.second.At(i, j) * beta.AtVec(p)
	}
	return f
}

func (b *brute) setBar() {
	count := 0.0
	for i, has := range b.has {
		if has {
			b.bar, count = b.bar+b.priv.At(i, i), count+1
		}
	}
	b.bar /= count
}

func (b brute) all() []int {
	rows := make([]int, len(b.y))
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func (b brute) outputs(t *testing.T) []float64 {
	alpha, mean := b.fit(t, b.all())
	out := make([]float64, len(b.y))
	for i := range out {
		out[i] = b.predict(t, alpha, mean, b.all(), i)
	}
	return out
}

// leaveOneOut refits without each row.
func (b brute) leaveOneOut(t *testing.T) []float64 {
	out := make([]float64, len(b.y))
	for i := range out {
		rows := slices.Delete(b.all(), i, i+1)
		alpha, mean := b.fit(t, rows)
		out[i] = b.predict(t, alpha, mean, rows, i)
	}
	return out
}

// gramOf fills a matrix with k(row i, row j) of the given rows.
func gramOf(x *mat.Dense, use []bool, k func(a, b []float64) float64) *mat.SymDense {
	rows, _ := x.Dims()
	out := mat.NewSymDense(rows, nil)
	for i := range rows {
		for j := range i + 1 {
			if use == nil || use[i] && use[j] {
				out.SetSym(i, j, k(x.RawRowView(i), x.RawRowView(j)))
			}
		}
	}
	return out
}

func columnsOf(t *dataset.Table, names ...string) *mat.Dense {
	out := mat.NewDense(t.Rows, len(names), nil)
	for j, name := range names {
		out.SetCol(j, t.Find(name).Numbers)
	}
	return out
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func linearAndRBF(width float64) func(a, b []float64) float64 {
	return func(a, b []float64) float64 {
		s := 0.0
		for i := range a {
			s += (a[i] - b[i]) * (a[i] - b[i])
		}
		return dot(a, b) + math.Exp(-s/width)
	}
}

// products is the kernel of a layer's outputs, with sigmoid nodes.
func products(l *feature.Links) func(a, b []float64) float64 {
	h := func(x []float64) []float64 {
		out := slices.Clone(x)
		for p, b := range l.Bias {
			node := l.Weight.Data[p*l.Weight.Stride : p*l.Weight.Stride+len(x)]
			out = append(out, 1/(1+math.Exp(-dot(x, node)-b)))
		}
		return out
	}
	return func(a, b []float64) float64 { return dot(h(a), h(b)) }
}

func links(l *rvfl.Layer) *feature.Links {
	return &feature.Links{Weight: l.Weight, Bias: l.Bias, Activation: l.Activation, NoDirect: !l.Direct}
}

// bruteOf is the definition of what m was fitted to.
func bruteOf(m *Model, table *dataset.Table, has []bool, c param.Config) brute {
	b := brute{y: table.Find("y").Numbers, has: has, c: c.C, gamma: c.Gamma, center: c.Center}
	b.sign = map[learn.Correction]float64{learn.Paper: 1, learn.Derived: -1}[c.Correction]
	k, privK := linearAndRBF(2), linearAndRBF(3)
	if model, ok := m.Estimator.(*rvfl.Model); ok {
		k, privK = products(links(model.Parts().Hidden)), products(links(model.Parts().PrivHidden))
	}
	b.omega = gramOf(columnsOf(table, "x1", "x2", "x3"), nil, k)
	b.priv = gramOf(columnsOf(table, "lab_1", "lab_2"), has, privK)
	if c.Correction == learn.Projected {
		b.second, b.secondC = b.omega, c.ProjectC
		if c.Kind == "krvfl+" {
			b.second = gramOf(columnsOf(table, "x1", "x2", "x3"), nil, linearAndRBF(5))
		}
	}
	b.setBar()
	return b
}

// missingConfigs are all ways to solve for rows without privileged values.
func missingConfigs() map[string]param.Config {
	configs := map[string]param.Config{}
	for _, correction := range learn.Corrections() {
		base := param.With(func(c *param.Config) {
			c.Kind, c.C, c.Gamma, c.Correction, c.Scale, c.AllowMissingPriv, c.Kernel, c.PrivKernel, c.Hidden,
				c.PrivHidden = "krvfl+", 4, 3, correction, "none", true, kernel.Must("rbf:width=2"),
				kernel.Must("rbf:width=3"), 8, 6
			c.ProjectC, c.ProjectKernel = 2, kernel.Must("rbf:width=5") // chosen ones differ among refits
		})
		for _, noCenter := range []bool{false, true} {
			base.Center = !noCenter
			configs[fmt.Sprintf("krvfl+ %s %v", correction, noCenter)] = base
			for _, solver := range []string{"auto", "primal", "dual"} {
				c := base
				c.Kind, c.Solver = "rvfl+", solver
				configs[fmt.Sprintf("rvfl+ %s %v %s", correction, noCenter, solver)] = c
			}
		}
	}
	return configs
}

func outputsOf(t *testing.T, m *Model, table *dataset.Table) []float64 {
	t.Helper()
	p, err := m.Predict(ctx, table, nil)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(p.Outputs.RawMatrix().Data)
}

func rmse(a, b []float64) float64 {
	var s float64
	for i := range a {
		s += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(s / float64(len(a)))
}

func TestRowsWithoutPrivilegedValuesByBruteForce(t *testing.T) {
	table, has := halved(40)
	for name, c := range missingConfigs() {
		m := train(t, table, numbersOnly, c)
		b := bruteOf(m, table, has, c)
		if d := rmse(outputsOf(t, m, table), b.outputs(t)); !(d < 1e-9) {
			t.Errorf("%s: outputs differ by %g from the definition's", name, d)
		}
		got, want := m.Report.LeaveOneOut.Metrics.Number.RMSE, rmse(b.leaveOneOut(t), b.y)
		if !(math.Abs(got-want) < 1e-9*want) {
			t.Errorf("%s: leave-one-out RMSE %g, refits give %g", name, got, want)
		}
		// The test can tell: without the extra noise the form is another.
		b.bar = 0
		if d := rmse(outputsOf(t, m, table), b.outputs(t)); d < 1e-4 {
			t.Errorf("%s: the extra noise changes nothing: %g", name, d)
		}
	}
}

func TestRowsWithoutPrivilegedValuesAreTheLibrarysOwn(t *testing.T) {
	table, has := halved(40)
	count := 0
	for _, h := range has {
		if !h {
			count++
		}
	}
	p := learn.Problem{X: columnsOf(table, "x1", "x2", "x3"), Priv: columnsOf(table, "lab_1", "lab_2"),
		Y: columnsOf(table, "y"), HasPriv: has}
	for name, c := range missingConfigs() {
		m := train(t, table, numbersOnly, c)
		complete, k, err := kind.Complete(c)
		if err != nil {
			t.Fatal(err)
		}
		direct, _, err := k.Trainer(complete, kind.Targets{}).Train(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		want := mat.NewDense(40, 1, nil)
		direct.PredictTo(want, p.X)
		if !slices.Equal(outputsOf(t, m, table), want.RawMatrix().Data) {
			t.Errorf("%s: other bits than the estimator's own", name)
		}
		if m.Report.WithoutPriv != count || m.Report.Rows != 40 {
			t.Errorf("%s: %d of %d rows without privileged values, want %d", name, m.Report.WithoutPriv, m.Report.Rows,
				count)
		}
	}
}

// Half the values give a model that is neither that of all nor that of none, and
// on this data they help.
func TestHalfThePrivilegedValues(t *testing.T) {
	half, _ := halved(80)
	all, truth := dataset.Synthetic{Rows: 80, Strength: 1, Noise: 0.1, Seed: 4}.Table()
	c := param.With(func(c *param.Config) {
		c.Kind, c.Gamma, c.C, c.Correction, c.AllowMissingPriv = "krvfl+", 1, 10, learn.Additive, true
	})
	none := c
	none.Kind = "krvfl"
	a, h, n := train(t, all, numbersOnly, c), train(t, half, numbersOnly, c), train(t, all, numbersOnly, none)
	fa, fh, fn := rmse(outputsOf(t, a, all), truth), rmse(outputsOf(t, h, all), truth),
		rmse(outputsOf(t, n, all), truth)
	if !(fa < 0.7*fn && fh < 0.7*fn) {
		t.Errorf("RMSE to the truth: all %g, half %g, none %g", fa, fh, fn)
	}
	if rmse(outputsOf(t, h, all), outputsOf(t, a, all)) < 0.01 ||
		rmse(outputsOf(t, h, all), outputsOf(t, n, all)) < 0.01 {
		t.Error("half the values give the model of all or of none")
	}
	if a.Report.WithoutPriv != 0 || n.Report.WithoutPriv != 0 {
		t.Errorf("%d and %d rows without privileged values", a.Report.WithoutPriv, n.Report.WithoutPriv)
	}
	c.AllowMissingPriv = false
	if !slices.Equal(outputsOf(t, train(t, all, numbersOnly, c), all), outputsOf(t, a, all)) {
		t.Error("permission alone changes the model")
	}
}

// The privileged preparation is that of the complete rows, the normal one that of
// all.
func TestPreparationOfRowsWithoutPrivilegedValues(t *testing.T) {
	table, has := halved(30)
	var complete []int
	for i, h := range has {
		if h {
			complete = append(complete, i)
		}
	}
	c := param.With(func(c *param.Config) { c.Kind, c.Hidden, c.AllowMissingPriv = "rvfl+", 5, true })
	got, few, all := train(t, table, numbersOnly, c), train(t, table.Subset(complete), numbersOnly, c),
		train(t, table, dataset.Selection{Target: "y", Drop: "lab_*"},
			param.With(func(c *param.Config) { c.Kind, c.Hidden = "rvfl", 5 }))
	if !reflect.DeepEqual(got.Priv, few.Priv) {
		t.Errorf("%+v, want %+v", got.Priv, few.Priv)
	}
	if !reflect.DeepEqual(got.Normal, all.Normal) {
		t.Errorf("%+v, want %+v", got.Normal, all.Normal)
	}
}

// With imputation only rows without any privileged cell lack values.
func TestImputationBesideRowsWithoutPrivilegedValues(t *testing.T) {
	table, _ := halved(60)
	one, both := 0, 0
	for i := range table.Rows {
		a, b := table.Find("lab_1").Missing(i), table.Find("lab_2").Missing(i)
		if a || b {
			one++
		}
		if a && b {
			both++
		}
	}
	for impute, want := range map[string]int{"none": one, "mean": both, "median": both} {
		m := train(t, table, numbersOnly,
			param.With(func(c *param.Config) {
				c.Kind, c.Hidden, c.Impute, c.AllowMissingPriv = "rvfl+", 5, impute,
					true
			}))
		if m.Report.WithoutPriv != want || both == 0 || one == both {
			t.Errorf("impute %s: %d rows, want %d", impute, m.Report.WithoutPriv, want)
		}
	}
	if m := train(t, table, numbersOnly,
		param.With(func(c *param.Config) {
			c.Kind, c.Hidden, c.Impute = "rvfl+", 5,
				"mean"
		})); m.Report.WithoutPriv != 0 {
		t.Errorf("%d rows left without values though all cells are filled", m.Report.WithoutPriv)
	}
}

func TestMissingPrivilegedValuesAreRefused(t *testing.T) {
	table, _ := halved(20)
	gone := table.Subset([]int{0, 7, 14}) // lab_1 is missing in all, lab_2 in two
	mostly := table.Subset([]int{2, 2})
	mostly.Find("lab_1").Numbers[0], mostly.Find("lab_2").Numbers[1] = math.NaN(), math.NaN()
	unmatched := &roles.Data{Table: table, Roles: roles.Columns{Target: []int{5}, Priv: []int{3, 4}, Normal: []int{0},
		Weight: -1, ID: -1, Key: 1}, Matched: make([]bool, 20)}
	for name, c := range map[string]struct {
		table      *dataset.Table
		data       *roles.Data
		c          param.Config
		text, hint string
	}{
		"a cell": {table, nil, param.Default(), `row 1, column "lab_1": the cell is missing`,
			"allow-missing-privileged"},
		"all": {gone, nil, param.With(func(c *param.Config) { c.AllowMissingPriv = true }),
			"none of 3 rows has privileged values", `column "lab_1" is empty`},
		"each some": {mostly, nil, param.With(func(c *param.Config) { c.AllowMissingPriv = true }),
			"none of 2 rows has privileged values", "impute"},
		"keys": {nil, unmatched, param.With(func(c *param.Config) { c.Impute = "mean" }),
			"20 of 20 rows have no match", "allow-missing-privileged"},
		"no key": {nil, unmatched, param.With(func(c *param.Config) { c.AllowMissingPriv = true }),
			"none of 20 rows has privileged values", "no key of DATA"},
	} {
		data := c.data
		if data == nil {
			var err error
			if data, err = roles.Assign(c.table, numbersOnly); err != nil {
				t.Fatal(err)
			}
		}
		c.c.Kind = "krvfl+"
		if _, err := Train(ctx, data, c.c, Options{}); !errors.Is(err, fault.Data) ||
			!strings.Contains(err.Error(), c.text) || !strings.Contains(fault.HintOf(err), c.hint) {
			t.Errorf("%s: %v (%s)", name, err, fault.HintOf(err))
		}
	}
}

// Rows of weight 0 are left out before anything else, so they need no match.
func TestRowsOfWeightZeroNeedNoPrivilegedValues(t *testing.T) {
	table, has := halved(30)
	weight := dataset.Column{Name: "w", Numbers: make([]float64, 30)}
	for i, h := range has {
		if h {
			weight.Numbers[i] = 1
		}
	}
	table.Columns = append(table.Columns, weight)
	data, err := roles.Assign(table, dataset.Selection{Target: "y", Priv: "lab_*", Weight: "w"})
	if err != nil {
		t.Fatal(err)
	}
	data.Matched, data.Roles.Key = has, 0
	m, err := Train(ctx, data, param.With(func(c *param.Config) { c.Kind, c.Hidden = "rvfl+", 4 }), Options{})
	if err != nil || m.Report.WithoutPriv != 0 {
		t.Errorf("%v", err)
	}
}

// A column of which half the cells are gone determines no more than a whole one.
func TestMissingCellsAreNoLeaks(t *testing.T) {
	table, _ := halved(60)
	m := train(t, table, numbersOnly, param.With(func(c *param.Config) { c.Kind, c.AllowMissingPriv = "krvfl+", true }))
	if warnings := fmt.Sprint(m.Report.Warnings); strings.Contains(warnings, "determines") {
		t.Error(warnings)
	}
	y, c := &dataset.Column{Codes: []int{0, 0, 0, 0, 1, 1, 1, 1}, Levels: []string{"a", "b"}},
		&dataset.Column{Codes: []int{0, 1, 0, 1, -1, -1, -1, -1}, Levels: []string{"u", "v"}}
	if how := relation(c, y, number(c, 8, 8), number(y, 8, 8)); how != "" {
		t.Errorf("a column that is present for one class only %s the target", how)
	}
	c.Codes = []int{0, 1, 0, 1, 2, 2, -1, -1}
	c.Levels = append(c.Levels, "w")
	if how := relation(c, y, number(c, 8, 8), number(y, 8, 8)); how != "determines" {
		t.Errorf("a column of which each value goes with one class: %q", how)
	}
}

// Kinds that learn from no privileged values do not ask for any.
func TestKindsWithoutPrivilegedPartIgnoreMissingValues(t *testing.T) {
	table, _ := halved(30)
	for _, kind := range []string{"rvfl", "krvfl"} {
		a := train(t, table, numbersOnly,
			param.With(func(c *param.Config) { c.Kind, c.Hidden, c.AllowMissingPriv = kind, 5, true }))
		b := train(t, table, numbersOnly, param.With(func(c *param.Config) { c.Kind, c.Hidden = kind, 5 }))
		if !slices.Equal(outputsOf(t, a, table), outputsOf(t, b, table)) || a.Report.WithoutPriv != 0 {
			t.Errorf("%s: %d rows", kind, a.Report.WithoutPriv)
		}
	}
}

func TestPinvHasNoRowsWithoutPrivilegedValues(t *testing.T) {
	table, _ := halved(30)
	data, err := roles.Assign(table, numbersOnly)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Train(ctx, data, param.With(func(c *param.Config) {
		c.Kind, c.Hidden, c.Solver,
			c.AllowMissingPriv = "rvfl+", 5, "pinv", true
	}), Options{})
	if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), "pinv has no privileged part") {
		t.Errorf("%v", err)
	}
}

// The dual holds the privileged rows that exist.
func TestPrivilegedSupportHoldsCompleteRows(t *testing.T) {
	table, _ := halved(30)
	m := train(t, table, numbersOnly, param.With(func(c *param.Config) { c.Kind, c.AllowMissingPriv = "krvfl+", true }))
	if rows := m.Estimator.(*krvfl.Model).Parts().PrivSupport.Rows; rows != 30-m.Report.WithoutPriv {
		t.Errorf("%d privileged rows of 30, %d lack values", rows, m.Report.WithoutPriv)
	}
}
