package ridge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
)

// distillation is a random problem of a teacher on priv and a student on h.
type distillation struct {
	h, priv, y       blas.Matrix
	weight           []float64
	teacher, student Params
}

func (p distillation) String() string {
	return fmt.Sprintf("N=%d m=%d teacher %+v student %+v", p.y.Rows, p.y.Cols, p.teacher, p.student)
}

func newDistillation(r *rand.Rand, n, m int, weighted bool) distillation {
	p := distillation{h: normal(r, n, 4), priv: normal(r, n, 3), y: normal(r, n, m), weight: make([]float64, n)}
	p.teacher, p.student = Params{C: 3}, Params{C: 0.7}
	for i := range n {
		p.weight[i] = 1
		if weighted {
			p.weight[i] = 0.2 + 2*r.Float64()
		}
		for j := range m {
			p.y.Data[i*m+j] += 2 + p.priv.Data[3*i]
		}
	}
	return p
}

// distillations covers few to many rows, several outputs, weights, and centring of the teacher and of the student.
func distillations() []distillation {
	r := rand.New(rand.NewPCG(14, 20))
	var problems []distillation
	for _, n := range []int{1, 2, 3, 4, 7, 20} {
		for mode := range 8 {
			p := newDistillation(r, n, 1+mode%3, mode&1 > 0)
			p.teacher.Center, p.student.Center = mode&2 > 0, mode&4 > 0
			problems = append(problems, p)
		}
	}
	return problems
}

// ridgeAt predicts row i by kernel ridge regression of targets (one row for each of rows) on the given rows of h.
func ridgeAt(h blas.Matrix, weight []float64, q Params, rows []int, targets *mat.Dense, i int) []float64 {
	_, m := targets.Dims()
	out := make([]float64, m)
	if len(rows) == 0 {
		return out
	}
	omega := outer(asDense(h))
	ybar := make([]float64, m)
	system, right := mat.NewDense(len(rows), len(rows), nil), mat.DenseCopyOf(targets)
	var total float64
	for _, k := range rows {
		total += weight[k]
	}
	for a, k := range rows {
		for b, l := range rows {
			system.Set(a, b, omega.At(k, l))
		}
		system.Set(a, a, omega.At(k, k)+1/(q.C*weight[k]))
		for j := range m {
			if q.Center {
				ybar[j] += weight[k] * targets.At(a, j) / total
			}
		}
	}
	right.Apply(func(_, j int, v float64) float64 { return v - ybar[j] }, right)
	var alpha mat.Dense
	solveDense(&alpha, system, right)
	for j := range m {
		out[j] = ybar[j]
		for a, k := range rows {
			out[j] += omega.At(i, k) * alpha.At(a, j)
		}
	}
	return out
}

// taught predicts row j by a teacher of the given rows but j.
func (p distillation) taught(rows []int, j int) []float64 {
	rest := slices.DeleteFunc(slices.Clone(rows), func(k int) bool { return k == j })
	return ridgeAt(p.priv, p.weight, p.teacher, rest, targetsOf(p.y, rest), j)
}

// targetsOf returns the given rows of y; there may be none.
func targetsOf(y blas.Matrix, rows []int) *mat.Dense {
	if len(rows) == 0 {
		return mat.NewDense(1, y.Cols, nil) // unused
	}
	return rowsOf(y, rows)
}

// bruteForce refits teachers and students for every row: without row i, a teacher's leave-one-out predictions of the
// other rows, and students of the other rows' targets and of these predictions.
func (p distillation) bruteForce() (predictions, ofY, ofTeacher *mat.Dense) {
	n, m := p.y.Rows, p.y.Cols
	predictions, ofY, ofTeacher = mat.NewDense(n, m, nil), mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	for i := range n {
		rows := slices.Delete(all(n), i, i+1)
		predictions.SetRow(i, p.taught(all(n), i))
		taught := mat.NewDense(n, m, nil)
		for _, j := range rows {
			taught.SetRow(j, p.taught(rows, j))
		}
		ofY.SetRow(i, ridgeAt(p.h, p.weight, p.student, rows, targetsOf(p.y, rows), i))
		ofTeacher.SetRow(i, ridgeAt(p.h, p.weight, p.student, rows, targetsOf(matrixOf(taught), rows), i))
	}
	return predictions, ofY, ofTeacher
}

