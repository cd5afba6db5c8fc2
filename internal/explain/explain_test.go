package explain

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/kernel"
	"rvflplus/learn"
)

var ctx = context.Background()

// table has generated rows: y of x1 … x3 and the privileged lab_1 and lab_2, a column of noise, one of categories that
// y depends on, one of categories that tell nothing, and classes.
func table(rows int, seed uint64) *dataset.Table {
	t, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.1, Seed: seed}.Table()
	town := dataset.Column{Name: "town", Levels: []string{"a", "b", "c"}, Codes: make([]int, rows)}
	month := dataset.Column{Name: "month", Levels: []string{"i", "ii"}, Codes: make([]int, rows)}
	class := dataset.Column{Name: "class", Levels: []string{"low", "high"}, Codes: make([]int, rows)}
	noise := dataset.Column{Name: "noise", Numbers: make([]float64, rows)}
	y := t.Find("y").Numbers
	for i := range rows {
		town.Codes[i], month.Codes[i] = (i*7+i/5)%3, (i/3)%2
		noise.Numbers[i] = math.Sin(float64(i * i))
		y[i] += 3 * float64(town.Codes[i])
		if y[i] > 3 {
			class.Codes[i] = 1
		}
	}
	t.Columns = append(t.Columns, noise, town, month, class)
	return t
}

