package ridge

import (
	"math"
	"reflect"
	"testing"

	"rvflplus/blas"
)

// A workspace whose matrices hold what other work left there changes no bit.
func TestWorkspaceChangesNothing(t *testing.T) {
	gradientCases(t, func(t *testing.T, p GradientProblem, q Params) {
		evaluate := func() (float64, LossGradient) {
			loss, derive, err := p.Loss(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			g, err := derive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return loss, g
		}
		want, gradient := evaluate()
		p.Space = &Workspace{}
		var used []blas.Matrix
		for range 20 {
			used = append(used, p.Space.New(p.Y.Rows, p.Y.Rows), p.Space.New(p.Priv.Rows, p.Priv.Rows))
		}
		for _, m := range used {
			for i := range m.Data {
				m.Data[i] = math.NaN()
			}
		}
		p.Space.Reset()
		for range 2 {
			if got, g := evaluate(); got != want || !reflect.DeepEqual(g, gradient) {
				t.Errorf("loss %g with a workspace, %g without; derivatives %v, %v", got, want, g, gradient)
			}
			p.Space.Reset()
		}
	})
}
