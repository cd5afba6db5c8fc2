package kind

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/internal/feature"
	"rvflplus/internal/param"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// The random weights of the columns that count are larger than those of the others, and predictions of rows left out
// are better than with weights that are all alike.
func TestLayersByLearnedRelevance(t *testing.T) {
	const rows, columns = 150, 8
	r := rand.New(rand.NewPCG(1, 2))
	p := learn.Problem{X: mat.NewDense(rows, columns, nil), Priv: mat.NewDense(rows, 3, nil),
		Y: mat.NewDense(rows, 1, nil), LeaveOneOut: learn.Always}
	for _, m := range []*mat.Dense{p.X, p.Priv} {
		m.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, m)
	}
	for i := range rows {
		p.Y.Set(i, 0, math.Sin(2*p.X.At(i, 0))+p.X.At(i, 1)*p.X.At(i, 2)+r.NormFloat64()/5)
	}
	loss := map[string]float64{}
	for _, init := range []string{"uniform", feature.Relevance} {
		c := rvflPlusKind.Complete(param.With(func(c *param.Config) {
			c.Kind, c.Init, c.Hidden, c.C, c.Gamma, c.ProjectC = "rvfl+", init, 200, 10, 1, 1
			c.U = 2
		}))
		m, report, err := rvflPlusKind.Trainer(c, Targets{}).Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			d := report.LeaveOneOut.At(i, 0) - p.Y.At(i, 0)
			loss[init] += d * d / rows
		}
		if init == "uniform" {
			continue
		}
		weight := m.(*rvfl.Model).Parts().Hidden.Weight
		largest := make([]float64, columns)
		for k, w := range weight.Data {
			largest[k%columns] = max(largest[k%columns], math.Abs(w))
		}
		if slices.Min(largest[:3]) <= slices.Max(largest[3:]) {
			t.Errorf("the largest weights of the columns are %.3g: the first three count", largest)
		}
	}
	if loss[feature.Relevance] >= loss["uniform"] {
		t.Errorf("the loss of rows left out is %g, with uniform weights %g", loss[feature.Relevance], loss["uniform"])
	}
}
