package rvflplus_test

import (
	"context"
	"strings"
	"testing"

	"rvflplus/internal/bound"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
	"rvflplus/internal/split"
)

// twoClasses keeps the rows of the given classes.
func twoClasses(t *testing.T, name string, classes ...string) *roles.Data {
	t.Helper()
	d := publicSet(t, name)
	column := d.Pick(d.Roles.Target)[0]
	var rows []int
	for i := range d.Rows {
		for _, c := range classes {
			if column.Text(i) == c {
				rows = append(rows, i)
			}
		}
	}
	return d.Only(rows)
}

// go test . -run BoundsOnPublicData -v shows the numbers of docs/bound.md.
func TestBoundsOnPublicData(t *testing.T) {
	for _, c := range []struct {
		name  string
		data  *roles.Data
		train split.Size
	}{
		{"parkinsons", publicSet(t, "parkinsons"), split.Share(0.5)},
		{"iris, versicolor or virginica", twoClasses(t, "iris", "Iris-versicolor", "Iris-virginica"), split.Share(0.5)},
		{"wine, 1 or 2", twoClasses(t, "wine", "1", "2"), split.Share(0.5)},
		{"glass, 1 or 2", twoClasses(t, "glass", "1", "2"), split.Share(0.5)},
		{"mnist+", publicSet(t, "mnist+:all"), split.Rows(3000)},
	} {
		s, err := split.Shuffled(c.data.Rows, c.train, split.Size{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []func(*param.Config){
			func(c *param.Config) { c.Kind, c.Hidden = "rvfl+", 100 },
			func(c *param.Config) { c.Kind = "krvfl+" },
			func(c *param.Config) { c.Kind, c.C = "krvfl+", 0.001 },
		} {
			config := with(change)
			config.Encoding, config.Scale = "sign", "l2"
			if c.name == "mnist+" { // most of its rows have no privileged values
				config.Kind = strings.TrimSuffix(config.Kind, "+")
			}
			oneBound(t, c.name, c.data, s, config)
		}
	}
}

func oneBound(t *testing.T, name string, data *roles.Data, s split.Split, config param.Config) {
	t.Helper()
	m := trained(t, data, s.Train, config)
	d, test := data.Only(s.Train), data.Only(s.Test)
	for _, loss := range []bound.Loss{bound.Ramp, bound.Absolute} {
		o := bound.Options{Loss: loss, Draws: 100}
		r, err := m.Bound(context.Background(), d.Table, d.Pick(d.Roles.Target), o)
		if err != nil {
			t.Fatal(err)
		}
		risk, err := m.Risk(test.Table, test.Pick(test.Roles.Target), loss)
		if err != nil {
			t.Fatal(err)
		}
		if risk > r.Bound || r.Posteriori != nil && risk > *r.Posteriori {
			t.Errorf("%s, %s: risk %.3f above the bound %.3f", name, loss, risk, r.Bound)
		}
		if loss == bound.Ramp {
			t.Logf("| %s, %d | %s, C = %g | %.2f | %.2f | %.3f | %.3f | %.3f | %.3f | %.3f | %.2f | %.2f |",
				name, r.Rows, config.Kind, config.C, r.Z, r.B, r.EmpiricalRisk, risk,
				r.Rademacher.MonteCarlo, r.Rademacher.Trace, r.Rademacher.Paper, r.Bound, *r.Posteriori)
		}
	}
}
