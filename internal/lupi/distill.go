package lupi

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/ridge"
	"rvflplus/learn"
)

// distill is generalised distillation: a teacher on the privileged features, and a student on the normal ones that
// learns (1−λ)y + λs of the teacher's leave-one-out predictions s, never of its in-sample fit, which leaks the target.
// The student is chosen by its exact leave-one-out, in which no teacher saw the row that is left out.
func (f *fit) distill(ctx context.Context) (*member, error) {
	if m := f.members["distill"]; m != nil {
		return m, nil
	}
	if err := f.canDistill(); err != nil {
		return nil, err
	}
	s, hidden, err := f.spaces(ctx)
	if err != nil {
		return nil, err
	}
	f.expect((hidden.size() + s.size()) * len(f.C))
	before := f.skipped
	teachers, err := f.ridges(ctx, hidden.inner, f.C, f.targets())
	if err != nil {
		return nil, err
	}
	taught := teachers[least(teachers)]
	y := f.rows.Y.RawMatrix()
	params := ridge.Params{C: taught.c, Center: f.Center}
	teacher, err := ridge.NewTeacher(ctx, hidden.inner[taught.r], y, f.weight, params)
	if err != nil {
		return nil, err
	}
	best, err := f.student(ctx, s, teacher)
	if err != nil {
		return nil, err
	}
	of := (hidden.size() + s.size()) * len(f.C)
	d := distiller{teacher: f.trainer(hidden, taught.r, taught.c), student: f.trainer(s, best.r, best.c),
		lambda: best.lambda}
	return f.keep(&member{
		name: "distill", privileged: true, out: best.out, tried: of - (f.skipped - before), of: of,
		settings: []learn.Setting{number("lambda", best.lambda), number("C", best.c), s.setting(best.r),
			number("teacher C", taught.c), set("teacher kernel", hidden.setting(taught.r).Value)},
		parts: []part{{key: "distill", weight: 1, train: by(d)}},
	}), nil
}

// canDistill refuses what distillation has no exact leave-one-out for.
func (f *fit) canDistill() error {
	switch {
	case f.Base != "krvfl":
		return fault.New(fault.Usage, "distillation is built on kernels: there is no %s", fault.Set("base", f.Base)).
			WithHint("use %s, or fewer rows", fault.Set("base", "krvfl"))
	case f.complete < f.rows.X.RawMatrix().Rows:
		return fault.New(fault.Data, "distillation needs the privileged values of every row: %d of %d rows lack them",
			f.rows.X.RawMatrix().Rows-f.complete, f.rows.X.RawMatrix().Rows).
			WithHint("use %s, which takes such rows, or leave them out", fault.Set("kind", "krvfl+"))
	case f.folds != nil:
		return fault.New(fault.Usage, "distillation is chosen by leaving out single rows, not whole groups").
			WithHint("use %s, or leave %s out", fault.Set("kind", "krvfl+"), fault.Name("group"))
	}
	return nil
}

// pupil is a student.
type pupil struct {
	choice
	lambda float64
}

// student chooses representation, C and λ.
func (f *fit) student(ctx context.Context, s *space, teacher *ridge.Teacher) (pupil, error) {
	n, m := f.rows.Y.Dims()
	t := f.targets()
	settings := s.size() * len(f.C)
	best := slices.Repeat([]pupil{{choice: choice{loss: math.Inf(1)}}}, settings)
	predict := func(k int) (ofY, ofTeacher blas.Matrix, err error) {
		p := ridge.Params{C: f.C[k%len(f.C)], Center: f.Center}
		return teacher.Student(ctx, s.inner[k/len(f.C)], p)
	}
	mix := func(ofY, ofTeacher blas.Matrix, lambda float64) *mat.Dense {
		out := mat.NewDense(n, m, nil)
		for i := range out.RawMatrix().Data {
			out.RawMatrix().Data[i] = (1-lambda)*ofY.Data[i] + lambda*ofTeacher.Data[i]
		}
		return out
	}
	err := f.each(ctx, settings, n, 1, func(k int) {
		ofY, ofTeacher, err := predict(k)
		if err != nil {
			return
		}
		for _, lambda := range f.Lambdas {
			if loss := t.loss(mix(ofY, ofTeacher, lambda)); loss < best[k].loss {
				best[k] = pupil{choice{r: k / len(f.C), c: f.C[k%len(f.C)], loss: loss}, lambda}
			}
		}
	})
	if err != nil {
		return pupil{}, err
	}
	chosen := 0
	for k := range best {
		if best[k].loss < best[chosen].loss {
			chosen = k
		}
	}
	ofY, ofTeacher, err := predict(chosen)
	if err != nil {
		return pupil{}, err
	}
	best[chosen].out = mix(ofY, ofTeacher, best[chosen].lambda)
	return best[chosen], learn.CheckWeights(best[chosen].out.RawMatrix())
}

// distiller trains a teacher and then its student.
type distiller struct {
	teacher, student learn.Trainer
	lambda           float64
}

// Train implements learn.Trainer.
func (d distiller) Train(ctx context.Context, p learn.Problem) (learn.Model, learn.Report, error) {
	q := p.WithPriv(nil)
	q.Unlabelled = nil
	if d.lambda == 0 {
		return d.student.Train(ctx, q)
	}
	lesson := q
	lesson.X, lesson.Columns, lesson.LeaveOneOut = p.Priv, p.PrivColumns, learn.Always
	_, report, err := d.teacher.Train(ctx, lesson)
	if err != nil {
		return nil, learn.Report{}, fmt.Errorf("the teacher: %w", err)
	}
	q.Y = mat.DenseCopyOf(p.Y)
	q.Y.Apply(func(i, j int, y float64) float64 {
		return (1-d.lambda)*y + d.lambda*report.LeaveOneOut.At(i, j)
	}, q.Y)
	return d.student.Train(ctx, q)
}
