package dataset

import (
	"context"
	"slices"
	"testing"
)

func threeColumns() *Table {
	return &Table{Rows: 2, Columns: []Column{
		{Name: "a", Numbers: []float64{1, 2}},
		{Name: "b", Codes: []int{0, 1}, Levels: []string{"u", "v"}},
		{Name: "c", Numbers: []float64{5, 6}},
	}}
}

func TestArrange(t *testing.T) {
	src := Arrange(threeColumns().Source(), []int{2, 1}, []string{"z", "y"})
	fields := src.Fields()
	if !slices.Equal(Names(fields), []string{"z", "y"}) || fields[0].Kind != Numeric || fields[1].Kind != Nominal {
		t.Errorf("fields %+v", fields)
	}
	for range 2 { // a table in memory can be read again
		got, err := Collect(context.Background(), src, []Want{Auto | WithText, Skip})
		if err != nil || !slices.Equal(got.Names(), []string{"z", "z"}) || got.Columns[1].Texts[1] != "6" || got.Columns[0].Numbers[1] != 6 {
			t.Errorf("%+v, %v", got, err)
		}
	}
	got, err := Collect(context.Background(), src, []Want{Auto, Auto})
	if err != nil || got.Columns[1].Name != "y" || got.Columns[1].Text(1) != "v" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRolesThatAFileStates(t *testing.T) {
	names := []string{"a", "b", "c", "t1", "t,2"}
	file := Selection{Target: List([]string{"t1", "t,2"}), Priv: "2:3"}
	for _, c := range []struct {
		given, elsewhere     Selection
		target, priv, normal []int
		dropped              int
	}{
		{Selection{}, Selection{}, []int{3, 4}, []int{1, 2}, []int{0}, 0},
		{Selection{Target: "t1"}, Selection{}, []int{3}, []int{1, 2}, []int{0}, 1},
		{Selection{Target: "t1", Drop: "t,2"}, Selection{}, []int{3}, []int{1, 2}, []int{0}, 0},
		{Selection{Target: "c", Drop: "t,2"}, Selection{}, []int{2}, []int{1}, []int{0}, 1},
		{Selection{Priv: "t1", Target: "t,2"}, Selection{}, []int{4}, []int{3}, []int{0, 1, 2}, 0},
		{Selection{Normal: "b"}, Selection{}, []int{3, 4}, []int{2}, []int{1}, 0},
		{Selection{Target: "t1", Normal: "a,4:5"}, Selection{}, []int{3}, []int{1, 2}, []int{0, 4}, 0},
		{Selection{}, Selection{Target: "other.csv"}, nil, []int{1, 2}, []int{0}, 2},
		{Selection{}, Selection{Priv: "other.csv"}, []int{3, 4}, nil, []int{0, 1, 2}, 0},
	} {
		got, dropped := c.given.Or(file, names, c.elsewhere)
		if c.elsewhere.Target != "" {
			got.Target = ""
		}
		roles, err := got.Resolve(names)
		if err != nil || !slices.Equal(roles.Target, c.target) || !slices.Equal(roles.Priv, c.priv) || !slices.Equal(roles.Normal, c.normal) || len(dropped) != c.dropped {
			t.Errorf("%+v: %+v, dropped %v, %v", c.given, roles, dropped, err)
		}
	}
}