// solve returns the teacher's predictions and the student's.
func (p distillation) solve() (predictions, ofY, ofTeacher blas.Matrix, err error) {
	t, err := NewTeacher(ctx, matrixOf(outer(asDense(p.priv))), p.y, p.weight, p.teacher)
	if err != nil {
		return blas.Matrix{}, blas.Matrix{}, blas.Matrix{}, err
	}
	ofY, ofTeacher, err = t.Student(ctx, matrixOf(outer(asDense(p.h))), p.student)
	return t.Predictions(), ofY, ofTeacher, err
}

func TestTeacherAndStudentEqualRefits(t *testing.T) {
	for _, p := range distillations() {
		predictions, ofY, ofTeacher, err := p.solve()
		// Without one row the student's mean, and without two rows the teacher's, must still be defined.
		if p.student.Center && p.y.Rows < 2 || p.teacher.Center && p.y.Rows < 3 {
			if !errors.Is(err, fault.NotSolved) {
				t.Errorf("%s: a mean of no rows: %v", p, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		wantPredictions, wantY, wantTeacher := p.bruteForce()
		same(t, "teacher's predictions, "+p.String(), predictions, wantPredictions)
		same(t, "student of y, "+p.String(), ofY, wantY)
		same(t, "student of the teacher, "+p.String(), ofTeacher, wantTeacher)
	}
}

// A student whose kernel relates rows i and j alone predicts row i by k_ij/(k_jj + 1/C) times what it was taught of row
// j: the teacher's prediction without both rows.
func TestTeacherLeavesTwoOut(t *testing.T) {
	const n = 6
	for mode := range 4 {
		p := newDistillation(rand.New(rand.NewPCG(14, uint64(30+mode))), n, 2, mode&1 > 0)
		p.teacher.Center = mode&2 > 0
		teacher, err := NewTeacher(ctx, matrixOf(outer(asDense(p.priv))), p.y, p.weight, p.teacher)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range i {
				omega := blas.New(n, n)
				for k := range n {
					omega.Data[k*n+k] = 1
				}
				omega.Data[i*n+j], omega.Data[j*n+i] = 0.5, 0.5
				_, got, err := teacher.Student(ctx, omega, p.student)
				if err != nil {
					t.Fatal(err)
				}
				rows := slices.DeleteFunc(all(n), func(k int) bool { return k == i || k == j })
				want := mat.NewDense(1, 2, ridgeAt(p.priv, p.weight, p.teacher, rows, rowsOf(p.y, rows), j))
				want.Scale(0.5/(1+1/(p.student.C*p.weight[j])), want)
				same(t, fmt.Sprintf("row %d without %d, %s", j, i, p), blas.View(got, i, i+1, 0, 2), want)
			}
		}
	}
}

func TestDistillationDoesNotDependOnTheOrderOfRows(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 21))
	p := newDistillation(r, 11, 2, true)
	p.teacher.Center, p.student.Center = true, true
	order := r.Perm(11)
	q := p
	q.h, q.priv, q.y = blas.Gather(p.h, order), blas.Gather(p.priv, order), blas.Gather(p.y, order)
	q.weight = learn.Gather(p.weight, order)
	var results [2][3]blas.Matrix
	for k, p := range []distillation{p, q} {
		var err error
		if results[k][0], results[k][1], results[k][2], err = p.solve(); err != nil {
			t.Fatal(err)
		}
	}
	for k := range results[0] {
		same(t, "permuted", results[1][k], rowsOf(results[0][k], order))
	}
}

