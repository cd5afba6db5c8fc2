package pipeline

import (
	"maps"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/target"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
	"rvflplus/rvfl"
	"rvflplus/svm"
	"rvflplus/svmplus"
)

// Settings is the text form of what a model was trained with: only what applies
// to its kind, defaults filled in and automatic widths as numbers. The names are
// those of the command's flags, with underscores.
type Settings struct {
	Kind       string   `json:"kind"`
	C          *float64 `json:"C,omitempty"`
	Gamma      *float64 `json:"gamma,omitempty"`
	Correction string   `json:"correction,omitempty"`

	Hidden     int     `json:"hidden,omitempty"`
	PrivHidden int     `json:"priv_hidden,omitempty"`
	U          float64 `json:"u,omitempty"`
	Activation string  `json:"activation,omitempty"`
	Init       string  `json:"init,omitempty"`

	Kernel     string   `json:"kernel,omitempty"`
	Width      *float64 `json:"width,omitempty"`
	Degree     *float64 `json:"degree,omitempty"`
	Offset     *float64 `json:"offset,omitempty"`
	Dilation   *float64 `json:"dilation,omitempty"`
	Frequency  *float64 `json:"frequency,omitempty"`
	PrivKernel string   `json:"priv_kernel,omitempty"`
	PrivWidth  *float64 `json:"priv_width,omitempty"`

	Epsilon *float64 `json:"epsilon,omitempty"`
	Tol     *float64 `json:"tol,omitempty"`
	MaxIter int      `json:"max_iter,omitempty"`

	ClassWeight string `json:"class_weight,omitempty"`
	SVMSolver   string `json:"svm_solver,omitempty"`

	Linear   bool   `json:"linear"`
	Center   *bool  `json:"center,omitempty"` // regression only
	Task     string `json:"task"`
	Encoding string `json:"encoding,omitempty"` // classification only
	Scale    string `json:"scale"`
	Impute   string `json:"impute"`
	Solver   string `json:"solver,omitempty"`
	Seed     uint64 `json:"seed"`

	Proba     string `json:"proba,omitempty"`
	Intervals bool   `json:"intervals,omitempty"`
	Std       bool   `json:"std,omitempty"`
}

// settings describes a fit of c; model tells the resolved kernels.
func (c Config) settings(k Kind, coder *target.Coder, model learn.Model) Settings {
	c = c.WithDefaults()
	s := Settings{
		Kind: k.Name, C: &c.C, Linear: !c.NoLinear, Task: string(coder.Task), Encoding: coder.Encoding,
		Scale: c.Scale, Impute: c.Impute, Seed: c.Seed,
		Proba: c.Proba, Intervals: c.Intervals, Std: c.Std,
	}
	if coder.Task == target.Regression && !k.Margin {
		center := !c.NoCenter
		s.Center = &center
	}
	if k.Margin {
		s.setMargin(c, k)
	}
	if k.Priv {
		s.Gamma = &c.Gamma
	}
	if k.Priv && !k.Margin {
		s.Correction = string(c.Correction)
	}
	switch m := model.(type) {
	case *rvfl.Model:
		s.setLayers(c, k)
	case *krvfl.Model:
		parts := m.Parts()
		s.setKernels(bare(parts.Kernel, c.NoLinear), bare(parts.PrivKernel, c.NoLinear))
	case *svm.Classifier:
		s.setKernels(m.Parts().Kernel, nil)
	case *svmplus.Model:
		parts := m.Parts()
		s.setKernels(parts.Kernel, parts.PrivKernel)
	case *svm.Regressor:
		s.setKernels(m.Parts().Kernel, nil)
	}
	return s
}

// setMargin describes a support vector machine, whose kernels are bare.
func (s *Settings) setMargin(c Config, k Kind) {
	s.Linear, s.MaxIter = false, c.MaxIter
	switch k.Name {
	case "svm":
		s.Tol = new(c.svm().WithDefaults().Tolerance)
	case "svr":
		s.Tol, s.Epsilon = new(c.svr().WithDefaults().Tolerance), c.Epsilon
	case "svm+":
		s.Tol, s.SVMSolver = new(c.svmplus().WithDefaults().Tolerance), c.SVMSolver
	}
	if k.weighted() {
		s.ClassWeight = c.ClassWeight
	}
}

func (s *Settings) setLayers(c Config, k Kind) {
	s.Hidden, s.U, s.Activation, s.Init, s.Solver = c.Hidden, c.U, c.Activation, c.Init, c.Solver
	if k.Priv {
		s.PrivHidden = c.PrivHidden
	}
	if c.Solver == "pinv" {
		s.C = nil
	}
}

// bare returns a resolved kernel without the linear part that krvfl adds.
func bare(k kernel.Kernel, noLinear bool) kernel.Kernel {
	if sum, ok := k.(kernel.Sum); ok && !noLinear {
		return sum[1]
	}
	return k
}

// setKernels spells the kernels. A single kernel is written by name, with its
// parameters beside it; a sum, or a privileged kernel whose parameters could not
// be told apart from the normal one's, carries them in its text.
func (s *Settings) setKernels(normal, priv kernel.Kernel) {
	params := s.single(normal)
	s.Kernel = normal.String()
	if params != nil {
		s.Kernel = termsOf(normal)[0].Name
		s.Width, s.Degree, s.Offset = params["width"], params["degree"], params["offset"]
		s.Dilation, s.Frequency = params["dilation"], params["frequency"]
	}
	if priv == nil {
		return
	}
	own := s.single(priv)
	s.PrivKernel = priv.String()
	if own != nil && sameBut(own, params, "width") {
		s.PrivKernel, s.PrivWidth = termsOf(priv)[0].Name, own["width"]
	}
}

