package roles

import (
	"context"
	"slices"
	"testing"

	"rvflplus/dataset"
)

func threeColumns() *dataset.Table {
	return &dataset.Table{Rows: 2, Columns: []dataset.Column{
		{Name: "a", Numbers: []float64{1, 2}},
		{Name: "b", Codes: []int{0, 1}, Levels: []string{"u", "v"}},
		{Name: "c", Numbers: []float64{5, 6}},
	}}
}

func TestSelectColumns(t *testing.T) {
	src := SelectColumns(threeColumns().Source(), []int{2, 1}, []string{"z", "y"})
	fields := src.Fields()
	if !slices.Equal(dataset.FieldNames(fields), []string{"z", "y"}) || fields[0].Kind != dataset.Numeric ||
		fields[1].Kind != dataset.Nominal {
		t.Errorf("fields %+v", fields)
	}
	for range 2 { // a table in memory can be read again
		got, err := dataset.Collect(context.Background(), src,
			[]dataset.ReadAs{dataset.Auto | dataset.WithText, dataset.Skip})
		if err != nil || !slices.Equal(got.Names(), []string{"z", "z"}) || got.Columns[1].Texts[1] != "6" ||
			got.Columns[0].Numbers[1] != 6 {
			t.Errorf("%+v, %v", got, err)
		}
	}
	got, err := dataset.Collect(context.Background(), src, []dataset.ReadAs{dataset.Auto, dataset.Auto})
	if err != nil || got.Columns[1].Name != "y" || got.Columns[1].Text(1) != "v" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRolesThatAFileStates(t *testing.T) {
	names := []string{"a", "b", "c", "t1", "t,2"}
	file := dataset.Selection{Target: ByName([]string{"t1", "t,2"}), Priv: "2:3"}
	for _, c := range []struct {
		given, elsewhere     dataset.Selection
		target, priv, normal []int
		dropped              int
	}{
		{dataset.Selection{}, dataset.Selection{}, []int{3, 4}, []int{1, 2}, []int{0}, 0},
		{dataset.Selection{Target: "t1"}, dataset.Selection{}, []int{3}, []int{1, 2}, []int{0}, 1},
		{dataset.Selection{Target: "t1", Drop: "t,2"}, dataset.Selection{}, []int{3}, []int{1, 2}, []int{0}, 0},
		{dataset.Selection{Target: "c", Drop: "t,2"}, dataset.Selection{}, []int{2}, []int{1}, []int{0}, 1},
		{dataset.Selection{Priv: "t1", Target: "t,2"}, dataset.Selection{}, []int{4}, []int{3}, []int{0, 1, 2}, 0},
		{dataset.Selection{Normal: "b"}, dataset.Selection{}, []int{3, 4}, []int{2}, []int{1}, 0},
		{dataset.Selection{Target: "t1", Normal: "a,4:5"}, dataset.Selection{}, []int{3}, []int{1, 2}, []int{0, 4}, 0},
		{dataset.Selection{}, dataset.Selection{Target: "other.csv"}, nil, []int{1, 2}, []int{0}, 2},
		{dataset.Selection{}, dataset.Selection{Priv: "other.csv"}, []int{3, 4}, nil, []int{0, 1, 2}, 0},
	} {
		got, dropped := Complete(c.given, file, names, c.elsewhere)
		if c.elsewhere.Target != "" {
			got.Target = ""
		}
		roles, err := Resolve(got, names)
		if err != nil || !slices.Equal(roles.Target, c.target) || !slices.Equal(roles.Priv, c.priv) ||
			!slices.Equal(roles.Normal, c.normal) || len(dropped) != c.dropped {
			t.Errorf("%+v: %+v, dropped %v, %v", c.given, roles, dropped, err)
		}
	}
}
