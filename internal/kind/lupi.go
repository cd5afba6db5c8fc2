package kind

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"rvflplus/activation"
	"rvflplus/fault"
	"rvflplus/internal/feature"
	"rvflplus/internal/lupi"
	"rvflplus/internal/param"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

var averagedKind = Kind{
	Name: "averaged", Summary: "convex mixture of KRVFLs of several widths and the linear one", ClosedForm: true,
	Params: methodParams(false), Chosen: []param.Param{param.C, param.Kernel, param.Width, param.U},
	Solvers: methodSolvers, Estimator: method{name: "averaged"},
}

var labelKind = Kind{
	Name: "label", Summary: "KRVFL+ that learns from rows without a target too", ClosedForm: true,
	Privileged: true, Unlabelled: true, Plain: "averaged",
	Params:  methodParams(true, param.Gamma, param.ProjectC, param.ProjectKernel),
	Chosen:  []param.Param{param.C, param.Gamma, param.Width, param.U},
	Solvers: methodSolvers, Estimator: method{name: "label"},
}

var transferKind = Kind{
	Name: "transfer", Summary: "predicts the privileged columns and learns from the predictions", ClosedForm: true,
	Privileged: true, Plain: "averaged",
	Params: methodParams(true), Chosen: []param.Param{param.C, param.Width},
	Solvers: methodSolvers, Estimator: method{name: "transfer"},
}

var distillKind = Kind{
	Name: "distill", Summary: "KRVFL that learns the predictions of a teacher on the privileged columns",
	ClosedForm: true, Privileged: true, Plain: "averaged",
	Params: methodParams(true, param.Lambda), Chosen: []param.Param{param.C, param.Width, param.Lambda},
	Solvers: methodSolvers, Estimator: method{name: "distill"},
}

var weighKind = Kind{
	Name: "weigh", Summary: "KRVFL whose rows weigh what the privileged columns tell of their noise",
	ClosedForm: true, Privileged: true, Plain: "averaged",
	Params: methodParams(true, param.Power), Chosen: []param.Param{param.C, param.Width, param.Power},
	Solvers: methodSolvers, Estimator: method{name: "weigh"},
}

var stackKind = Kind{
	Name: "stack", Summary: "mixture of the averaged KRVFL and privileged methods, shrunk by leave-one-out",
	ClosedForm: true, Privileged: true, PrivOptional: true, Unlabelled: true, Plain: "averaged",
	Params: methodParams(true, param.Gamma, param.ProjectC, param.ProjectKernel, param.Lambda, param.Power,
		param.Methods),
	Chosen: []param.Param{param.C, param.Gamma, param.Kernel, param.Width, param.PrivWidth, param.U, param.Lambda,
		param.Power},
	ChoosesScale: true,
	Solvers:      methodSolvers, Estimator: method{name: "stack"},
}

var methodSolvers = []string{"dual", "primal"}

// methodParams lists the parameters of a method of package lupi.
func methodParams(priv bool, own ...param.Param) []param.Param {
	params := append([]param.Param{param.C}, own...)
	params = append(params, kernelParams...)
	params = append(params, param.Hidden, param.U, param.Activation, param.Init, param.Base, param.Linear, param.Center)
	if priv {
		params = append(params, param.PrivKernel, param.PrivWidth, param.PrivHidden)
	}
	return params
}

// method is the estimator of the kinds that choose their hyper-parameters themselves.
type method struct{ name string }

func (m method) Complete(c param.Config) param.Config {
	c.PrivHidden = cmp.Or(c.PrivHidden, c.Hidden)
	return completeKernels(c, m.name != "averaged")
}

func (m method) Validate(c param.Config) error {
	learns := c.Kernel.LearnsRelevance() || c.PrivKernel.LearnsRelevance()
	if learns && slices.Contains([]string{"transfer", "distill", "weigh"}, m.name) {
		return fault.New(fault.Usage, "kind %s does not learn a width for each column", c.Kind).
			WithHint("give a number or %s, or use kind krvfl, krvfl+, label, averaged or stack",
				fault.Set("width", "auto"))
	}
	return notFromRows(c)
}

func (m method) Trainer(c param.Config, t Targets) learn.Trainer { return m.config(c, t) }