func termsOf(k kernel.Kernel) kernel.Spec {
	spec, err := kernel.Parse(k.String())
	if err != nil {
		panic("pipeline: a kernel's text does not parse: " + err.Error())
	}
	return spec
}

// single returns the parameters of a kernel that is not a sum, else nil.
func (s *Settings) single(k kernel.Kernel) map[string]*float64 {
	terms := termsOf(k)
	if len(terms) != 1 {
		return nil
	}
	params := map[string]*float64{}
	for name, v := range terms[0].Params {
		params[name] = &v
	}
	return params
}

// sameBut reports whether the parameters of own, one left out, have the values
// they have in params.
func sameBut(own, params map[string]*float64, but string) bool {
	for name, v := range own {
		if name != but && (params[name] == nil || *params[name] != *v) {
			return false
		}
	}
	return true
}

// kernels returns the resolved kernels the settings spell, with the linear part;
// priv is nil when there is none.
func (s Settings) kernels() (normal, priv kernel.Kernel, err error) {
	shared := map[string]*float64{"degree": s.Degree, "offset": s.Offset, "dilation": s.Dilation, "frequency": s.Frequency}
	at := func(text string, width *float64) (kernel.Kernel, error) {
		params := maps.Clone(shared)
		params["width"] = width
		return s.kernelFrom(text, params)
	}
	if normal, err = at(s.Kernel, s.Width); err != nil || s.PrivKernel == "" {
		return normal, nil, err
	}
	priv, err = at(s.PrivKernel, s.PrivWidth)
	return normal, priv, err
}

func (s Settings) kernelFrom(text string, params map[string]*float64) (kernel.Kernel, error) {
	spec, err := kernel.Parse(text)
	if err != nil {
		return nil, err
	}
	for i := range spec {
		for name, v := range params {
			if v == nil || !spec[i].Has(name) {
				continue
			}
			if _, given := spec[i].Params[name]; given {
				continue
			}
			if err := spec[i].SetText(name, dataset.FormatNumber(*v)); err != nil {
				return nil, err
			}
		}
	}
	k, err := spec.Fixed()
	if err != nil || !s.Linear {
		return k, err
	}
	return kernel.Sum{kernel.Linear{}, k}, nil
}

// Check returns a fault.Usage error for settings that no fit could have had.
func (s Settings) Check() error {
	c := Config{
		Kind: s.Kind, Hidden: s.Hidden, PrivHidden: s.PrivHidden, U: s.U, Activation: s.Activation, Init: s.Init, Solver: s.Solver,
		Correction: learn.Correction(s.Correction), MaxIter: s.MaxIter, Epsilon: s.Epsilon, ClassWeight: s.ClassWeight, SVMSolver: s.SVMSolver, Scale: s.Scale, Impute: s.Impute, Task: s.Task, Encoding: s.Encoding,
		Proba: s.Proba, Intervals: s.Intervals, Std: s.Std,
	}
	kind, err := KindByName(s.Kind)
	if err != nil {
		return err
	}
	if s.C != nil {
		c.C = *s.C
	}
	if s.Gamma != nil {
		c.Gamma = *s.Gamma
	}
	if s.Tol != nil {
		c.Tol = *s.Tol
	}
	whole := s.Scale != "" && s.Impute != "" && s.Task != "" && (s.C != nil && *s.C != 0 || s.Solver == "pinv")
	whole = whole && (s.Center != nil) == (s.Task == string(target.Regression) && !kind.Margin)
	whole = whole && kind.Margin == (s.Tol != nil) && (kind.Margin || s.MaxIter == 0) && (s.Epsilon != nil) == (kind.Name == "svr") && !(kind.Margin && s.Linear)
	whole = whole && (!kind.Priv || s.Gamma != nil && *s.Gamma != 0) && (s.Correction != "") == (kind.Priv && !kind.Margin)
	whole = whole && (s.SVMSolver != "") == (kind.Margin && kind.Priv) && (s.ClassWeight == "" || kind.weighted())
	if kind.Kernel {
		whole = whole && s.Kernel != "" && s.Hidden == 0 && kind.Priv == (s.PrivKernel != "")
	} else {
		foreign := s.Width != nil || s.Degree != nil || s.Offset != nil || s.Dilation != nil || s.Frequency != nil || s.PrivWidth != nil || s.PrivKernel != ""
		whole = whole && !foreign && s.Hidden > 0 && s.U > 0 && s.Activation != "" && s.Init != "" && s.Solver != "" && s.Kernel == ""
	}
	classification := s.Task == string(target.Classification)
	whole = whole && (s.Proba == "" || classification) && !(classification && (s.Intervals || s.Std))
	if !whole {
		return fault.New(fault.Usage, "settings are missing, or do not belong to kind %s", s.Kind)
	}
	return c.Validate()
}

// RestoreKernels returns the kernels that Settings of a file spell; errors are of
// kind fault.Data.
func (s Settings) RestoreKernels() (normal, priv kernel.Kernel, err error) {
	if normal, priv, err = s.kernels(); err != nil {
		return nil, nil, fault.New(fault.Data, "config: %v", err)
	}
	return normal, priv, nil
}
