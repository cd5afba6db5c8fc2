package svm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/qp"
)

// Sigmoid is Platt's 1/(1+exp(A·f+B)).
type Sigmoid struct{ A, B float64 }

// At returns the probability that goes with decision f.
func (s Sigmoid) At(f float64) float64 {
	z := s.A*f + s.B
	if z >= 0 {
		return math.Exp(-z) / (1 + math.Exp(-z))
	}
	return 1 / (1 + math.Exp(z))
}

const folds = 5

// sigmoids fits one to each pair, on decisions for rows left out (Platt 2000; five
// folds, as LIBSVM).
func (t *pairwise) sigmoids(ctx context.Context) ([]Sigmoid, error) {
	var all []Sigmoid
	var err error
	pairs(len(t.order), func(number, p, q int) {
		if err != nil {
			return
		}
		f, y, e := t.leftOut(ctx, number, p, q)
		err = e
		all = append(all, fitSigmoid(f, y))
	})
	return all, err
}

// leftOut returns the decision for every row of a pair by a machine trained on the
// other folds, and on which side each row is.
func (t *pairwise) leftOut(ctx context.Context, number, p, q int) (f []float64, positive []bool, err error) {
	type member struct{ row, place int }
	var all []member
	for _, place := range []int{p, q} {
		for _, r := range t.members[place] {
			all = append(all, member{r, place})
		}
	}
	r := rand.New(rand.NewPCG(t.Seed, uint64(number)))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for k := range folds {
		lo, hi := k*len(all)/folds, (k+1)*len(all)/folds
		part := *t
		part.groups = &groups{order: []int{0, 1}, members: make([][]int, 2), weights: []float64{t.weights[p], t.weights[q]}, outputs: 1}
		for i, m := range all {
			if i < lo || i >= hi {
				side := min(1, m.place-p)
				part.members[side] = append(part.members[side], m.row)
			}
		}
		slices.Sort(part.members[0])
		slices.Sort(part.members[1])
		s, err := part.pair(ctx, 0, 1, 1)
		if err != nil {
			return nil, nil, err
		}
		part.solutions = []*qp.SMOSolution{s}
		var rows []int
		for _, m := range all[lo:hi] {
			rows = append(rows, m.row)
			positive = append(positive, m.place == p)
		}
		if len(rows) > 0 {
			x := pick(t.rows.X, rows)
			f = append(f, part.model().Decisions(mat.NewDense(x.Rows, x.Cols, x.Data)).RawMatrix().Data...)
		}
	}
	return f, positive, nil
}

// fitSigmoid minimises the cross-entropy of Platt's smoothed targets by Newton
// steps with backtracking (Lin, Lin and Weng, Machine Learning 68, 2007).
func fitSigmoid(f []float64, positive []bool) Sigmoid {
	p := newPlatt(f, positive)
	s := Sigmoid{0, math.Log((p.negatives + 1) / (p.positives + 1))}
	value := p.loss(s)
	for range 100 {
		gA, gB, hAA, hBB, hAB := p.derivatives(s)
		if math.Abs(gA) < 1e-5 && math.Abs(gB) < 1e-5 {
			break
		}
		det := hAA*hBB - hAB*hAB
		dA, dB := -(hBB*gA-hAB*gB)/det, -(hAA*gB-hAB*gA)/det
		next, better := p.search(s, dA, dB, value, gA*dA+gB*dB)
		if !better {
			break
		}
		s, value = next, p.loss(next)
	}
	return s
}

type platt struct {
	f, target            []float64
	positives, negatives float64
}

func newPlatt(f []float64, positive []bool) *platt {
	p := &platt{f: f}
	for _, yes := range positive {
		if yes {
			p.positives++
		} else {
			p.negatives++
		}
	}
	for _, yes := range positive {
		target := 1 / (p.negatives + 2)
		if yes {
			target = (p.positives + 1) / (p.positives + 2)
		}
		p.target = append(p.target, target)
	}
	return p
}

func (p *platt) loss(s Sigmoid) float64 {
	var sum float64
	for i, f := range p.f {
		z := s.A*f + s.B
		sum += max(z, 0) - (1-p.target[i])*z + math.Log1p(math.Exp(-math.Abs(z)))
	}
	return sum
}

func (p *platt) derivatives(s Sigmoid) (gA, gB, hAA, hBB, hAB float64) {
	hAA, hBB = 1e-12, 1e-12
	for i, f := range p.f {
		prob := s.At(f)
		d1, d2 := p.target[i]-prob, prob*(1-prob)
		gA, gB = gA+f*d1, gB+d1
		hAA, hBB, hAB = hAA+f*f*d2, hBB+d2, hAB+f*d2
	}
	return gA, gB, hAA, hBB, hAB
}

// search halves the step until the loss falls enough.
func (p *platt) search(s Sigmoid, dA, dB, value, slope float64) (next Sigmoid, better bool) {
	for step := 1.0; step >= 1e-10; step /= 2 {
		next = Sigmoid{s.A + step*dA, s.B + step*dB}
		if p.loss(next) < value+1e-4*step*slope {
			return next, true
		}
	}
	return s, false
}

// Probabilities sets row i of dst, one column a class, to the probabilities of
// the classes for row i of x. It panics unless the model was trained with
// Config.Probability.
func (m *Classifier) Probabilities(dst, x *mat.Dense) {
	if m.parts.Sigmoids == nil {
		panic("svm: the model has no probabilities")
	}
	k := len(m.parts.Order)
	r := blas.New(k, k)
	m.decisions(x, func(row int, f []float64) {
		pairs(k, func(number, p, q int) {
			v := min(max(m.parts.Sigmoids[number].At(f[number]), 1e-7), 1-1e-7)
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
