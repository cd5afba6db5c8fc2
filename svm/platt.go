package svm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/qp"
	"rvflplus/internal/rng"
)

const folds = 5

// sigmoids fits Platt's curve to each pair, to decisions for rows left out in five
// folds (Platt 2000, as LIBSVM; the folds are others). Rows count with their
// weights.
func (t *pairwise) sigmoids(ctx context.Context) ([]Sigmoid, error) {
	left := make([]*leftOut, len(t.places))
	for pair := range left {
		left[pair] = t.leave(pair)
	}
	err := machines(ctx, t.progress, "folds for probabilities", folds*len(left), func(ctx context.Context, i int) error {
		return t.name(t.fold(ctx, left[i/folds], i%folds), i/folds)
	})
	if err != nil {
		return nil, err
	}
	out := make([]Sigmoid, len(left))
	for pair, l := range left {
		out[pair] = l.fit()
	}
	return out, nil
}

// leftOut is what is known of the rows of a pair in random order.
type leftOut struct {
	sides
	order    []int // place in rows
	decision []float64
	positive []bool
	weight   []float64
}

func (t *pairwise) leave(pair int) *leftOut {
	l := &leftOut{sides: t.sides(pair)}
	l.order = rng.New(t.Seed, fmt.Sprintf("svm.folds.%d", pair)).Perm(len(l.rows))
	l.decision = make([]float64, len(l.order))
	for _, i := range l.order {
		l.positive = append(l.positive, i < l.first)
		l.weight = append(l.weight, t.rows.Weight[l.rows[i]])
	}
	return l
}

// fold decides the rows of one fold by a machine trained on the others.
func (t *pairwise) fold(ctx context.Context, l *leftOut, fold int) error {
	lo, hi := fold*len(l.order)/folds, (fold+1)*len(l.order)/folds
	rest := l.without(l.order[lo:hi])
	s, err := t.machine(ctx, rest)
	if err != nil || lo == hi {
		return err
	}
	var rows []int
	for _, i := range l.order[lo:hi] {
		rows = append(rows, l.rows[i])
	}
	t.decide(l.decision[lo:hi], rest, s, rows)
	return nil
}

// without returns the sides without the rows at some places.
func (s sides) without(places []int) sides {
	out := sides{weight: s.weight}
	gone := make([]bool, len(s.rows))
	for _, i := range places {
		gone[i] = true
	}
	for i, r := range s.rows {
		if gone[i] {
			continue
		}
		out.rows = append(out.rows, r)
		if i < s.first {
			out.first++
		}
	}
	return out
}

// decide sets dst to the decisions of a machine for some rows.
func (t *pairwise) decide(dst []float64, trained sides, s *qp.SMOSolution, rows []int) {
	if s == nil {
		for i := range dst {
			dst[i] = trained.absent()
		}
		return
	}
	var support []int
	var coef []float64
	for i, a := range s.Alpha {
		if y, _ := trained.of(i); a != 0 {
			support, coef = append(support, trained.rows[i]), append(coef, y*a)
		}
	}
	x := pick(t.rows.X, rows)
	inBlocks(t.k, mat.NewDense(x.Rows, x.Cols, x.Data), pick(t.rows.X, support), func(lo int, values blas.Matrix) {
		for i := range values.Rows {
			dst[lo+i] = blas.Dot(blas.Row(values, i), coef) - s.Rho
		}
	})
}

func (l *leftOut) fit() Sigmoid {
	return Sigmoid(calibrate.FitSigmoid(l.decision, l.positive, l.weight))
}

// HasProbabilities reports whether the model was trained with Config.Probability.
func (m *Classifier) HasProbabilities() bool { return m.parts.Sigmoids != nil }

// Probabilities sets row i of dst, one column a class, to the probabilities of
// the classes for row i of x: the curves of the pairs, coupled. The class that
// Decide takes need not be the most probable. It panics unless HasProbabilities.
// Cost as PredictTo, and about k³ a row.
func (m *Classifier) Probabilities(dst, x *mat.Dense) {
	if !m.HasProbabilities() {
		panic("svm: the model has no probabilities")
	}
	k := len(m.parts.Order)
	r := blas.New(k, k)
	m.decisions(x, func(row int, f []float64) {
		pairs(k, func(number, p, q int) {
			v := min(max(calibrate.Sigmoid(m.parts.Sigmoids[number]).At(f[number]), 1e-7), 1-1e-7)
			r.Data[p*k+q], r.Data[q*k+p] = v, 1-v
		})
		for place, v := range couple(r) {
			dst.Set(row, m.parts.Order[place], v)
		}
	})
}

// couple joins the probabilities r of pairs into one for each class: the minimum
// of Σ(r_ji p_i − r_ij p_j)² over p with sum 1 (Wu, Lin and Weng, JMLR 5, 2004).
func couple(r blas.Matrix) []float64 {
	k := r.Rows
	q := coupling(r)
	p, qp := make([]float64, k), make([]float64, k)
	for i := range p {
		p[i] = 1 / float64(k)
	}
	for range max(100, k) {
		var pqp, worst float64
		for i := range p {
			qp[i] = blas.Dot(blas.Row(q, i), p)
			pqp += p[i] * qp[i]
		}
		for _, v := range qp {
			worst = max(worst, math.Abs(v-pqp))
		}
		if worst < 0.005/float64(k) {
			break
		}
		for i := range p {
			d := (pqp - qp[i]) / q.Data[i*k+i]
			p[i] += d
			pqp = (pqp + d*(d*q.Data[i*k+i]+2*qp[i])) / (1 + d) / (1 + d)
			for j := range p {
				qp[j] = (qp[j] + d*q.Data[i*k+j]) / (1 + d)
				p[j] /= 1 + d
			}
		}
	}
	return p
}

// coupling returns the quadratic form that couple minimises.
func coupling(r blas.Matrix) blas.Matrix {
	k := r.Rows
	q := blas.New(k, k)
	for i := range k {
		for j := range k {
			if i != j {
				rij, rji := r.Data[i*k+j], r.Data[j*k+i]
				q.Data[i*k+i] += rji * rji
				q.Data[i*k+j] = -rij * rji
			}
		}
	}
	return q
}
