package kernel

import (
	"cmp"
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
//	rbf:width=2,relevance=1/0.5/0              a factor for each of three features
//	rbf:width=relevance                        width and relevance to be learned
//
// The zero value describes rbf with an automatic width.
type Spec []Term

// Term is one summand of a Spec.
type Term struct {
	Name   string
	Params map[string]float64 // what was given; Auto stands for an automatic width, Learned for a learned one
	// Relevance holds a finite factor ≥ 0 for each of the n prepared features, which features are multiplied by
	// before the kernel; nil means 1 each. A feature of factor 0 does not count. See Relevant. Kernels rbf, wavelet,
	// laplacian, additive-rbf and additive-laplacian have it.
	Relevance []float64
}

// Values of a width that stand for what is no number yet.
const (
	Auto    = -1 // Resolve computes the width from the rows
	Learned = -2 // width and relevance are learned from the targets, before Resolve
)

const relevance = "relevance" // in the text of a term

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
				return fault.Param(key, p.want, cmp.Or(widthWords[v], number(v)))
			}
		}
		if err := t.checkRelevance(f); err != nil {
			return err
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

func (t Term) learned() bool { return t.Params["width"] == Learned }

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
	return t, t.checkRelevance(familyOf(name))
}

// Has reports whether the term's kernel has a parameter called key.
func (t Term) Has(key string) bool { return slices.Contains(ParamsOf(t.Name), key) }

// setText gives the parameter key the value that text spells.
func (t *Term) setText(key, text string) error {
	if key == relevance {
		return t.setRelevance(text)
	}
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

// ParseParam reads the value of a kernel parameter, whatever the kernel: a number, of a
// width also "auto" and "relevance".
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
		terms = append(terms, t.text())
	}
	return strings.Join(terms, "+")
}

// text writes name:key=value,key=value.
func (t Term) text() string {
	var settings []string
	for _, key := range ParamsOf(t.Name) {
		if v, ok := t.Params[key]; ok {
			settings = append(settings, key+"="+cmp.Or(widthWords[v], number(v)))
		}
	}
	if t.Relevance != nil {
		var factors []string
		for _, r := range t.Relevance {
			factors = append(factors, number(r))
		}
		settings = append(settings, relevance+"="+strings.Join(factors, "/"))
	}
	if settings == nil {
		return t.Name
	}
	return t.Name + ":" + strings.Join(settings, ",")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Resolve returns the kernel for training rows x: an automatic width becomes the
// median of the kernel's own distance (squared Euclidean for rbf and wavelet, L1
// for laplacian, χ² for chi2) over all pairs of rows, distances of 0 left out.
// Above 1,000 rows, 1,000 drawn by seed stand for all. Of additive-rbf and
// additive-laplacian it is the median over pairs and features of the distance in one
// feature; above 1,000/√n rows (at least 10) that many are drawn. If all rows are equal
// the width is 1. A negative feature for chi2 or additive-chi2 is a fault.Usage
// error, and so is a relevance of another number of features than x has, or one that
// is still to be learned. The distances of a term with relevance are those of the rows
// times it. Cost at most 10⁶·n/2 operations for each automatic width.
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
	if t.learned() {
		return nil, fault.New(fault.Usage, "%s is learned from the targets, which is not done here",
			fault.Set("width", relevance)).
			WithHint("use kind krvfl, krvfl+ or a method that chooses its settings, or give a number or %s",
				fault.Set("width", "auto"))
	}
	if t.Relevance != nil && x.Rows > 0 {
		if len(t.Relevance) != x.Cols {
			return nil, fault.New(fault.Usage,
				"the relevance of kernel %s has %d numbers, the rows have %d prepared features",
				t.Name, len(t.Relevance), x.Cols).
				WithHint("give one number for each prepared feature; a column of K categories is K of them")
		}
		x = scaled(x, t.Relevance)
	}
	values := make([]float64, len(f.params))
	for i, p := range f.params {
		v, given := t.Params[p.name]
		if !given {
			v = p.def
		}
		if v == Auto {
			v = f.automatic(x, seed)
			if math.IsInf(v, 0) {
				return nil, fault.New(fault.NotSolved, "the median distance of the rows overflows").
					WithHint("scale the features")
			}
		}
		values[i] = v
	}
	k := f.make(values)
	if t.Relevance != nil {
		k = Relevant{k, slices.Clone(t.Relevance)}
	}
	return k, nil
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
// is a fault.Usage error. CheckFeatures tells whether it fits rows.
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
