package svm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/rng"
	"rvflplus/learn"
)

const folds = 5

// heldOut holds the rows of a pair in random order, and the decisions for them by machines of the other folds.
type heldOut struct {
	binary
	order      []int // places in rows
	decision   []float64
	isPositive []bool
	weights    []float64
}

func (t *pairwise) holdOut(pair int) heldOut {
	h := heldOut{binary: t.binary(pair)}
	h.order = rng.New(t.Seed, fmt.Sprintf("svm.folds.%d", pair)).Perm(len(h.rows))
	h.decision = make([]float64, len(h.order))
	for _, i := range h.order {
		h.isPositive = append(h.isPositive, i < h.positive)
		h.weights = append(h.weights, t.rows.Weight[h.rows[i]])
	}
	return h
}

// sigmoids fits Platt's curve to each pair, to decisions for rows held out in five folds (Platt 2000, as LIBSVM; the
// folds are others). Rows count with their weights.
func (t *pairwise) sigmoids(ctx context.Context) ([]Sigmoid, error) {
	held := make([]heldOut, len(t.places))
	for pair := range held {
		held[pair] = t.holdOut(pair)
	}
	fold := func(ctx context.Context, i int) error {
		return t.name(t.decideFold(ctx, held[i/folds], i%folds), i/folds)
	}
	if err := machines(ctx, t.progress, "folds for probabilities", folds*len(held), fold); err != nil {
		return nil, err
	}
	out := make([]Sigmoid, len(held))
	for pair, h := range held {
		out[pair] = Sigmoid(calibrate.FitSigmoid(h.decision, h.isPositive, h.weights))
	}
	return out, nil
}

// decideFold sets the decisions for the rows of one fold, by a machine trained on the others.
func (t *pairwise) decideFold(ctx context.Context, h heldOut, fold int) error {
	lo, hi := fold*len(h.order)/folds, (fold+1)*len(h.order)/folds
	rest, out := binary{weight: h.weight}, make([]bool, len(h.rows))
	for _, i := range h.order[lo:hi] {
		out[i] = true
	}
	for i, r := range h.rows {
		if out[i] {
			continue
		}
		rest.rows = append(rest.rows, r)
		if i < h.positive {
			rest.positive++
		}
	}
	s, err := t.machine(ctx, rest)
	if err != nil || lo == hi {
		return err
	}
	decision := h.decision[lo:hi]
	if s == nil {
		for i := range decision {
			decision[i] = rest.constant()
		}
		return nil
	}
	var support []int
	var coef []float64
	for i, a := range s.Alpha {
		if y, _ := rest.of(i); a != 0 {
			support, coef = append(support, rest.rows[i]), append(coef, y*a)
		}
	}
	x := blas.Gather(t.rows.X, learn.Gather(h.rows, h.order[lo:hi]))
	dense := mat.NewDense(x.Rows, x.Cols, x.Data)
	inBlocks(t.k, dense, blas.Gather(t.rows.X, support), func(lo int, values blas.Matrix) {
		for i := range values.Rows {
			decision[lo+i] = blas.Dot(blas.Row(values, i), coef) - s.Rho
		}
	})
	return nil
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
	q := blas.New(k, k) // the quadratic form that p minimises
	for i := range k {
		for j := range k {
			if i != j {
				rij, rji := r.Data[i*k+j], r.Data[j*k+i]
				q.Data[i*k+i] += rji * rji
				q.Data[i*k+j] = -rij * rji
			}
		}
	}
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
