package modelfile

import (
	"fmt"

	"rvflplus/activation"
	"rvflplus/blas"
	"rvflplus/internal/feature"
	"rvflplus/internal/pipeline"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
	"rvflplus/svm"
	"rvflplus/svmplus"
)

// Names of the tensors.
const (
	hiddenWeight     = "hidden.weight"
	hiddenBias       = "hidden.bias"
	outputWeight     = "output.weight"
	outputOffset     = "output.offset"
	outputAlpha      = "output.alpha"
	supportX         = "support.x"
	dualCoef         = "dual.coef"
	dualOffset       = "dual.offset"
	classSupport     = "class.support"
	classOrder       = "class.order"
	privHiddenWeight = "priv.hidden.weight"
	privHiddenBias   = "priv.hidden.bias"
	privOutputWeight = "priv.output.weight"
	privOutputAlpha  = "priv.output.alpha"
	privSupportX     = "priv.support.x"
	spreadFactor     = "spread.factor"
	spreadScale      = "spread.scale"
)

func tensorsOf(m learn.Model, keepPrivileged bool) ([]tensor, error) {
	switch m := m.(type) {
	case *rvfl.Model:
		return layerTensors(m.Parts(), keepPrivileged), nil
	case *krvfl.Model:
		return kernelTensors(m.Parts(), keepPrivileged), nil
	case *svm.Classifier:
		return classifierTensors(m.Parts()), nil
	case *svm.Regressor:
		p := m.Parts()
		return []tensor{matrixTensor(supportX, p.Support), matrixTensor(dualCoef, p.Coef), vectorTensor(dualOffset, p.Offset)}, nil
	case *svmplus.Model:
		return plusTensors(m.Parts()), nil
	}
	return nil, fmt.Errorf("modelfile: no format for a %T", m)
}

func layerTensors(p rvfl.Parts, keepPrivileged bool) []tensor {
	tensors := []tensor{
		matrixTensor(hiddenWeight, p.Hidden.Weight), vectorTensor(hiddenBias, p.Hidden.Bias),
		matrixTensor(outputWeight, p.Weight), vectorTensor(outputOffset, p.Offset),
	}
	if keepPrivileged && p.PrivHidden != nil {
		tensors = append(tensors, matrixTensor(privHiddenWeight, p.PrivHidden.Weight),
			vectorTensor(privHiddenBias, p.PrivHidden.Bias), matrixTensor(privOutputWeight, p.PrivWeight))
	}
	return tensors
}

func kernelTensors(p krvfl.Parts, keepPrivileged bool) []tensor {
	tensors := []tensor{matrixTensor(supportX, p.Support), matrixTensor(outputAlpha, p.Alpha), vectorTensor(outputOffset, p.Offset)}
	if keepPrivileged && p.PrivKernel != nil {
		tensors = append(tensors, matrixTensor(privSupportX, p.PrivSupport), matrixTensor(privOutputAlpha, p.PrivAlpha))
	}
	if p.Scale != nil {
		tensors = append(tensors, matrixTensor(spreadFactor, p.Factor), vectorTensor(spreadScale, p.Scale))
	}
	return tensors
}

// take returns tensor name if it has the given number of dimensions.
func take(tensors map[string]tensor, name string, dims int) (blas.Matrix, error) {
	t, ok := tensors[name]
	if !ok || len(t.shape) != dims {
		return blas.Matrix{}, bad("tensor %q of %d dimensions is missing", name, dims)
	}
	return t.rows, nil
}

// taker takes tensors and keeps the first error.
type taker struct {
	tensors map[string]tensor
	err     error
}

func (t *taker) matrix(name string) blas.Matrix {
	m, err := take(t.tensors, name, 2)
	if t.err == nil {
		t.err = err
	}
	return m
}

func (t *taker) vector(name string) []float64 {
	m, err := take(t.tensors, name, 1)
	if t.err == nil {
		t.err = err
	}
	return m.Data
}

func estimatorOf(s pipeline.Settings, tensors map[string]tensor) (learn.Model, error) {
	kind, err := pipeline.KindByName(s.Kind)
	if err != nil {
		return nil, bad("config: %v", err)
	}
	t := &taker{tensors: tensors}
	switch {
	case kind.Name == "svm":
		return classifier(s, t)
	case kind.Name == "svm+":
		return plusModel(s, t)
	case kind.Name == "svr":
		return regressor(s, t)
	case kind.Kernel:
		return kernelModel(s, t)
	}
	return layerModel(s, t)
}

func layerModel(s pipeline.Settings, t *taker) (learn.Model, error) {
	act, err := activation.ByName(s.Activation)
	if err != nil {
		return nil, bad("config: %v", err)
	}
	links := func(weight, bias string) *feature.Links {
		return &feature.Links{Weight: t.matrix(weight), Bias: t.vector(bias), Activation: act, NoDirect: !s.Linear}
	}
	p := rvfl.Parts{Hidden: links(hiddenWeight, hiddenBias), Weight: t.matrix(outputWeight), Offset: t.vector(outputOffset)}
	if _, kept := t.tensors[privHiddenWeight]; kept {
		p.PrivHidden, p.PrivWeight = links(privHiddenWeight, privHiddenBias), t.matrix(privOutputWeight)
	}
	if t.err != nil {
		return nil, t.err
	}
	return rvfl.FromParts(p)
}

func kernelModel(s pipeline.Settings, t *taker) (learn.Model, error) {
	normal, priv, err := s.RestoreKernels()
	if err != nil {
		return nil, err
	}
	p := krvfl.Parts{Kernel: normal, Support: t.matrix(supportX), Alpha: t.matrix(outputAlpha), Offset: t.vector(outputOffset)}
	if _, kept := t.tensors[privSupportX]; kept {
		if priv == nil {
			return nil, bad("config names no privileged kernel, but there are privileged tensors")
		}
		p.PrivKernel, p.PrivSupport, p.PrivAlpha = priv, t.matrix(privSupportX), t.matrix(privOutputAlpha)
	}
	if _, kept := t.tensors[spreadFactor]; kept {
		p.Factor, p.Scale = t.matrix(spreadFactor), t.vector(spreadScale)
	}
	if t.err != nil {
		return nil, t.err
	}
	return krvfl.FromParts(p)
}
