package lupi

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// Sum is a model whose outputs are the sums of those of its parts: KRVFL and RVFL models and Transfers. It is immutable
// and safe for concurrent use.
type Sum struct{ parts []learn.Model }

// NewSum returns the sum of models of the same dimensions; one that differs, or none, is a fault.Data error.
func NewSum(parts []learn.Model) (*Sum, error) {
	if len(parts) == 0 {
		return nil, fault.New(fault.Data, "the model has no parts")
	}
	n, m := parts[0].Dims()
	for k, p := range parts {
		if features, outputs := p.Dims(); features != n || outputs != m {
			return nil, fault.New(fault.Data, "part %d of the model has %d features and %d outputs, part 1 has %d "+
				"and %d", k+1, features, outputs, n, m)
		}
	}
	return &Sum{parts}, nil
}

// Parts returns the parts. They must not be written.
func (s *Sum) Parts() []learn.Model { return s.parts }

// Dims implements learn.Model.
func (s *Sum) Dims() (features, outputs int) { return s.parts[0].Dims() }

// PredictTo implements learn.Model.
func (s *Sum) PredictTo(dst, x *mat.Dense) {
	s.parts[0].PredictTo(dst, x)
	if len(s.parts) == 1 {
		return
	}
	rows, cols := dst.Dims()
	one := mat.NewDense(rows, cols, nil)
	for _, p := range s.parts[1:] {
		p.PredictTo(one, x)
		dst.Add(dst, one)
	}
}

// Transfer is a model of knowledge transfer: it predicts privileged columns from the normal features, and the outputs
// from these predictions, standardised, and perhaps the normal features.
type Transfer struct {
	first, second learn.Model
	mean, sd      []float64
	both          bool
}

// NewTransfer returns the model of two stages; both says that the second takes the normal features too, before the
// predictions. Shapes that do not fit together are a fault.Data error.
func NewTransfer(first learn.Model, mean, sd []float64, both bool, second learn.Model) (*Transfer, error) {
	n, d := first.Dims()
	want := d
	if both {
		want += n
	}
	positive := func(v float64) bool { return v > 0 }
	if takes, _ := second.Dims(); takes != want || len(mean) != d || len(sd) != d || !all(sd, positive) {
		return nil, fault.New(fault.Data, "the stages of the transfer do not fit together: the second takes %d "+
			"features, expected %d", takes, want)
	}
	return &Transfer{first, second, mean, sd, both}, nil
}

func all(v []float64, ok func(float64) bool) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return !ok(x) })
}

// Stages returns what NewTransfer took.
func (t *Transfer) Stages() (first learn.Model, mean, sd []float64, both bool, second learn.Model) {
	return t.first, t.mean, t.sd, t.both, t.second
}

// Dims implements learn.Model.
func (t *Transfer) Dims() (features, outputs int) {
	features, _ = t.first.Dims()
	_, outputs = t.second.Dims()
	return features, outputs
}

// PredictTo implements learn.Model.
func (t *Transfer) PredictTo(dst, x *mat.Dense) {
	learn.CheckPredict(t, dst, x)
	stage := predictedColumns{model: t.first, mean: t.mean, sd: t.sd}
	t.second.PredictTo(dst, stage.join(x, stage.features(x), t.both))
}

