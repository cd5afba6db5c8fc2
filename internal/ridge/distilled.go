package ridge

import (
	"context"

	"rvflplus/blas"
	"rvflplus/internal/parallel"
)

// Teacher is a kernel ridge regression on privileged features whose predictions a student on the normal features
// learns (generalised distillation, Lopez-Paz et al. 2016). A student must not see predictions in which its own
// held-out row took part, so a teacher also tells its predictions without two rows, exactly:
//
//	s_j⁽⁻ⁱ⁾ = y_j − (M_ii a_j − M_ij a_i)/(M_ii M_jj − M_ij²),  M = (Ω̃ + (CV)⁻¹)⁻¹,  a = MY.
type Teacher struct {
	Params
	y       blas.Matrix
	weight  []float64
	total   float64
	mean    []float64
	inverse blas.Matrix // M
	alpha   blas.Matrix // M[Y − 1ȳ, 1], N×(m+1)
}

// NewTeacher solves the teacher of kernel matrix omega (N×N, both triangles): N³ operations. A system that cannot be
// solved, or a row that alone determines its own prediction, is a fault.NotSolved error.
func NewTeacher(ctx context.Context, omega, y blas.Matrix, weight []float64, p Params) (*Teacher, error) {
	t := &Teacher{Params: p, y: y, weight: weight, total: sum(weight)}
	t.mean = mean(y, weight, t.total, p.Center)
	var err error
	if t.inverse, err = inverseOf(ctx, omega, weight, p); err != nil {
		return nil, err
	}
	t.alpha = blas.New(y.Rows, y.Cols+1)
	err = blas.Gemm(ctx, false, false, 1, t.inverse, rightHandSide(y, t.mean, make([]float64, y.Rows)), 0, t.alpha)
	if err != nil {
		return nil, err
	}
	for i := range y.Rows {
		if t.meanUndefined(weight[i], t.total) {
			return nil, leverageOne(i)
		}
		for _, a := range blas.Row(t.alpha, i) {
			if residual := a / t.inverse.Data[i*t.inverse.Stride+i]; residual-residual != 0 { // not finite
				return nil, leverageOne(i)
			}
		}
	}
	return t, nil
}

// inverseOf returns (Ω + (CV)⁻¹)⁻¹.
func inverseOf(ctx context.Context, omega blas.Matrix, weight []float64, p Params) (blas.Matrix, error) {
	noise, err := p.noise(weight, omega.Rows, 0)
	if err != nil {
		return blas.Matrix{}, err
	}
	u, floor := blas.Clone(omega), noise[0]
	for i, v := range noise {
		u.Data[i*u.Stride+i] += v
		floor = min(floor, v)
	}
	if err := factorise(ctx, u, floor, nil); err != nil {
		return blas.Matrix{}, err
	}
	return blas.Inverse(ctx, u)
}

// Predictions returns the teacher's exact leave-one-out predictions, N×m: what the student of all rows learns.
func (t *Teacher) Predictions() blas.Matrix {
	out := blas.New(t.y.Rows, t.y.Cols)
	for j := range out.Rows {
		row := blas.Row(out, j)
		own := t.inverse.Data[j*t.inverse.Stride+j]
		a := blas.Row(t.alpha, j)
		for o := range row {
			y := t.y.Data[j*t.y.Stride+o]
			shift := t.meanShift(t.weight[j], t.total, y-t.mean[o])
			row[o] = t.left(y, a[o]/own, a[len(row)]/own, shift)
		}
	}
	return out
}

// left returns a prediction from the target, its residual, the residual for targets of 1 and the change of the mean.
func (t *Teacher) left(y, residual, residualOfOne, shift float64) float64 {
	return y - residual + shift*residualOfOne
}

