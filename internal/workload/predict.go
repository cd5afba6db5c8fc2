package workload

import (
	"context"

	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// kernelSupport is the number of training rows of the kernel model that predicts.
const kernelSupport = 5000

func rvflPredict(rows int) (*Work, error) {
	hidden := layer(4, normal)
	model, err := rvfl.FromParts(rvfl.Parts{Hidden: hidden, Weight: Matrix(5, hidden.Weight.Rows+hidden.Weight.Cols,
		classes), Offset: make([]float64, classes)})
	if err != nil {
		return nil, err
	}
	return predict(model, rows), nil
}

func krvflPredict(rows int) (*Work, error) {
	model, err := krvfl.FromParts(krvfl.Parts{
		Support: Matrix(1, kernelSupport, kernelFeatures), Offset: make([]float64, kernelTargets),
		Terms: []krvfl.Term{{Kernel: kernel.RBF{Width: 20}, Alpha: Matrix(2, kernelSupport, kernelTargets)}},
	})
	if err != nil {
		return nil, err
	}
	return predict(model, rows), nil
}

func predict(model learn.Model, rows int) *Work {
	features, outputs := model.Dims()
	x, out := Matrix(9, rows, features), Matrix(10, rows, outputs)
	return &Work{
		Items: float64(rows),
		Unit:  "rows",
		Run: func(context.Context) error {
			model.PredictTo(dense(out), dense(x))
			return nil
		},
		Answer: Answer(out, false),
	}
}
