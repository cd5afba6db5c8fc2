package modelfile

import (
	"rvflplus/internal/pipeline"
	"rvflplus/learn"
	"rvflplus/svmplus"
)

// plusTensors are the weights of a linear kernel, or support vectors.
func plusTensors(p svmplus.Parts) []tensor {
	if p.Linear() {
		return []tensor{matrixTensor(outputWeight, p.Weight), vectorTensor(outputOffset, p.Offset)}
	}
	return []tensor{matrixTensor(supportX, p.Support), matrixTensor(outputAlpha, p.Alpha), vectorTensor(outputOffset, p.Offset)}
}

func plusModel(s pipeline.Settings, t *taker) (learn.Model, error) {
	normal, priv, err := s.RestoreKernels()
	if err != nil {
		return nil, err
	}
	p := svmplus.Parts{Kernel: normal, PrivKernel: priv, Offset: t.vector(outputOffset)}
	if _, linear := t.tensors[outputWeight]; linear {
		p.Weight = t.matrix(outputWeight)
	} else {
		p.Support, p.Alpha = t.matrix(supportX), t.matrix(outputAlpha)
	}
	if t.err != nil {
		return nil, t.err
	}
	return svmplus.FromParts(p)
}
