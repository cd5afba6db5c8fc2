package pipeline

import (
	"slices"
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/param"
	"rvflplus/internal/roles"
)

// The features of a column of categories share its number, also where a fold takes a category away.
func TestProblemsTellTheColumnsOfFeatures(t *testing.T) {
	table := mixed(12)
	colour := table.Find("colour")
	colour.Levels = append(colour.Levels, "rare")
	colour.Codes[5] = 2
	data, err := roles.Assign(table, dataset.Selection{Target: "y", Normal: "x1,colour,x2", Priv: "lab_1,label"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Prepare(t.Context(), data, param.With(func(c *param.Config) { c.Kind = "krvfl+" }))
	if err != nil {
		t.Fatal(err)
	}
	whole := p.Problem()
	without, err := p.Without([]int{5})
	if err != nil {
		t.Fatal(err)
	}
	if want := sources(data, data.Roles.Normal, 3); !slices.Equal(whole.Columns, want) {
		t.Errorf("columns %v, want %v", whole.Columns, want)
	}
	if want := sources(data, data.Roles.Normal, 2); !slices.Equal(without.Columns, want) {
		t.Errorf("without the rare category: columns %v, want %v", without.Columns, want)
	}
	if want := sources(data, data.Roles.Priv, 2); !slices.Equal(whole.PrivColumns, want) ||
		!slices.Equal(without.PrivColumns, want) {
		t.Errorf("privileged columns %v and %v, want %v", whole.PrivColumns, without.PrivColumns, want)
	}
	for _, q := range []interface{ Check() error }{whole, without} {
		if err := q.Check(); err != nil {
			t.Error(err)
		}
	}
}

// sources numbers the features of columns, of which those of categories have several.
func sources(d *roles.Data, columns []int, categories int) (out []int) {
	for k, c := range columns {
		n := 1
		if d.Columns[c].Levels != nil {
			n = categories
		}
		out = append(out, slices.Repeat([]int{k}, n)...)
	}
	return out
}
