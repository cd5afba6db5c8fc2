package ridge

import (
	"fmt"
	"testing"

	"rvflplus/blas"
	"rvflplus/internal/gram"
	"rvflplus/internal/oracle"
)

func paramsOf(v oracle.Vectors) Params { return Params{C: v.C, Gamma: v.Gamma} }

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

func blasOf(r oracle.Rows) blas.Matrix { return matrixOf(r.Dense()) }

func TestProjectedAgreesWithTheReference(t *testing.T) {
	for _, v := range oracle.ReadVectors(t) {
		n := len(v.Y)
		for what, c := range map[string]struct {
			guided int
			c2     float64
			want   oracle.Rows
		}{
			"projected": {n, v.C2, v.Projected},
			"labelled":  {len(v.Priv), v.C2, v.Labelled},
			"additive":  {n, 1e-14, v.Additive},
		} {
			s, err := NewProjected(ctx, ProjectedProblem{
				Omega: blasOf(v.Omega), Priv: blas.View(blasOf(v.Priv), 0, c.guided, 0, c.guided), Complete: n,
				Y: blasOf(v.Y), Weight: ones(n), Params: paramsOf(v),
			})
			if err != nil {
				t.Fatal(err)
			}
			omega2 := blas.View(blasOf(v.Omega2), 0, c.guided, 0, c.guided)
			if _, err := s.Project(ctx, omega2, blas.New(0, c.guided), c.c2); err != nil {
				t.Fatal(err)
			}
			loo, err := s.LeaveOneOut(ctx)
			if err != nil {
				t.Fatal(err)
			}
			oracle.Near(t, v.Name+": "+what, asDense(loo), c.want)
		}
	}
}

func TestDistillationAgreesWithTheReference(t *testing.T) {
	for _, v := range oracle.ReadVectors(t) {
		n := len(v.Y)
		teacher, err := NewTeacher(ctx, blas.View(blasOf(v.Priv), 0, n, 0, n), blasOf(v.Y), ones(n), paramsOf(v))
		if err != nil {
			t.Fatal(err)
		}
		predictions := teacher.Predictions()
		for o, two := range v.LeaveTwoOut {
			var diagonal oracle.Rows
			for i := range n {
				diagonal = append(diagonal, two[i][i:i+1])
			}
			oracle.Near(t, v.Name+": "+"teacher", asDense(blas.View(predictions, 0, n, o, o+1)), diagonal)
		}
		omega := blas.View(blasOf(v.Omega2), 0, n, 0, n)
		ofY, ofTeacher, err := teacher.Student(ctx, omega, Params{C: v.C2})
		if err != nil {
			t.Fatal(err)
		}
		oracle.Near(t, v.Name+": "+"student of y", asDense(ofY), v.OfY)
		oracle.Near(t, v.Name+": "+"student of the teacher", asDense(ofTeacher), v.OfTeacher)
		for k := range ofY.Data {
			ofY.Data[k] = (1-v.Lambda)*ofY.Data[k] + v.Lambda*ofTeacher.Data[k]
		}
		oracle.Near(t, v.Name+": "+fmt.Sprintf("student of λ = %g", v.Lambda), asDense(ofY), v.Distilled)
	}
}

func TestPrimalProjectedAgreesWithTheReference(t *testing.T) {
	for _, v := range oracle.ReadVectors(t) {
		n, h, priv, y := len(v.Y), blasOf(v.H), blasOf(v.HPriv), blasOf(v.Y)
		labelled, unlabelled := gram.New(h.Cols, priv.Cols, y.Cols), gram.New(h.Cols, priv.Cols, y.Cols)
		fill := func(from, to int) gram.Block {
			b := labelled.Block(to - from)
			for i := range b.H.Rows {
				copy(blas.Row(b.H, i), blas.Row(h, from+i))
				copy(blas.Row(b.Priv, i), blas.Row(priv, from+i))
				if from+i < n {
					copy(blas.Row(b.Y, i), blas.Row(y, from+i))
				}
			}
			return b
		}
		if err := labelled.Add(ctx, fill(0, n), nil); err != nil {
			t.Fatal(err)
		}
		if err := unlabelled.Add(ctx, fill(n, h.Rows), nil); err != nil {
			t.Fatal(err)
		}
		for what, want := range map[string]struct{ W, Loo oracle.Rows }{
			"projected": v.Primal, "labelled": v.PrimalLabelled,
		} {
			guides := unlabelled
			if what == "projected" {
				guides = nil
			}
			f, err := NewPrimalProjected(ctx, labelled, nil, guides, paramsOf(v))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Project(ctx, v.C2); err != nil {
				t.Fatal(err)
			}
			loo := blas.New(n, y.Cols)
			if err := f.LeaveOneOut(ctx, fill(0, n), nil, false, 0, loo); err != nil {
				t.Fatal(err)
			}
			oracle.Near(t, v.Name+": "+"weights, "+what, asDense(f.Weights()), want.W)
			oracle.Near(t, v.Name+": "+"leave-one-out, "+what, asDense(loo), want.Loo)
		}
	}
}
