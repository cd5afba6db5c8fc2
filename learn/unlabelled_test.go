package learn_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/learn"
)

// withUnlabelled is a problem of three rows with a target and two without.
func withUnlabelled() learn.Problem {
	return learn.Problem{
		X:    mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}),
		Priv: mat.NewDense(3, 1, []float64{7, 8, 9}),
		Y:    mat.NewDense(3, 1, []float64{1, 0, 1}),
		Unlabelled: &learn.Unlabelled{
			X: mat.NewDense(2, 2, []float64{1, 1, 2, 2}), Priv: mat.NewDense(2, 1, []float64{3, 4}),
		},
	}
}

func TestCheckUnlabelled(t *testing.T) {
	if err := withUnlabelled().Check(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(p *learn.Problem)
		want  fault.Kind
	}{
		"no privileged part": {func(p *learn.Problem) { p.Priv = nil }, fault.Usage},
		"no privileged":      {func(p *learn.Problem) { p.Unlabelled.Priv = nil }, fault.Usage},
		"no normal features": {func(p *learn.Problem) { p.Unlabelled.X = nil }, fault.Usage},
		"no rows": {func(p *learn.Problem) {
			p.Unlabelled = &learn.Unlabelled{X: &mat.Dense{}, Priv: &mat.Dense{}}
		}, fault.Usage},
		"normal columns":     {func(p *learn.Problem) { p.Unlabelled.X = mat.NewDense(2, 3, nil) }, fault.Usage},
		"privileged columns": {func(p *learn.Problem) { p.Unlabelled.Priv = mat.NewDense(2, 2, nil) }, fault.Usage},
		"other rows":         {func(p *learn.Problem) { p.Unlabelled.Priv = mat.NewDense(3, 1, nil) }, fault.Usage},
		"not a number":       {func(p *learn.Problem) { p.Unlabelled.X.Set(1, 0, math.NaN()) }, fault.Data},
		"infinite":           {func(p *learn.Problem) { p.Unlabelled.Priv.Set(0, 0, math.Inf(1)) }, fault.Data},
	} {
		p := withUnlabelled()
		c.spoil(&p)
		if err := p.Check(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want an error of kind %v", name, err, c.want)
		}
	}
}

func TestOnlyKeepsUnlabelled(t *testing.T) {
	p := withUnlabelled()
	part := p.Only([]int{2, 0})
	if part.Unlabelled != p.Unlabelled || part.X.RawMatrix().Rows != 2 {
		t.Errorf("of 3 rows with a target and 2 without, Only gives %d with one and %v", part.X.RawMatrix().Rows,
			part.Unlabelled)
	}
}