// config returns the method's own config: lists where a hyper-parameter is free.
func (m method) config(c param.Config, t Targets) lupi.Config {
	choose := func(p param.Param, grid []float64, v float64) []float64 {
		if slices.Contains(c.Free, p) {
			return grid
		}
		return []float64{v}
	}
	grids := lupi.Free()
	l := lupi.Config{
		Method: m.name, Base: c.Base, Kernel: c.Kernel, PrivKernel: c.PrivKernel, Linear: c.Linear,
		Layers: feature.Layers{
			Hidden: c.Hidden, PrivHidden: c.PrivHidden, Init: c.Init, Relevance: c.Relevance,
			PrivRelevance: c.PrivRelevance, Activation: c.Activation,
		},
		Center: c.Center && !t.Classification, Classes: t.Classification, Seed: c.Seed,
		C: choose(param.C, nil, c.C), Gamma: choose(param.Gamma, grids.Gamma, c.Gamma),
		Widths: choose(param.Width, grids.Scales, 1), PrivWidths: []float64{1}, U: choose(param.U, grids.Scales, c.U),
		Lambdas: choose(param.Lambda, grids.Lambdas, c.Lambda), Powers: choose(param.Power, grids.Powers, c.Power),
		ProjectC: c.ProjectC, ProjectKernel: c.ProjectKernel, Single: c.Single, Nested: c.Nested, Budget: c.Budget,
	}
	free := func(p param.Param) bool { return slices.Contains(c.Free, p) }
	switch learns := c.Kernel.LearnsRelevance(); {
	case learns && m.mixes(): // beside one width for all columns
		l.Kernel = kernel.Must(c.Kernel[0].Name)
		l.Kernels, l.Relevance, l.Widths = []kernel.Spec{l.Kernel}, true, grids.Scales
	case m.mixes() && free(param.Kernel) && free(param.Width) && !learns:
		l.Kernels, l.Relevance = freeKernels(), true
	}
	if c.Methods != "" {
		l.Members = strings.Split(c.Methods, ",")
	}
	return l
}

// freeKernels lists the kernels that a method chooses from where none is given.
func freeKernels() []kernel.Spec {
	return []kernel.Spec{kernel.Must("rbf"), kernel.Must("laplacian"), kernel.Must("additive-rbf"),
		kernel.Must("additive-laplacian")}
}

// mixes reports whether the method mixes ridge regressions on normal features.
func (m method) mixes() bool { return m.name == "averaged" || m.name == "stack" }

// Resolved keeps the config: what was chosen differs between the parts of a model, which tell their own.
func (m method) Resolved(c param.Config, _ learn.Model) param.Config {
	if m.name == "averaged" {
		c.PrivKernel = nil
	}
	return c
}

func (method) Facts(learn.Model) Facts { return Facts{Hidden: -1, PrivWidth: -1, PrivRows: -1} }

// partText describes one part of a model in its file.
type partText struct {
	Model      string     `json:"model"`                // krvfl, rvfl, transfer or sum
	Kernels    []string   `json:"kernels,omitempty"`    // of krvfl, one for each term
	From       []int      `json:"from,omitempty"`       // first row of the support of each term
	Activation string     `json:"activation,omitempty"` // of rvfl
	Direct     bool       `json:"direct,omitempty"`
	Both       bool       `json:"both,omitempty"`  // of transfer: the second stage takes the normal features too
	Parts      []partText `json:"parts,omitempty"` // of a transfer its two stages, of a sum its parts
}

// Description implements Described: the parts of the model, without their numbers.
func (method) Description(m learn.Model) (string, error) {
	text, _ := describe("", m)
	b, err := json.Marshal(text)
	return string(b), err
}

func (method) Tensors(m learn.Model, _ bool) []Tensor {
	_, tensors := describe("", m)
	return tensors
}

