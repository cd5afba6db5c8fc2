package pipeline

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/prep"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// labelling is krvfl+ as a kind that takes rows without a target. It keeps the problem it is trained on.
type labelling struct {
	kind.Estimator
	problem *learn.Problem
}

func (l labelling) Trainer(c param.Config, t kind.Targets) learn.Trainer {
	return watchedTrainer{l.Estimator.Trainer(c, t), l.problem}
}

type watchedTrainer struct {
	learn.Trainer
	problem *learn.Problem
}

func (w watchedTrainer) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	*w.problem = p
	return w.Trainer.Train(ctx, p)
}

// beginLabelling loads d for labelling, and returns the problem that it will be trained on.
func beginLabelling(d *roles.Data, change func(*param.Config)) (*training, *learn.Problem, error) {
	c := param.With(func(c *param.Config) {
		c.Kind = "krvfl+"
		if change != nil {
			change(c)
		}
	})
	c, k, err := kind.Complete(c)
	if err != nil {
		return nil, nil, err
	}
	p := new(learn.Problem)
	k.Unlabelled, k.Estimator = true, labelling{k.Estimator, p}
	t := &training{Config: c, kind: k, options: Options{LeaveOneOut: learn.Always}}
	return t, p, t.load(ctx, d)
}

var mixedRoles = dataset.Selection{Target: "label", Priv: "lab_*,colour", Drop: "y,w"}

// partlyLabelled is a table of 40 rows with a target in every second row. Rows 1, 3 and 5 have neither a target nor all
// privileged values, row 8 has a target and not all privileged values. A colour occurs in a row without a target only.
func partlyLabelled() *dataset.Table {
	t := mixed(40)
	for i := 1; i < 40; i += 2 {
		t.Find("label").Codes[i] = -1
	}
	for _, i := range []int{1, 3, 5, 8} {
		t.Find("lab_1").Numbers[i] = math.NaN()
	}
	t.Find("colour").Levels = append(t.Find("colour").Levels, "green")
	t.Find("colour").Codes[7] = 2
	return t
}

