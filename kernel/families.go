package kernel

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/fault"
)

type param struct {
	name string
	def  float64
	want string
	ok   func(float64) bool
}

var (
	width = param{"width", Auto, "> 0, auto or relevance",
		func(v float64) bool { return v > 0 || v == Auto || v == Learned }}
	plainWidth = param{"width", Auto, "> 0 or auto", func(v float64) bool { return v > 0 || v == Auto }}
	degree     = param{"degree", 3, "a whole number from 1 to 100",
		func(v float64) bool { return v >= 1 && v <= 100 && v == math.Trunc(v) }}
	offset    = param{"offset", 1, ">= 0", func(v float64) bool { return v >= 0 }}
	slope     = param{"slope", 1, "> 0", func(v float64) bool { return v > 0 }}
	dilation  = param{"dilation", 1, "> 0", func(v float64) bool { return v > 0 }}
	frequency = param{"frequency", 1.75, ">= 0", func(v float64) bool { return v >= 0 }}
)

// family is one kind of kernel: how it is written and how it is made.
type family struct {
	name, formula string
	params        []param
	automatic     automaticWidth // nil for families without a width
	relevant      bool           // may have a relevance
	positive      bool           // features must not be negative
	make          func(p []float64) Kernel
}

var families = []family{
	{name: "linear", formula: "x·y", make: func([]float64) Kernel { return Linear{} }},
	{name: "affine", formula: "slope·x·y+offset", params: []param{slope, offset},
		make: func(p []float64) Kernel { return Affine{p[0], p[1]} }},
	{name: "rbf", formula: "exp(-|x-y|²/width)", params: []param{width}, automatic: ofRows(euclidean), relevant: true,
		make: func(p []float64) Kernel { return RBF{p[0]} }},
	{name: "poly", formula: "(x·y+offset)^degree", params: []param{degree, offset},
		make: func(p []float64) Kernel { return Polynomial{p[0], p[1]} }},
	{name: "wavelet", formula: "Π cos(frequency·d/dilation)·exp(-d²/width), d=x-y",
		params: []param{width, dilation, frequency}, automatic: ofRows(euclidean), relevant: true,
		make: func(p []float64) Kernel { return Wavelet{p[0], p[1], p[2]} }},
	{name: "laplacian", formula: "exp(-Σ|x-y|/width)", params: []param{width},
		automatic: ofRows(manhattan), relevant: true,
		make: func(p []float64) Kernel { return Laplacian{p[0]} }},
	{name: "chi2", formula: "exp(-Σ(x-y)²/(x+y)/width), features >= 0", params: []param{plainWidth},
		automatic: ofRows(chiSquare), positive: true, make: func(p []float64) Kernel { return ChiSquare{p[0]} }},
	{name: "additive-rbf", formula: "Σ exp(-(x-y)²/width)/n", params: []param{width},
		automatic: ofColumns(euclidean), relevant: true,
		make: func(p []float64) Kernel { return AdditiveRBF{p[0]} }},
	{name: "additive-laplacian", formula: "Σ exp(-|x-y|/width)/n", params: []param{width},
		automatic: ofColumns(manhattan), relevant: true,
		make: func(p []float64) Kernel { return AdditiveLaplacian{p[0]} }},
	{name: "additive-chi2", formula: "Σ 2xy/(x+y), features >= 0", positive: true,
		make: func([]float64) Kernel { return AdditiveChiSquare{} }},
}

// Names lists the kernels that Parse knows.
func Names() []string {
	var names []string
	for _, f := range families {
		names = append(names, f.name)
	}
	return names
}

// Formula returns the formula of the kernel called name, or "".
func Formula(name string) string {
	if f := familyOf(name); f != nil {
		return f.formula
	}
	return ""
}

func familyOf(name string) *family {
	for i := range families {
		if families[i].name == name {
			return &families[i]
		}
	}
	return nil
}

// ParamsOf lists the parameters of the kernel called name that are single numbers.
func ParamsOf(name string) []string {
	var names []string
	if f := familyOf(name); f != nil {
		for _, p := range f.params {
			names = append(names, p.name)
		}
	}
	return names
}

func (f *family) param(key string) (param, error) {
	i := slices.IndexFunc(f.params, func(p param) bool { return p.name == key })
	if i >= 0 {
		return f.params[i], nil
	}
	names := ParamsOf(f.name)
	if f.relevant {
		names = append(names, relevance)
	}
	return param{}, fault.New(fault.Usage, "kernel %s has no parameter %q", f.name, key).
		WithHint("its parameters are: %s", cmp.Or(strings.Join(names, ", "), "none"))
}

// parse reads and judges a value; widths may be words.
func (p param) parse(text string) (float64, error) {
	for v, word := range widthWords {
		if text == word && p.ok(v) {
			return v, nil
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || widthWords[v] != "" || math.IsInf(v, 0) || !p.ok(v) {
		return 0, fault.Param(p.name, p.want, strconv.Quote(text))
	}
	return v, nil
}

// widthWords are the words for widths that are no numbers.
var widthWords = map[float64]string{Auto: "auto", Learned: "relevance"}

func unknownKernel(name string) error {
	return fault.Param("kernel", "a sum of "+strings.Join(Names(), ", "), strconv.Quote(name)).
		WithHint("write one kernel, or a sum such as rbf:width=2+poly:degree=3")
}
