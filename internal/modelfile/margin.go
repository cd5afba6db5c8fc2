package modelfile

import (
	"rvflplus/blas"
	"rvflplus/internal/calibrate"
	"rvflplus/internal/pipeline"
	"rvflplus/learn"
	"rvflplus/svm"
)

func classifierTensors(p svm.ClassifierParts) []tensor {
	tensors := []tensor{
		matrixTensor(supportX, p.Support), matrixTensor(dualCoef, p.Coef), vectorTensor(dualOffset, p.Offset),
		vectorTensor(classSupport, numbers(p.Count)), vectorTensor(classOrder, numbers(p.Order)),
	}
	if p.Sigmoids != nil {
		tensors = append(tensors, matrixTensor(probaPairs, sigmoidRows(p.Sigmoids)))
	}
	return tensors
}

// sigmoidRows writes curves as rows A, B.
func sigmoidRows(curves []calibrate.Sigmoid) blas.Matrix {
	rows := blas.New(len(curves), 2)
	for i, c := range curves {
		rows.Data[2*i], rows.Data[2*i+1] = c.A, c.B
	}
	return rows
}

// sigmoids takes what sigmoidRows wrote.
func (t *taker) sigmoids(name string) []calibrate.Sigmoid {
	m := t.matrix(name)
	if m.Cols != 2 && t.err == nil {
		t.err = bad("tensor %q has %d columns, expected 2", name, m.Cols)
	}
	var curves []calibrate.Sigmoid
	for i := 0; i < m.Rows && t.err == nil; i++ {
		curves = append(curves, calibrate.Sigmoid{A: m.Data[2*i], B: m.Data[2*i+1]})
	}
	return curves
}

func numbers(v []int) []float64 {
	out := make([]float64, len(v))
	for i, n := range v {
		out[i] = float64(n)
	}
	return out
}

// whole takes a vector of small whole numbers.
func (t *taker) whole(name string) []int {
	var out []int
	for _, v := range t.vector(name) {
		if v != float64(int32(v)) && t.err == nil {
			t.err = bad("tensor %q holds %v, expected whole numbers", name, v)
		}
		out = append(out, int(int32(v)))
	}
	return out
}

func classifier(s pipeline.Settings, t *taker) (learn.Model, error) {
	k, _, err := s.RestoreKernels()
	if err != nil {
		return nil, err
	}
	p := svm.ClassifierParts{
		Kernel: k, Support: t.matrix(supportX), Coef: t.matrix(dualCoef), Offset: t.vector(dualOffset),
		Count: t.whole(classSupport), Order: t.whole(classOrder),
	}
	if s.Proba != "" {
		p.Sigmoids = t.sigmoids(probaPairs)
	}
	if t.err != nil {
		return nil, t.err
	}
	p.Outputs = len(p.Order)
	if s.Encoding == "sign" {
		p.Outputs = 1
	}
	return svm.ClassifierFromParts(p)
}

func regressor(s pipeline.Settings, t *taker) (learn.Model, error) {
	k, _, err := s.RestoreKernels()
	if err != nil {
		return nil, err
	}
	p := svm.RegressorParts{Kernel: k, Support: t.matrix(supportX), Coef: t.matrix(dualCoef), Offset: t.vector(dualOffset)}
	if t.err != nil {
		return nil, t.err
	}
	return svm.RegressorFromParts(p)
}
