package rvflplus_test

import (
	"context"
	"path/filepath"
	"testing"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/internal/metric"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/realdata"
	"rvflplus/internal/registry"
	"rvflplus/internal/roles"
	"rvflplus/internal/split"
)

const splits = 20

// publicSet loads a data set with the columns in their roles.
func publicSet(t *testing.T, name string) *roles.Data {
	t.Helper()
	folder := filepath.Dir(realdata.File(t, "manifest.json"))
	e, part, err := registry.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	set, err := registry.Loader{Folders: []string{folder}}.Load(context.Background(), e, part)
	if err != nil {
		t.Fatal(err)
	}
	return withRoles(t, set.Table, set.Selection)
}

// rings is Abalone with the number of rings as it was counted.
func rings(t *testing.T) *roles.Data {
	t.Helper()
	path := realdata.File(t, "uci/abalone/abalone.data")
	f, err := tablefile.Open(context.Background(), path, tablefile.Options{NoHeader: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table, err := dataset.Collect(context.Background(), f, make([]dataset.ReadAs, 9))
	if err != nil {
		t.Fatal(err)
	}
	return withRoles(t, table, dataset.Selection{Target: "c9", Priv: "5:8"})
}

func withRoles(t *testing.T, table *dataset.Table, s dataset.Selection) *roles.Data {
	t.Helper()
	d, err := roles.Assign(table, s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// with returns the default config after a change.
func with(change func(*param.Config)) param.Config {
	c := param.Default()
	change(&c)
	return c
}

func trained(t *testing.T, d *roles.Data, rows []int, c param.Config) *pipeline.Model {
	t.Helper()
	m, err := pipeline.Train(context.Background(), d.Only(rows), c, pipeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// go test . -run Calibrated -v shows the numbers of docs/uncertainty.md.
func TestCalibratedLogLossIsLower(t *testing.T) {
	for _, name := range []string{"iris", "wine", "glass", "segment", "parkinsons"} {
		d := publicSet(t, name)
		loss := map[string]float64{}
		for seed := range uint64(splits) {
			classes, err := split.Classes(d.Pick(d.Roles.Target)[0])
			if err != nil {
				t.Fatal(err)
			}
			s, err := split.Stratified(classes, split.Share(0.5), split.Size{}, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, proba := range []string{"", "platt", "isotonic"} {
				m := trained(t, d, s.Train, with(func(c *param.Config) {
					c.Kind, c.C, c.Correction, c.Task, c.Proba = "krvfl+", 10, "additive", "classify", proba
				}))
				test := d.Only(s.Test)
				e, err := m.Evaluate(context.Background(), test.Table, test.Pick(test.Roles.Target),
					pipeline.EvaluateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				own := metric.SoftmaxLogLoss(e.Classes.Truth, e.Classes.Values, nil)
				if proba != "" {
					own = *e.Metrics.Class.LogLoss
				}
				loss[proba] += own / splits
			}
		}
		t.Logf("| %s | %.3f | %.3f | %.3f |", name, loss[""], loss["platt"], loss["isotonic"])
		for _, proba := range []string{"platt", "isotonic"} {
			if loss[proba] >= loss[""] {
				t.Errorf("%s: log-loss %.4f with %s, %.4f without", name, loss[proba], proba, loss[""])
			}
		}
	}
}

// go test . -run Intervals -v shows the numbers of docs/uncertainty.md.
func TestIntervalsCoverWhatTheySay(t *testing.T) {
	for _, c := range []struct {
		name        string
		data        *roles.Data
		train, test split.Size
	}{
		{"slump", publicSet(t, "slump"), split.Share(0.7), split.Size{}},
		{"edm", publicSet(t, "edm"), split.Share(0.7), split.Size{}},
		{"abalone rings, 300 rows", rings(t), split.Rows(300), split.Rows(300)},
	} {
		for _, kind := range []string{"krvfl+", "rvfl+", "rvfl"} {
			covered, rows := 0.0, 0.0
			for seed := range uint64(splits) {
				s, err := split.Shuffled(c.data.Rows, c.train, c.test, seed)
				if err != nil {
					t.Fatal(err)
				}
				m := trained(t, c.data, s.Train, with(func(c *param.Config) {
					c.Kind, c.Hidden, c.Correction, c.Task = kind, 60, "additive", "regress"
					c.Intervals, c.Seed = true, seed
				}))
				inside, of := coverage(t, m, c.data.Only(s.Test))
				covered, rows = covered+inside, rows+of
			}
			share := covered / rows
			t.Logf("| %s | %s | %.1f %% |", c.name, kind, 100*share)
			if share < 0.85 || share > 0.95 {
				t.Errorf("%s, %s: 90 %% intervals cover %.1f %%", c.name, kind, 100*share)
			}
		}
	}
}

// coverage counts the targets that lie in their 90 % intervals.
func coverage(t *testing.T, m *pipeline.Model, d *roles.Data) (inside, of float64) {
	t.Helper()
	p, err := m.PredictAt(context.Background(), d.Table, 0.9, nil)
	if err != nil {
		t.Fatal(err)
	}
	for j, column := range d.Pick(d.Roles.Target) {
		for i, y := range column.Numbers {
			of++
			if p.Lower.At(i, j) <= y && y <= p.Upper.At(i, j) {
				inside++
			}
		}
	}
	return inside, of
}
