package kernel

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/blas"
	"rvflplus/fault"
)

// Spec describes a kernel, possibly with widths still to be taken from data. Its
// text form is a sum of terms name:key=value,key=value; parameters left out have
// their default:
//
//	rbf                                        width=auto
//	rbf:width=2+poly:degree=3,offset=1
//
// The zero value describes rbf with an automatic width.
type Spec []Term

// Term is one summand of a Spec.
type Term struct {
	Name   string
	Params map[string]float64 // what was given; Auto stands for an automatic width
}

// Auto is the value of a width that Resolve computes from the data.
const Auto = -1

type param struct {
	name string
	def  float64
	want string
	ok   func(float64) bool
}

var (
	width  = param{"width", Auto, "> 0 or auto", func(v float64) bool { return v > 0 || v == Auto }}
	degree = param{"degree", 3, "a whole number from 1 to 100",
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
	distance      func(x, y []float64) float64 // for an automatic width
	positive      bool                         // features must not be negative
	make          func(p []float64) Kernel
}

var families = []family{
	{"linear", "x·y", nil, nil, false, func([]float64) Kernel { return Linear{} }},
	{"affine", "slope·x·y+offset", []param{slope, offset}, nil, false,
		func(p []float64) Kernel { return Affine{p[0], p[1]} }},
	{"rbf", "exp(-|x-y|²/width)", []param{width}, euclidean, false, func(p []float64) Kernel { return RBF{p[0]} }},
	{"poly", "(x·y+offset)^degree", []param{degree, offset}, nil, false,
		func(p []float64) Kernel { return Polynomial{p[0], p[1]} }},
	{"wavelet", "Π cos(frequency·d/dilation)·exp(-d²/width), d=x-y", []param{width, dilation, frequency}, euclidean,
		false, func(p []float64) Kernel { return Wavelet{p[0], p[1], p[2]} }},
	{"laplacian", "exp(-Σ|x-y|/width)", []param{width}, manhattan, false,
		func(p []float64) Kernel { return Laplacian{p[0]} }},
	{"chi2", "exp(-Σ(x-y)²/(x+y)/width), features >= 0", []param{width}, chiSquare, true,
		func(p []float64) Kernel { return ChiSquare{p[0]} }},
	{"additive-chi2", "Σ 2xy/(x+y), features >= 0", nil, nil, true,
		func([]float64) Kernel { return AdditiveChiSquare{} }},
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

// ParamsOf lists the parameters of the kernel called name.
func ParamsOf(name string) []string {
	var names []string
	if f := familyOf(name); f != nil {
		for _, p := range f.params {
			names = append(names, p.name)
		}
	}
	return names
}

// Parse reads a Spec's text form; "" is the zero Spec. An unknown kernel or
// parameter, or a value outside its range, is a fault.Usage error.
func Parse(text string) (Spec, error) {
	if text == "" {
		return nil, nil
	}
	var spec Spec
	for _, part := range splitTerms(text) {
		t, err := parseTerm(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		spec = append(spec, t)
	}
	return spec, nil
}

// Must is Parse for a text that is known to be right; it panics on any other.
func Must(text string) Spec {
	s, err := Parse(text)
	if err != nil {
		panic("kernel: " + err.Error())
	}
	return s
}

// Validate returns a fault.Usage error for a kernel that there is not, and for a
// parameter that its kernel does not have or whose value is outside its range.
func (s Spec) Validate() error {
	for _, t := range s {
		f := familyOf(t.Name)
		if f == nil {
			return unknownKernel(t.Name)
		}
		for key, v := range t.Params {
			p, err := f.param(key)
			if err != nil {
				return err
			}
			if math.IsInf(v, 0) || !p.ok(v) {
				return fault.Param(key, p.want, v)
			}
		}
	}
	return nil
}

// With returns the spec with the parameter key of every term that has it, and whose
// value is not given, set to v.
func (s Spec) With(key string, v float64) Spec {
	out := slices.Clone(s.terms())
	for i, t := range out {
		if _, given := t.Params[key]; given || !t.Has(key) {
			continue
		}
		out[i].Params = map[string]float64{key: v}
		maps.Copy(out[i].Params, t.Params)
	}
	return out
}

// HasAutomaticWidth reports whether Resolve would take a width from the data.
func (s Spec) HasAutomaticWidth() bool { return slices.ContainsFunc(s.terms(), Term.automatic) }

// terms returns the terms of the spec, those of the zero value spelled out.
func (s Spec) terms() Spec {
	if len(s) == 0 {
		return Spec{{Name: "rbf"}}
	}
	return s
}

func (t Term) automatic() bool {
	w, given := t.Params["width"]
	return t.Has("width") && (!given || w == Auto)
}

// ScaleWidths returns resolved, which is what Resolve made of s, with the widths that s
// leaves to the data times factor.
func (s Spec) ScaleWidths(resolved Spec, factor float64) Spec {
	out := slices.Clone(resolved)
	for i, given := range s.terms() {
		if given.automatic() {
			out[i].Params = maps.Clone(out[i].Params)
			out[i].Params["width"] *= factor
		}
	}
	return out
}

// splitTerms splits at every + that is not the sign of an exponent (1e+05).
func splitTerms(text string) []string {
	var parts []string
	start := 0
	for i := range len(text) {
		exponent := i >= 2 && (text[i-1] == 'e' || text[i-1] == 'E') && text[i-2] >= '0' && text[i-2] <= '9'
		if text[i] == '+' && !exponent {
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

func parseTerm(text string) (Term, error) {
	name, rest, _ := strings.Cut(text, ":")
	if familyOf(name) == nil {
		return Term{}, unknownKernel(name)
	}
	t := Term{Name: name}
	for _, setting := range strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ':' }) {
		key, value, _ := strings.Cut(setting, "=")
		if _, twice := t.Params[strings.TrimSpace(key)]; twice {
			return Term{}, fault.New(fault.Usage, "kernel %s: %s is given twice", name, key)
		}
		if err := t.setText(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return Term{}, err
		}
	}
	return t, nil
}

func unknownKernel(name string) error {
	return fault.Param("kernel", "a sum of "+strings.Join(Names(), ", "), strconv.Quote(name)).
		WithHint("write one kernel, or a sum such as rbf:width=2+poly:degree=3")
}

// Has reports whether the term's kernel has a parameter called key.
func (t Term) Has(key string) bool { return slices.Contains(ParamsOf(t.Name), key) }

// setText gives the parameter key the value that text spells ("auto" for an
// automatic width).
func (t *Term) setText(key, text string) error {
	p, err := familyOf(t.Name).param(key)
	if err != nil {
		return err
	}
	v, err := p.parse(text)
	if err != nil {
		return err
	}
	if t.Params == nil {
		t.Params = map[string]float64{}
	}
	t.Params[key] = v
	return nil
}

func (f *family) param(key string) (param, error) {
	i := slices.IndexFunc(f.params, func(p param) bool { return p.name == key })
	if i < 0 {
		return param{}, fault.New(fault.Usage, "kernel %s has no parameter %q", f.name, key).
			WithHint("its parameters are: %s", cmp.Or(strings.Join(ParamsOf(f.name), ", "), "none"))
	}
	return f.params[i], nil
}

// parse reads and judges a value; only an automatic width may be spelt "auto".
func (p param) parse(text string) (float64, error) {
	if text == "auto" && p.def == Auto {
		return Auto, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v == Auto || math.IsInf(v, 0) || !p.ok(v) {
		return 0, fault.Param(p.name, p.want, strconv.Quote(text))
	}
	return v, nil
}

// ParseParam reads the value of a kernel parameter, whatever the kernel: a number, of a
// width also "auto".
func ParseParam(name, text string) (float64, error) {
	for _, p := range []param{width, degree, offset, slope, dilation, frequency} {
		if p.name == name {
			return p.parse(text)
		}
	}
	return 0, fault.New(fault.Usage, "kernels have no parameter %q", name)
}

// String returns the text form of the spec.
func (s Spec) String() string {
	var terms []string
	for _, t := range s.terms() {
		var settings []any
		for _, key := range ParamsOf(t.Name) {
			if v, ok := t.Params[key]; ok {
				settings = append(settings, key, v)
			}
		}
		terms = append(terms, term(t.Name, settings...))
	}
	return strings.Join(terms, "+")
}

// term writes name:key=value,key=value.
func term(name string, settings ...any) string {
	var b strings.Builder
	b.WriteString(name)
	for i := 0; i < len(settings); i += 2 {
		sep := ","
		if i == 0 {
			sep = ":"
		}
		fmt.Fprintf(&b, "%s%s=%s", sep, settings[i], number(settings[i+1].(float64)))
	}
	return b.String()
}

func number(v float64) string {
	if v == Auto {
		return "auto"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// Resolve returns the kernel for training rows x: an automatic width becomes the
// median of the kernel's own distance (squared Euclidean for rbf and wavelet, L1
// for laplacian, χ² for chi2) over all pairs of rows, distances of 0 left out.
// Above 1,000 rows, 1,000 drawn by seed stand for all. If all rows are equal the
// width is 1. A negative feature for chi2 or additive-chi2 is a fault.Usage
// error. Cost at most 10⁶·n/2 operations for each automatic width.
func (s Spec) Resolve(x blas.Matrix, seed uint64) (Kernel, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var sum Sum
	for _, t := range s.terms() {
		k, err := t.resolve(x, seed)
		if err != nil {
			return nil, err
		}
		sum = append(sum, k)
	}
	if len(sum) == 1 {
		return sum[0], nil
	}
	return sum, nil
}

func (t Term) resolve(x blas.Matrix, seed uint64) (Kernel, error) {
	f := familyOf(t.Name)
	if f.positive {
		if err := mustBePositive(t.Name, x); err != nil {
			return nil, err
		}
	}
	values := make([]float64, len(f.params))
	for i, p := range f.params {
		v, given := t.Params[p.name]
		if !given {
			v = p.def
		}
		if v == Auto {
			v = medianDistance(x, f.distance, seed)
			if math.IsInf(v, 0) {
				return nil, fault.New(fault.NotSolved, "the median distance of the rows overflows").
					WithHint("scale the features")
			}
		}
		values[i] = v
	}
	return f.make(values), nil
}

func mustBePositive(name string, x blas.Matrix) error {
	for i := range x.Rows {
		for j, v := range blas.Row(x, i) {
			if v < 0 {
				return fault.New(fault.Usage, "kernel %s needs features >= 0, but prepared feature %d of row %d is %g",
					name, j+1, i+1, v).WithHint("scale the features to [0, 1] with %s", fault.Set("scale", "minmax"))
			}
		}
	}
	return nil
}

// ResolveWith is Resolve of the sum of the linear kernel and s where linear is true (the
// paper's eq:16), else of s.
func (s Spec) ResolveWith(linear bool, x blas.Matrix, seed uint64) (Kernel, error) {
	k, err := s.Resolve(x, seed)
	if err != nil || !linear {
		return k, err
	}
	return Sum{Linear{}, k}, nil
}

// Kernel returns the kernel of a spec without automatic widths; one that has any
// is a fault.Usage error.
func (s Spec) Kernel() (Kernel, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	for _, t := range s {
		if !t.Has("width") {
			continue
		}
		if w, given := t.Params["width"]; !given || w == Auto {
			return nil, fault.New(fault.Usage, "kernel %s has no width", t.Name)
		}
	}
	if len(s) == 0 {
		return nil, fault.New(fault.Usage, "no kernel")
	}
	return s.Resolve(blas.Matrix{}, 0)
}