func assign(t *testing.T, table *dataset.Table, s dataset.Selection) *roles.Data {
	t.Helper()
	d, err := roles.Assign(table, s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rowsFrom lists from, from+2, … below 40.
func rowsFrom(from int) (rows []int) {
	for i := from; i < 40; i += 2 {
		rows = append(rows, i)
	}
	return rows
}

func without(rows []int, left ...int) []int {
	return slices.DeleteFunc(slices.Clone(rows), func(i int) bool { return slices.Contains(left, i) })
}

// prepared is what preparation fitted to some rows of a table makes of others.
func prepared(t *testing.T, table *dataset.Table, names []string, fitted, applied []int) *mat.Dense {
	t.Helper()
	pick := func(rows []int) (columns []*dataset.Column) {
		sub := table.Subset(rows)
		for _, name := range names {
			columns = append(columns, sub.Find(name))
		}
		return columns
	}
	space, err := prep.Fit(pick(fitted), prep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := space.Apply(pick(applied), len(applied))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func near(t *testing.T, what string, got, want *mat.Dense) {
	t.Helper()
	if got == nil || want == nil || !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("%s differ:\n%v\n%v", what, mat.Formatted(got), mat.Formatted(want))
	}
}

var (
	normalNames = []string{"x1", "x2", "x3"}
	privNames   = []string{"lab_1", "lab_2", "colour"}
)

func TestRowsWithoutTargetAreSetApart(t *testing.T) {
	table := partlyLabelled()
	run, p, err := beginLabelling(assign(t, table, mixedRoles), func(c *param.Config) { c.AllowMissingPriv = true })
	if err != nil {
		t.Fatal(err)
	}
	m, err := run.train(ctx)
	if err != nil {
		t.Fatal(err)
	}
	with, without1 := rowsFrom(0), without(rowsFrom(1), 1, 3, 5)
	near(t, "normal features", p.X, prepared(t, table, normalNames, append(with, without1...), with))
	near(t, "those without a target", p.Unlabelled.X,
		prepared(t, table, normalNames, append(with, without1...), without1))
	complete := without(with, 8)
	near(t, "privileged features", learn.GatherRows(p.Priv, without(seq(20), 4)),
		prepared(t, table, privNames, append(complete, without1...), complete))
	near(t, "those without a target", p.Unlabelled.Priv,
		prepared(t, table, privNames, append(complete, without1...), without1))
	if slices.Index(p.HasPriv, false) != 4 {
		t.Errorf("rows with privileged values: %v", p.HasPriv)
	}
	r := m.Report
	if r.Rows != 20 || r.Unlabelled != 17 || r.WithoutPriv != 1 {
		t.Errorf("%d rows with a target, %d without, %d without privileged values", r.Rows, r.Unlabelled, r.WithoutPriv)
	}
	if !hasText(r.Notes, "3 rows have neither target nor privileged values: left out") {
		t.Errorf("notes %v", r.Notes)
	}
	if colour := m.Priv.Columns[2]; !slices.Contains(colour.Levels, "green") {
		t.Errorf("levels %v lack that of a row without a target", colour.Levels)
	}
}

func seq(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func hasText(texts []fault.Text, part string) bool {
	return slices.ContainsFunc(texts, func(x fault.Text) bool { return strings.Contains(x.String(), part) })
}

// Rows of a file of their own give the bits that they give in the table.
func TestUnlabelledFile(t *testing.T) {
	table := partlyLabelled()
	_, in, err := labelled(t, assign(t, table, mixedRoles))
	if err != nil {
		t.Fatal(err)
	}
	// The file has the columns in another order, its own order of categories, and a target that is not looked at.
	file := table.Subset(rowsFrom(1))
	slices.Reverse(file.Columns)
	colour := file.Find("colour")
	colour.Levels = []string{"blue", "green", "red"}
	for i, code := range colour.Codes {
		colour.Codes[i] = []int{2, 0, 1}[code]
	}
	d := assign(t, table.Subset(rowsFrom(0)), mixedRoles)
	if err := d.ReadUnlabelled(ctx, file.Source(), "more.csv"); err != nil {
		t.Fatal(err)
	}
	r, beside, err := labelled(t, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]*mat.Dense{{in.X, beside.X}, {in.Priv, beside.Priv}, {in.Y, beside.Y},
		{in.Unlabelled.X, beside.Unlabelled.X}, {in.Unlabelled.Priv, beside.Unlabelled.Priv}} {
		if !mat.Equal(pair[0], pair[1]) {
			t.Errorf("other numbers:\n%v\n%v", mat.Formatted(pair[0]), mat.Formatted(pair[1]))
		}
	}
	if !hasText(r.Notes, `more.csv: targets are not looked at: label`) {
		t.Errorf("notes %v", r.Notes)
	}
	if part := d.Only([]int{1, 0}); part.Unlabelled != d.Unlabelled || part.Rows != 2 {
		t.Error("a part of the rows has lost those without a target")
	}
}

func labelled(t *testing.T, d *roles.Data) (Report, learn.Problem, error) {
	t.Helper()
	run, p, err := beginLabelling(d, func(c *param.Config) { c.AllowMissingPriv = true })
	if err != nil {
		return Report{}, learn.Problem{}, err
	}
	m, err := run.train(ctx)
	if err != nil {
		return Report{}, learn.Problem{}, err
	}
	return m.Report, *p, nil
}

// Rows of weight 0 are left out whether they have a target or not; other weights of rows without one do not count.
func TestWeightsOfRowsWithoutTarget(t *testing.T) {
	table := partlyLabelled()
	table.Find("w").Numbers[7], table.Find("w").Numbers[10] = 0, 0
	s := mixedRoles
	s.Drop, s.Weight = "y", "w"
	r, p, err := labelled(t, assign(t, table, s))
	if err != nil || r.Unlabelled != 16 || r.Rows != 19 || len(p.Weight) != 19 ||
		p.Weight[1] != table.Find("w").Numbers[2] {
		t.Errorf("%d rows with a target, %d without, weights %v (%v)", r.Rows, r.Unlabelled, p.Weight, err)
	}
}

// Folds leave rows with a target out; the rows without one stay, and preparation is fitted on them too.
func TestFoldsKeepRowsWithoutTarget(t *testing.T) {
	table := partlyLabelled()
	run, _, err := beginLabelling(assign(t, table, mixedRoles), func(c *param.Config) { c.AllowMissingPriv = true })
	if err != nil {
		t.Fatal(err)
	}
	p := &Prepared{run}
	if u := p.Problem().Unlabelled; u == nil || u.X.RawMatrix().Rows != 17 || p.Data().Rows != 20 {
		t.Fatalf("%d rows with a target, without: %v", p.Data().Rows, u)
	}
	q, err := p.Without([]int{0, 5})
	if err != nil {
		t.Fatal(err)
	}
	with, free := rowsFrom(0), without(rowsFrom(1), 1, 3, 5)
	rest := without(with, 0, 10)
	near(t, "normal features", q.X, prepared(t, table, normalNames, append(rest, free...), with))
	near(t, "those without a target", q.Unlabelled.X, prepared(t, table, normalNames, append(rest, free...), free))
	near(t, "privileged features without a target", q.Unlabelled.Priv,
		prepared(t, table, privNames, append(without(rest, 8), free...), free))
	if err := q.Check(); err != nil {
		t.Error(err)
	}
	validation := table.Subset([]int{0, 2})
	v, _, err := p.WithValidation(validation, []*dataset.Column{validation.Find("label")})
	if err != nil || v.Unlabelled != p.Problem().Unlabelled || v.Check() != nil {
		t.Errorf("with validation rows: %v", err)
	}
	again, _, err := beginLabelling(p.Data().Only(seq(10)), func(c *param.Config) { c.AllowMissingPriv = true })
	if err != nil || again.unlabelled == nil || again.unlabelled.X.RawMatrix().Rows != 17 {
		t.Errorf("prepared again: %v", err)
	}
}

func TestRowsWithoutTargetRefused(t *testing.T) {
	hole := partlyLabelled()
	hole.Find("x2").Numbers[9] = math.NaN()
	hole.Find("x2").Origin = &dataset.Origin{File: "d.csv", Lines: seq(40)}
	none := partlyLabelled().Subset(rowsFrom(1))
	for name, c := range map[string]struct {
		table *dataset.Table
		roles dataset.Selection
		kind  fault.Kind
		text  string
	}{
		"no target at all":    {none, mixedRoles, fault.Data, "none of 20 rows has a target"},
		"missing normal cell": {hole, mixedRoles, fault.Data, `d.csv:9: column 2 ("x2"): the cell is missing`},
		"no privileged columns": {partlyLabelled(), dataset.Selection{Target: "label", Drop: "y,lab_*"}, fault.Usage,
			"none is named"},
		"some targets of several": {halfTargets(), dataset.Selection{Target: "y,x3", Priv: "lab_*", Drop: "label"},
			fault.Data, "cell is missing"},
	} {
		_, _, err := labelled(t, assign(t, c.table, c.roles))
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v (%s)", name, err, fault.HintOf(err))
		}
	}
	both, k, err := kind.Complete(param.With(func(c *param.Config) { c.Kind = "krvfl" }))
	if err != nil {
		t.Fatal(err)
	}
	k.Unlabelled = true // and learns with or without privileged columns
	run := &training{Config: both, kind: k}
	err = run.load(ctx, assign(t, partlyLabelled(), dataset.Selection{Target: "label", Drop: "y,lab_*"}))
	if !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), "20 rows have no target") {
		t.Errorf("nothing to learn from rows without a target by: %v", err)
	}
	plain := param.With(func(c *param.Config) { c.Kind = "krvfl+" })
	d := assign(t, partlyLabelled(), mixedRoles)
	if _, err := Train(ctx, d, plain, Options{}); !errors.Is(err, fault.Data) ||
		!strings.Contains(fault.HintOf(err), "kind=label") {
		t.Errorf("a kind that cannot use them: %v (%s)", err, fault.HintOf(err))
	}
	d = assign(t, partlyLabelled().Subset([]int{0, 2, 4, 6}), mixedRoles)
	d.Unlabelled = partlyLabelled().Subset([]int{7, 9})
	if _, err := Train(ctx, d, plain, Options{}); !errors.Is(err, fault.Usage) ||
		!strings.Contains(fault.HintOf(err), "kind=label") {
		t.Errorf("a file that the kind cannot use: %v (%s)", err, fault.HintOf(err))
	}
}

// halfTargets lacks one of two targets in one row.
func halfTargets() *dataset.Table {
	t := mixed(40)
	t.Find("y").Numbers[3] = math.NaN()
	return t
}

func TestReadUnlabelledRefuses(t *testing.T) {
	table := mixed(10)
	texts := mixed(4)
	texts.Columns[0] = dataset.Column{Name: texts.Columns[0].Name, Codes: []int{-1, 0, 0, 0}, Levels: []string{"many"}}
	lacking := mixed(4)
	lacking.Columns = lacking.Columns[1:]
	empty := mixed(4).Subset(nil)
	for name, c := range map[string]struct {
		file *dataset.Table
		text string
	}{
		"text for numbers": {texts, `row 2, column "x1": "many" is text`},
		"no column":        {lacking, `more.csv has no column "x1"`},
		"no rows":          {empty, "no rows"},
	} {
		d := assign(t, table, mixedRoles)
		err := d.ReadUnlabelled(ctx, c.file.Source(), "more.csv")
		if !errors.Is(err, fault.Data) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	double := mixed(10)
	double.Columns = append(double.Columns, double.Columns[0])
	d := assign(t, double, dataset.Selection{Target: "y", Priv: "7:8"})
	if err := d.ReadUnlabelled(ctx, table.Source(), "more.csv"); !errors.Is(err, fault.Usage) {
		t.Errorf("two columns of one name: %v", err)
	}
}
