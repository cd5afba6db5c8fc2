package modelfile

import (
	"errors"
	"math"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// gaps is a model of which 10 of 30 rows had no privileged values.
func gaps(t *testing.T, kind string) *pipeline.Model {
	t.Helper()
	rows := table()
	for i := range 10 {
		rows.Find("lab_1").Numbers[3*i] = math.NaN()
	}
	data, err := roles.Assign(rows, dataset.Selection{Target: "y", Priv: "lab_*", Drop: "label"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := pipeline.Train(ctx, data,
		param.With(func(c *param.Config) { c.Kind, c.Hidden, c.AllowMissingPriv = kind, 4, true }),
		pipeline.Options{LeaveOneOut: learn.Always})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRowsWithoutPrivilegedValuesAreKept(t *testing.T) {
	for _, kind := range []string{"rvfl+", "krvfl+"} {
		for _, keep := range []bool{false, true} {
			m, err := decode(encode(t, gaps(t, kind), keep))
			if err != nil || m.Report.WithoutPriv != 10 || m.Report.Rows != 30 {
				t.Errorf("%s: %+v, %v", kind, m, err)
			}
		}
	}
}

func TestContradictoryCountsOfRowsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		kind    string
		without int
		keep    bool
	}{
		"negative":        {"rvfl+", -1, false},
		"all rows":        {"rvfl+", 30, false},
		"privileged rows": {"krvfl+", 9, true},
		"none":            {"krvfl+", 0, true},
	} {
		m := gaps(t, c.kind)
		m.Report.WithoutPriv = c.without
		if _, err := decode(encode(t, m, c.keep)); !errors.Is(err, fault.Data) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	m := models(t)["krvfl"]
	m.Report.WithoutPriv = 3
	if _, err := decode(encode(t, m, false)); !errors.Is(err, fault.Data) {
		t.Errorf("a kind without privileged part: error %v", err)
	}
}