// Combine returns the model Σ weights·models. Kernel models on the same rows become one, whose equal kernels are one
// term.
func Combine(weights []float64, models []learn.Model) learn.Model {
	var parts []learn.Model
	for k, m := range models {
		one := times(weights[k], m)
		if !slices.ContainsFunc(parts, func(p learn.Model) bool { return join(p, one) }) {
			parts = append(parts, one)
		}
	}
	for k, p := range parts {
		if b, is := p.(*building); is {
			parts[k] = b.model()
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return &Sum{parts}
}

// building is a kernel model that others are added to.
type building struct{ krvfl.Parts }

// Dims and PredictTo make it a learn.Model until model returns it.
func (b *building) Dims() (features, outputs int) { return b.Support.Cols, len(b.Offset) }
func (b *building) PredictTo(dst, x *mat.Dense)   { b.model().PredictTo(dst, x) }
func (b *building) model() learn.Model {
	m, err := krvfl.FromParts(b.Parts)
	if err != nil {
		panic("lupi: parts of sound models do not fit together: " + err.Error())
	}
	return m
}

// times returns w·m.
func times(w float64, m learn.Model) learn.Model {
	switch m := m.(type) {
	case *krvfl.Model:
		p := m.Parts()
		b := &building{krvfl.Parts{Support: p.Support, Offset: scaledVector(w, p.Offset)}}
		for _, t := range p.Terms {
			b.Terms = append(b.Terms, krvfl.Term{Kernel: t.Kernel, From: t.From, Alpha: scaledMatrix(w, t.Alpha)})
		}
		return b
	case *rvfl.Model:
		p := m.Parts()
		out, err := rvfl.FromParts(rvfl.Parts{Hidden: p.Hidden, Weight: scaledMatrix(w, p.Weight),
			Offset: scaledVector(w, p.Offset)})
		if err != nil {
			panic("lupi: a scaled network does not fit together: " + err.Error())
		}
		return out
	case *Transfer:
		second := Combine([]float64{w}, []learn.Model{m.second})
		return &Transfer{m.first, second, m.mean, m.sd, m.both}
	case *Sum:
		parts := make([]learn.Model, len(m.parts))
		for k, p := range m.parts {
			parts[k] = Combine([]float64{w}, []learn.Model{p})
		}
		return &Sum{parts}
	}
	panic("lupi: no way to scale the model")
}

// join adds b to a and returns true where both are kernel models and one's rows begin with the other's.
func join(a, b learn.Model) bool {
	to, is := a.(*building)
	from, too := b.(*building)
	if !is || !too || !startsAlike(to.Support, from.Support) {
		return false
	}
	if from.Support.Rows > to.Support.Rows {
		to.Support = from.Support
	}
	for j, v := range from.Offset {
		to.Offset[j] += v
	}
	for _, t := range from.Terms {
		same := func(have krvfl.Term) bool {
			return have.From == t.From && have.Alpha.Rows == t.Alpha.Rows && have.Kernel.String() == t.Kernel.String()
		}
		at := slices.IndexFunc(to.Terms, same)
		if at < 0 {
			to.Terms = append(to.Terms, t)
			continue
		}
		for i, v := range t.Alpha.Data {
			to.Terms[at].Alpha.Data[i] += v
		}
	}
	return true
}

// startsAlike reports whether the first rows of both, as many as the shorter has, are equal.
func startsAlike(a, b blas.Matrix) bool {
	if a.Cols != b.Cols {
		return false
	}
	for i := range min(a.Rows, b.Rows) {
		if !slices.Equal(blas.Row(a, i), blas.Row(b, i)) {
			return false
		}
	}
	return true
}

func scaledVector(w float64, v []float64) []float64 {
	out := slices.Clone(v)
	for i := range out {
		out[i] *= w
	}
	return out
}

func scaledMatrix(w float64, m blas.Matrix) blas.Matrix {
	out := blas.Clone(m)
	for i := range out.Data {
		out.Data[i] *= w
	}
	return out
}

// beside returns the model of d outputs whose columns are those of models of some of the columns each.
func beside(models []learn.Model, columns []columnFit, d int) (learn.Model, error) {
	var spread []learn.Model
	for k, m := range models {
		p := m.(*krvfl.Model).Parts()
		wide := krvfl.Parts{Support: p.Support, Offset: make([]float64, d)}
		for _, t := range p.Terms {
			alpha := blas.New(t.Alpha.Rows, d)
			for i := range alpha.Rows {
				for c, j := range columns[k].columns {
					alpha.Data[i*d+j] = t.Alpha.Data[i*t.Alpha.Stride+c]
				}
			}
			wide.Terms = append(wide.Terms, krvfl.Term{Kernel: t.Kernel, From: t.From, Alpha: alpha})
		}
		for c, j := range columns[k].columns {
			wide.Offset[j] = p.Offset[c]
		}
		one, err := krvfl.FromParts(wide)
		if err != nil {
			return nil, err
		}
		spread = append(spread, one)
	}
	return Combine(ones(len(spread)), spread), nil
}
