package learn

import (
	"errors"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
)

func withColumns() Problem {
	return Problem{X: mat.NewDense(3, 4, nil), Priv: mat.NewDense(3, 2, nil), Y: mat.NewDense(3, 1, nil),
		Columns: []int{0, 1, 1, 2}, PrivColumns: []int{0, 0}}
}

func TestColumnsAreOfTheFeatures(t *testing.T) {
	if err := withColumns().Check(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*Problem){
		"normal":     func(p *Problem) { p.Columns = p.Columns[:3] },
		"privileged": func(p *Problem) { p.PrivColumns = []int{0, 1, 2} },
	} {
		p := withColumns()
		spoil(&p)
		if err := p.Check(); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	bare := withColumns()
	if bare.Priv = nil; bare.Check() != nil {
		t.Errorf("without privileged features: %v", bare.Check())
	}
	some := withColumns().Only([]int{2, 0})
	if !slices.Equal(some.Columns, []int{0, 1, 1, 2}) || !slices.Equal(some.PrivColumns, []int{0, 0}) {
		t.Errorf("of some rows: %v and %v", some.Columns, some.PrivColumns)
	}
}

func TestWithPrivKeepsColumnsThatFit(t *testing.T) {
	p := withColumns()
	for width, want := range map[int][]int{2: {0, 0}, 3: nil} {
		q := p.WithPriv(mat.NewDense(3, width, nil))
		if !slices.Equal(q.PrivColumns, want) || q.Check() != nil {
			t.Errorf("%d features: %v, %v", width, q.PrivColumns, q.Check())
		}
	}
	if q := p.WithPriv(nil); q.PrivColumns != nil || q.Check() != nil {
		t.Errorf("none: %v, %v", q.PrivColumns, q.Check())
	}
}

func TestColumnsBesideOthers(t *testing.T) {
	for _, c := range []struct{ columns, further, want []int }{
		{[]int{0, 2, 2}, nil, []int{0, 2, 2, 3, 4}}, {nil, nil, []int{0, 1, 2, 3, 4}},
		{[]int{0, 1, 1}, []int{0, 0}, []int{0, 1, 1, 2, 2}},
	} {
		if got := ColumnsBeside(c.columns, 3, c.further, 2); !slices.Equal(got, c.want) {
			t.Errorf("%v and %v: %v, want %v", c.columns, c.further, got, c.want)
		}
	}
}
