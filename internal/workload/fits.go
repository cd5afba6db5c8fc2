package workload

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// The sizes and hyper-parameters of the fits; worker.py has the same.
const (
	normal, privileged, nodes, classes     = 5, 4, 1000, 7
	fitC, fitGamma                         = 1, 1000
	kernelFeatures, kernelTargets          = 20, 3
	smallFeatures, smallPriv, smallClasses = 100, 21, 2
)

// rvflPlus is a fit of RVFL+ in the primal form, without leave-one-out, from given
// random layers.
func rvflPlus(rows int) (*Work, error) {
	p := learn.Problem{X: dense(Matrix(1, rows, normal)), Priv: dense(Matrix(2, rows, privileged)),
		Y: dense(oneHot(3, rows, classes))}
	hidden, priv := layer(4, normal), layer(6, privileged)
	config := rvfl.DefaultConfig()
	config.C, config.Gamma, config.Hidden, config.Center, config.Solver = fitC, fitGamma, nodes, false, "primal"
	config.Correction = learn.Paper // NumPy's side solves the paper's form
	var model *rvfl.Model
	return &Work{
		Items: float64(rows),
		Unit:  "rows",
		Run: func(ctx context.Context) (err error) {
			model, _, err = config.TrainWith(ctx, p, hidden, priv)
			return err
		},
		Answer: func() []float64 { return Answer(model.Parts().Weight, false)() },
	}, nil
}

// krvflFit is a fit of KRVFL with an RBF kernel alone, the problem that scikit-learn's
// KernelRidge solves.
func krvflFit(rows int) (*Work, error) {
	p := learn.Problem{X: dense(Matrix(1, rows, kernelFeatures)), Y: dense(Matrix(2, rows, kernelTargets))}
	config := krvfl.DefaultConfig()
	config.C, config.Kernel, config.Linear, config.Center = fitC, kernel.Must("rbf:width=20"), false, false
	return kernelFit(config, p)
}

// krvflPlus is a fit of KRVFL+ of the shape of MNIST+.
func krvflPlus(rows int) (*Work, error) {
	p := learn.Problem{X: dense(Matrix(1, rows, smallFeatures)), Priv: dense(Matrix(2, rows, smallPriv)),
		Y: dense(oneHot(3, rows, smallClasses))}
	config := krvfl.DefaultConfig()
	config.C, config.Gamma, config.Center, config.Correction = 3, 5000, false, learn.Paper
	config.Kernel, config.PrivKernel = kernel.Must("rbf:width=60"), kernel.Must("rbf:width=15")
	return kernelFit(config, p)
}

func kernelFit(config krvfl.Config, p learn.Problem) (*Work, error) {
	var model learn.Model
	return &Work{
		Items: float64(p.X.RawMatrix().Rows),
		Unit:  "rows",
		Run: func(ctx context.Context) (err error) {
			model, _, err = config.Train(ctx, p)
			return err
		},
		Answer: func() []float64 { return Answer(model.(*krvfl.Model).Parts().Terms[0].Alpha, false)() },
	}, nil
}

func layer(seed uint64, inputs int) *rvfl.Layer {
	l := &rvfl.Layer{Weight: Matrix(seed, nodes, inputs), Bias: make([]float64, nodes), Direct: true}
	uniform(l.Bias, seed+1, 0, 1)
	return l
}

func dense(m blas.Matrix) *mat.Dense { return mat.NewDense(m.Rows, m.Cols, m.Data) }

// oneHot returns a row for each draw of a class: 1 in its column, 0 elsewhere.
func oneHot(seed uint64, rows, classes int) blas.Matrix {
	m, draw := blas.New(rows, classes), make([]float64, rows)
	uniform(draw, seed, 0, float64(classes))
	for i, v := range draw {
		m.Data[i*m.Stride+int(v)] = 1
	}
	return m
}