func TestDistillationSaysWhatCannotBeSolved(t *testing.T) {
	fill := func(a blas.Matrix, v float64) {
		for i := range a.Data {
			a.Data[i] = v
		}
	}
	for name, change := range map[string]func(p *distillation){
		"a teacher of rank 1": func(p *distillation) { fill(p.priv, 1e6); p.teacher.C = 1e12 },
		"a student of rank 1": func(p *distillation) { fill(p.h, 1e6); p.student.C = 1e12 },
		"an overflow of Ω̃":   func(p *distillation) { p.priv.Data[0] = 1e200 },
		"an overflow of Ω":    func(p *distillation) { p.h.Data[0] = 1e200 },
		"a weight of 1e-320":  func(p *distillation) { p.weight[2] = 1e-320 },
		"an overflow of the student's sums": func(p *distillation) {
			for i := range p.h.Data {
				p.h.Data[i] *= 1e-8
			}
			p.y.Data[0], p.student.C = 1e300, 1e20
		},
		"two rows that share the teacher's leverage": func(p *distillation) {
			*p = newDistillation(rand.New(rand.NewPCG(14, 26)), 3, 1, false)
			copy(blas.Row(p.priv, 1), blas.Row(p.priv, 0))
			p.teacher.C = 1e14
		},
		"all weight in two rows": func(p *distillation) {
			p.weight[1], p.weight[2], p.teacher.Center = 1e20, 1e20, true
		},
		"all weight in one row":   func(p *distillation) { p.weight[1] = 1e20; p.student.Center = true },
		"a student's C of 1e-320": func(p *distillation) { p.student.C = 1e-320 },
	} {
		p := newDistillation(rand.New(rand.NewPCG(14, 22)), 6, 1, false)
		change(&p)
		if _, _, _, err := p.solve(); !errors.Is(err, fault.NotSolved) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A teacher without a student, of weights that overflow.
func TestTeacherPredictionsAreFinite(t *testing.T) {
	p := newDistillation(rand.New(rand.NewPCG(14, 25)), 6, 1, false)
	if _, err := NewTeacher(ctx, blas.New(6, 6), p.y, p.weight, Params{C: 1e308}); !errors.Is(err, fault.NotSolved) {
		t.Errorf("error %v", err)
	}
}

// However ill-conditioned the teacher and the student are, there is an error or every prediction is finite.
func TestDistillationIsFiniteOrAnError(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 23))
	solved := 0
	for _, c := range []float64{1e-300, 1e-30, 1e8, 1e12, 1e16, 1e300} {
		for _, scale := range []float64{1e-150, 1e-8, 1, 1e8, 1e150} {
			for mode := range 4 {
				p := newDistillation(r, 6, 1, true)
				p.teacher.C, p.student.C, p.student.Center = c, c, true
				if mode&1 > 0 {
					p.teacher.C = 1
				}
				p.teacher.Center = mode&2 > 0
				for _, a := range []blas.Matrix{p.h, p.priv} {
					for i := range a.Data {
						a.Data[i] *= scale
					}
				}
				predictions, ofY, ofTeacher, err := p.solve()
				if err != nil {
					if !errors.Is(err, fault.NotSolved) {
						t.Errorf("%s: %v", p, err)
					}
					continue
				}
				solved++
				for _, v := range slices.Concat(predictions.Data, ofY.Data, ofTeacher.Data) {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%s, scale %g: %g", p, scale, v)
						break
					}
				}
			}
		}
	}
	if solved == 0 {
		t.Error("nothing was solved")
	}
}

func TestDistillationIsCancelled(t *testing.T) {
	p := newDistillation(rand.New(rand.NewPCG(14, 24)), 8, 1, false)
	priv := matrixOf(outer(asDense(p.priv)))
	teacher, err := NewTeacher(ctx, priv, p.y, p.weight, p.teacher)
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := teacher.Student(done, priv, p.student); !errors.Is(err, context.Canceled) {
		t.Errorf("student: %v", err)
	}
	if _, err := NewTeacher(done, priv, p.y, p.weight, p.teacher); !errors.Is(err, context.Canceled) {
		t.Errorf("teacher: %v", err)
	}
}