func assign(t *testing.T, all *dataset.Table, sel dataset.Selection) *roles.Data {
	t.Helper()
	d, err := roles.Assign(all, sel)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func trained(t *testing.T, d *roles.Data, c param.Config) *pipeline.Model {
	t.Helper()
	m, err := pipeline.Train(ctx, d, c, pipeline.Options{LeaveOneOut: learn.WhenCheap})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var plain = param.With(func(c *param.Config) { c.Kind, c.C, c.Kernel = "krvfl", 10, kernel.Must("rbf:width=4") })

func permute(t *testing.T, m *pipeline.Model, use *dataset.Table, target string, o Options) *Part {
	t.Helper()
	p, err := Permute(ctx, m, use, []*dataset.Column{use.Find(target)}, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *Part) change(name string) Column {
	return p.Columns[slices.IndexFunc(p.Columns, func(c Column) bool { return c.Name == name })]
}

// Importances are those of predicting tables with a permuted column, categories and all.
func TestPermutingEqualsPredictingPermutedTables(t *testing.T) {
	for _, name := range []string{"y", "class"} {
		drop := map[string]string{"y": "class", "class": "y"}[name]
		d := assign(t, table(80, 1), dataset.Selection{Target: name, Drop: "lab_*," + drop})
		m, use := trained(t, d, plain), table(50, 2)
		o := Options{Repeats: 3, Seed: 9}
		part := permute(t, m, use, name, o)
		if len(part.Columns) != 6 || part.Rows != 50 || len(part.Notes) > 0 {
			t.Fatalf("%+v", part)
		}
		losses := func(of *dataset.Table) []float64 {
			p, err := m.Predict(ctx, of, nil)
			if err != nil {
				t.Fatal(err)
			}
			all, err := m.Losses(use, []*dataset.Column{use.Find(name)}, p)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		before := losses(use)
		for _, c := range m.Schema.Normal {
			var sum float64
			for _, order := range orders(50, o) {
				changed := &dataset.Table{Rows: 50, Columns: slices.Clone(use.Columns)}
				*changed.Find(c.Name) = *use.Subset(order).Find(c.Name)
				for i, loss := range losses(changed) {
					sum += (loss - before[i]) / 3
				}
			}
			if got := part.change(c.Name).Change; math.Abs(got-sum/50) > 1e-12 {
				t.Errorf("%s, %s: %v, want %v", name, c.Name, got, sum/50)
			}
		}
		if first := part.Columns[0]; first.Name != "town" || first.Change < 4*first.SE {
			t.Errorf("%s: the first column is %+v", name, first)
		}
		if c := part.change("month"); math.Abs(c.Change) > 0.1*part.Columns[0].Change {
			t.Errorf("%s: a column that tells nothing has %+v", name, c)
		}
	}
}

// A column that the model does not look at changes nothing; rows that the model was trained on are told.
func TestColumnsThatDoNotCount(t *testing.T) {
	d := assign(t, table(60, 1), dataset.Selection{Target: "y", Drop: "lab_*,class,town,month"})
	c := plain
	c.Kernel, c.Linear = kernel.Must("rbf:width=4,relevance=1/0/1/0"), false
	m := trained(t, d, c)
	part := permute(t, m, table(60, 1), "y", Options{Repeats: 2})
	for _, name := range []string{"x2", "noise"} {
		if c := part.change(name); c.Change != 0 || c.SE != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if len(part.Notes) != 1 {
		t.Errorf("the rows of training are not told: %v", part.Notes)
	}
	if part := permute(t, m, table(60, 3), "y", Options{Repeats: 2}); len(part.Notes) != 0 {
		t.Errorf("other rows are taken for those of training: %v", part.Notes)
	}
}

func TestThreadsDoNotMatter(t *testing.T) {
	d := assign(t, table(60, 1), dataset.Selection{Target: "y", Drop: "lab_*,class"})
	m, use := trained(t, d, plain), table(70, 2)
	var first *Part
	for _, n := range []int{1, 3} {
		before := runtime.GOMAXPROCS(n)
		part := permute(t, m, use, "y", Options{Repeats: 3, Seed: 1})
		runtime.GOMAXPROCS(before)
		if first == nil {
			first = part
		}
		if !slices.Equal(part.Columns, first.Columns) || part.Loss != first.Loss {
			t.Errorf("%d threads: %+v, one: %+v", n, part, first)
		}
	}
	if other := permute(t, m, use, "y", Options{Repeats: 3, Seed: 2}); slices.Equal(other.Columns, first.Columns) {
		t.Error("the seed does not draw the permutations")
	}
}

// A silenced privileged column is one that is left out of training: the same losses, row by row, as with a table
// without the column, for every form of the correction and for targets that are classes.
func TestSilentColumnsAreLeftOut(t *testing.T) {
	for _, correction := range learn.Corrections() {
		for _, name := range []string{"y", "class"} {
			drop := map[string]string{"y": "class", "class": "y"}[name] + ",noise,month"
			c := param.With(func(c *param.Config) {
				c.Kind, c.C, c.Gamma, c.Correction = "krvfl+", 10, 2, correction
				c.Kernel, c.PrivKernel = kernel.Must("rbf:width=4"), kernel.Must("laplacian:width=3")
				c.ProjectC, c.ProjectKernel = 5, kernel.Must("rbf:width=4")
			})
			d := assign(t, table(45, 4), dataset.Selection{Target: name, Priv: "lab_*,town", Drop: drop})
			part, err := WithoutPrivileged(ctx, d, c, nil)
			if err != nil {
				t.Fatal(err)
			}
			base := leftOut(t, d, c)
			if math.Abs(part.Loss-base) > 1e-9 || part.Rows != 45 || len(part.Columns) != 3 {
				t.Errorf("%s, %s: loss %v, want %v; %+v", correction, name, part.Loss, base, part)
			}
			for _, lacking := range []string{"lab_1", "lab_2", "town"} {
				rest := []string{"lab_1", "lab_2", "town"}
				rest = slices.DeleteFunc(rest, func(s string) bool { return s == lacking })
				without := assign(t, table(45, 4),
					dataset.Selection{Target: name, Priv: roles.ByName(rest), Drop: drop + "," + lacking})
				want := leftOut(t, without, c) - base
				if got := part.change(lacking).Change; math.Abs(got-want) > 1e-9 {
					t.Errorf("%s, %s without %s: %v, want %v", correction, name, lacking, got, want)
				}
			}
			if part.Together == nil {
				t.Errorf("%s: nothing is told of all columns together", correction)
			}
		}
	}
}

// leftOut returns the mean leave-one-out loss that training itself reports.
func leftOut(t *testing.T, d *roles.Data, c param.Config) float64 {
	t.Helper()
	p, err := pipeline.Prepare(ctx, d, c)
	if err != nil {
		t.Fatal(err)
	}
	w := leaving{p: p, c: c, problem: p.Problem()}
	trainer, err := p.Trainer(c)
	if err != nil {
		t.Fatal(err)
	}
	q := p.Problem()
	q.LeaveOneOut = learn.Always
	_, report, err := trainer.Train(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for i := range d.Rows {
		for j, scale := range w.scale() {
			e := (report.LeaveOneOut.At(i, j) - q.Y.At(i, j)) * scale
			sum += e * e / float64(len(w.scale()))
		}
	}
	return sum / float64(d.Rows)
}

// What the privileged columns know stands in the changes: of lab_1, which y depends on most, and not of noise. Kinds on
// random layers and kinds that choose their settings are measured too.
func TestPrivilegedColumnsThatCount(t *testing.T) {
	all := table(60, 4)
	d := assign(t, all, dataset.Selection{Target: "y", Priv: "lab_*,noise", Drop: "class,month,town"})
	for _, c := range []param.Config{
		param.With(func(c *param.Config) {
			c.Kind, c.Gamma, c.Correction, c.Hidden = "rvfl+", 1, "additive", 40
		}),
		param.With(func(c *param.Config) { c.Kind, c.Free = "transfer", []param.Param{param.C, param.Width} }),
		param.With(func(c *param.Config) { c.Kind, c.Free = "distill", []param.Param{param.C, param.Width} }),
	} {
		part, err := WithoutPrivileged(ctx, d, c, nil)
		if err != nil {
			t.Fatal(c.Kind, err)
		}
		for _, column := range append(part.Columns, *part.Together) {
			if math.IsNaN(column.Change) || math.IsNaN(column.SE) || column.SE < 0 {
				t.Errorf("%s: %+v", c.Kind, column)
			}
		}
	}
}

// A stack that was read from a file chooses all that it chose in training again: with all columns its loss is that of
// the report.
func TestSettingsOfAStackAreChosenAgain(t *testing.T) {
	d := assign(t, table(40, 4), dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class,month,town"})
	k, err := kind.ByName("stack")
	if err != nil {
		t.Fatal(err)
	}
	c := param.With(func(c *param.Config) { c.Kind = "stack" })
	c.Free = k.FreeOf(nil, k.Complete(c))
	m := trained(t, d, c)
	text, err := json.Marshal(kind.Settings(m.Config))
	if err != nil {
		t.Fatal(err)
	}
	var read kind.Settings
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	part, err := WithoutPrivileged(ctx, d, param.Config(read), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := 1 - m.Report.LeaveOneOut.Metrics.Number.R2; math.Abs(part.Loss-want) > 1e-9 {
		t.Errorf("the loss is %v, in training %v", part.Loss, want)
	}
}

func TestWhatCannotBeExplained(t *testing.T) {
	d := assign(t, table(30, 1), dataset.Selection{Target: "y", Priv: "lab_*", Drop: "class"})
	m := trained(t, d, plain)
	use := table(30, 2)
	targets := []*dataset.Column{use.Find("y")}
	none := use.Subset(nil)
	one := use.Subset([]int{3})
	for name, err := range map[string]error{
		"no rows": permuteError(m, none, []*dataset.Column{none.Find("y")}, 1),
		"one row": permuteError(m, one, []*dataset.Column{one.Find("y")}, 1),
		"targets": permuteError(m, use, nil, 1), "repeats": permuteError(m, use, targets, 0),
		"no column":  permuteError(m, &dataset.Table{Rows: 30, Columns: use.Columns[1:]}, targets, 1),
		"plain kind": withoutError(d, plain),
		"svm+": withoutError(assign(t, table(30, 1), dataset.Selection{Target: "class", Priv: "lab_*", Drop: "y"}),
			param.With(func(c *param.Config) { c.Kind = "svm+" })),
	} {
		if !errors.Is(err, fault.Usage) && !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Permute(cancelled, m, use, targets, Options{Repeats: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	c := plain
	c.Kind = "krvfl+"
	if _, err := WithoutPrivileged(cancelled, d, c, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func permuteError(m *pipeline.Model, t *dataset.Table, targets []*dataset.Column, repeats int) error {
	_, err := Permute(ctx, m, t, targets, Options{Repeats: repeats})
	return err
}

func withoutError(d *roles.Data, c param.Config) error {
	_, err := WithoutPrivileged(ctx, d, c, nil)
	return err
}