// Student returns the exact leave-one-out predictions of a kernel ridge regression on the targets, ofY, and on the
// teacher's predictions, ofTeacher; both N×m. The prediction for row i of the second learns predictions of teachers
// that saw neither row i nor the row that they predict. A student of (1−λ)y + λs has (1−λ)·ofY + λ·ofTeacher. omega is
// the kernel matrix of the normal features. A centred teacher needs three rows, a centred student two; fewer are a
// fault.NotSolved error. Cost N³ + m·N² operations.
func (t *Teacher) Student(ctx context.Context, omega blas.Matrix, p Params) (ofY, ofTeacher blas.Matrix, err error) {
	inverse, err := inverseOf(ctx, omega, t.weight, p)
	if err != nil {
		return blas.Matrix{}, blas.Matrix{}, err
	}
	n, m := t.y.Rows, t.y.Cols
	ofY, ofTeacher = blas.New(n, m), blas.New(n, m)
	defined := make([]bool, n)
	err = parallel.For(ctx, n, func(i int) {
		defined[i] = !p.meanUndefined(t.weight[i], t.total) &&
			t.student(p, inverse, i, blas.Row(ofY, i), blas.Row(ofTeacher, i))
	})
	if err != nil {
		return blas.Matrix{}, blas.Matrix{}, err
	}
	var told trap
	for i := range n {
		if !defined[i] {
			return blas.Matrix{}, blas.Matrix{}, leverageOne(i)
		}
		row := blas.Row(inverse, i)
		told.add(sum(row) / row[i])
	}
	if err := told.err(p); err != nil {
		return blas.Matrix{}, blas.Matrix{}, err
	}
	return ofY, ofTeacher, nil
}

// student predicts row i without it: f⁽⁻ⁱ⁾ = L(t) + t̄(1 − L(1)) for the fold's own targets t and their mean t̄, with
// L(t) = −Σ_{j≠i} M_ij t_j / M_ii. It returns false when a teacher without two rows is not determined.
func (t *Teacher) student(p Params, inverse blas.Matrix, i int, ofY, ofTeacher []float64) bool {
	m := len(ofY)
	own, teachers := blas.Row(inverse, i), blas.Row(t.inverse, i)
	sumY, sumS := make([]float64, m), make([]float64, m)   // of M_ij t_j
	meanY, meanS := make([]float64, m), make([]float64, m) // of v_j t_j
	ai := blas.Row(t.alpha, i)
	var ones float64
	for j, w := range own {
		if j == i {
			continue
		}
		ones += w
		// Divided by the teacher's M_ii, so that no product of two elements of M overflows or vanishes.
		ratio := teachers[j] / teachers[i]
		mjj := t.inverse.Data[j*t.inverse.Stride+j]
		pivot := mjj - ratio*teachers[j]
		if !(pivot >= minLeft*mjj) || t.meanUndefined(t.weight[i]+t.weight[j], t.total) {
			return false
		}
		aj, y := blas.Row(t.alpha, j), blas.Row(t.y, j)
		one := (aj[m] - ratio*ai[m]) / pivot
		for o := range m {
			var shift float64
			if t.Center {
				mine, other := t.y.Data[i*t.y.Stride+o]-t.mean[o], y[o]-t.mean[o]
				shift = -(t.weight[i]*mine + t.weight[j]*other) / (t.total - t.weight[i] - t.weight[j])
			}
			s := t.left(y[o], (aj[o]-ratio*ai[o])/pivot, one, shift)
			sumY[o] += w * y[o]
			sumS[o] += w * s
			meanY[o] += t.weight[j] * y[o]
			meanS[o] += t.weight[j] * s
		}
	}
	constant := -ones / own[i]
	for o := range m {
		ofY[o], ofTeacher[o] = -sumY[o]/own[i], -sumS[o]/own[i]
		if p.Center {
			ofY[o] += meanY[o] / (t.total - t.weight[i]) * (1 - constant)
			ofTeacher[o] += meanS[o] / (t.total - t.weight[i]) * (1 - constant)
		}
		if unfinite := ofY[o] - ofY[o] + ofTeacher[o] - ofTeacher[o]; unfinite != 0 {
			return false
		}
	}
	return true
}