// describe returns the description of a model and its tensors, whose names begin with prefix.
func describe(prefix string, m learn.Model) (partText, []Tensor) {
	switch m := m.(type) {
	case *krvfl.Model:
		p := m.Parts()
		text := partText{Model: "krvfl"}
		tensors := []Tensor{MatrixTensor(prefix+supportX, p.Support), VectorTensor(prefix+outputOffset, p.Offset)}
		for k, t := range p.Terms {
			text.Kernels, text.From = append(text.Kernels, t.Kernel.Spec().String()), append(text.From, t.From)
			tensors = append(tensors, MatrixTensor(fmt.Sprintf("%sterm%d.alpha", prefix, k+1), t.Alpha))
		}
		return text, tensors
	case *rvfl.Model:
		p := m.Parts()
		text := partText{Model: "rvfl", Activation: p.Hidden.Activation.Name(), Direct: p.Hidden.Direct}
		return text, []Tensor{
			MatrixTensor(prefix+hiddenWeight, p.Hidden.Weight), VectorTensor(prefix+hiddenBias, p.Hidden.Bias),
			MatrixTensor(prefix+outputWeight, p.Weight), VectorTensor(prefix+outputOffset, p.Offset),
		}
	case *lupi.Transfer:
		first, mean, sd, both, second := m.Stages()
		a, tensors := describe(prefix+"first.", first)
		b, rest := describe(prefix+"second.", second)
		tensors = append(tensors, VectorTensor(prefix+"predicted.mean", mean), VectorTensor(prefix+"predicted.sd", sd))
		return partText{Model: "transfer", Both: both, Parts: []partText{a, b}}, append(tensors, rest...)
	case *lupi.Sum:
		text := partText{Model: "sum"}
		var tensors []Tensor
		for k, part := range m.Parts() {
			one, own := describe(fmt.Sprintf("%spart%d.", prefix, k+1), part)
			text.Parts, tensors = append(text.Parts, one), append(tensors, own...)
		}
		return text, tensors
	}
	panic("kind: no way to describe the model")
}

func (method) Model(_ param.Config, t *Tensors) (learn.Model, error) {
	var text partText
	d := json.NewDecoder(strings.NewReader(t.Description))
	d.DisallowUnknownFields()
	if err := d.Decode(&text); err != nil || d.More() {
		return nil, bad("metadata %q does not describe a model: %v", "parts", err)
	}
	return restore("", text, t, 0)
}

// deepest bounds how parts are nested: a sum of transfers whose stages are sums.
const deepest = 4

// restore builds the model of a description from tensors whose names begin with prefix.
func restore(prefix string, text partText, t *Tensors, depth int) (learn.Model, error) {
	if depth > deepest {
		return nil, bad("the parts of the model are nested too deep")
	}
	part := func(name string, text partText) (learn.Model, error) { return restore(prefix+name, text, t, depth+1) }
	switch text.Model {
	case "krvfl":
		return restoreTerms(prefix, text, t)
	case "rvfl":
		act, err := activation.ByName(text.Activation)
		if err != nil {
			return nil, bad("parts: %v", err)
		}
		p := rvfl.Parts{Weight: t.Matrix(prefix + outputWeight), Offset: t.Vector(prefix + outputOffset),
			Hidden: &rvfl.Layer{Weight: t.Matrix(prefix + hiddenWeight), Bias: t.Vector(prefix + hiddenBias),
				Activation: act, Direct: text.Direct}}
		if t.Err != nil {
			return nil, t.Err
		}
		return rvfl.FromParts(p)
	case "transfer":
		if len(text.Parts) != 2 {
			return nil, bad("parts: a transfer has two stages, not %d", len(text.Parts))
		}
		first, err := part("first.", text.Parts[0])
		if err != nil {
			return nil, err
		}
		second, err := part("second.", text.Parts[1])
		if err != nil {
			return nil, err
		}
		mean, sd := t.Vector(prefix+"predicted.mean"), t.Vector(prefix+"predicted.sd")
		if t.Err != nil {
			return nil, t.Err
		}
		return lupi.NewTransfer(first, mean, sd, text.Both, second)
	case "sum":
		var parts []learn.Model
		for k, one := range text.Parts {
			m, err := part(fmt.Sprintf("part%d.", k+1), one)
			if err != nil {
				return nil, err
			}
			parts = append(parts, m)
		}
		return lupi.NewSum(parts)
	}
	return nil, bad("parts: there is no model %q", text.Model)
}

func restoreTerms(prefix string, text partText, t *Tensors) (learn.Model, error) {
	if len(text.Kernels) != len(text.From) {
		return nil, bad("parts: %d kernels and %d first rows", len(text.Kernels), len(text.From))
	}
	p := krvfl.Parts{Support: t.Matrix(prefix + supportX), Offset: t.Vector(prefix + outputOffset)}
	for k, name := range text.Kernels {
		spec, err := kernel.Parse(name)
		if err != nil {
			return nil, bad("parts: %v", err)
		}
		own, err := spec.Kernel()
		if err != nil {
			return nil, bad("parts: %v", err)
		}
		alpha := t.Matrix(fmt.Sprintf("%sterm%d.alpha", prefix, k+1))
		p.Terms = append(p.Terms, krvfl.Term{Kernel: own, From: text.From[k], Alpha: alpha})
	}
	if t.Err != nil {
		return nil, t.Err
	}
	return krvfl.FromParts(p)
}
