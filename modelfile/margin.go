package modelfile

import (
	"rvflplus/learn"
	"rvflplus/pipeline"
	"rvflplus/svm"
)

func classifierTensors(p svm.ClassifierParts) []tensor {
	return []tensor{
		matrixTensor(supportX, p.Support), matrixTensor(dualCoef, p.Coef), vectorTensor(dualOffset, p.Offset),
		vectorTensor(classSupport, numbers(p.Count)), vectorTensor(classOrder, numbers(p.Order)),
	}
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
