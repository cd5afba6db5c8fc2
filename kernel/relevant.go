package kernel

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/blas"
	"rvflplus/fault"
)

// Relevant is k(r∘x, r∘y): each feature is multiplied by its factor before the kernel. In an rbf kernel of width w
// feature j then has the width w/rⱼ², in a laplacian one w/rⱼ. Features of factor 0 are left out. Kernels of this
// form are known as automatic relevance determination (C. Rasmussen, C. Williams, Gaussian Processes for Machine
// Learning, 2006, section 5.1).
type Relevant struct {
	Kernel Kernel    // one kernel, no sum
	Factor []float64 // r: n numbers ≥ 0, not to be changed
}

// Block implements Kernel.
func (k Relevant) Block(dst, x, y blas.Matrix) { Sum{k}.Block(dst, x, y) }

// Spec implements Kernel.
func (k Relevant) Spec() Spec {
	spec := k.Kernel.Spec()
	for i := range spec {
		spec[i].Relevance = k.Factor
	}
	return spec
}

// String implements Kernel.
func (k Relevant) String() string { return k.Spec().String() }

// scaled returns the rows r∘x, without the features of factor 0.
func scaled(x blas.Matrix, factor []float64) blas.Matrix {
	if len(factor) != x.Cols {
		panic("kernel: dimension mismatch")
	}
	kept := 0
	for _, r := range factor {
		if r != 0 {
			kept++
		}
	}
	out := blas.New(x.Rows, kept)
	for i := range x.Rows {
		scaleRow(blas.Row(out, i), blas.Row(x, i), factor)
	}
	return out
}

// scaleRow sets dst to the features of x times their factors, without those of factor 0, and returns what it filled.
func scaleRow(dst, x, factor []float64) []float64 {
	n := 0
	for j, r := range factor {
		if r != 0 {
			dst[n] = r * x[j]
			n++
		}
	}
	return dst[:n]
}

// CheckFeatures returns a fault.Data error when k, the kernel of a model, has a relevance of another number of features
// than the model's rows have.
func CheckFeatures(k Kernel, features int) error {
	for _, t := range termsOf(k) {
		if r, is := t.(Relevant); is && len(r.Factor) != features {
			return fault.New(fault.Data, "the relevance of kernel %s has %d numbers, the rows have %d features",
				r.Kernel.Spec()[0].Name, len(r.Factor), features)
		}
	}
	return nil
}

// LearnsRelevance reports whether a width and a relevance are still to be learned.
func (s Spec) LearnsRelevance() bool { return slices.ContainsFunc(s, Term.learned) }

// WithoutLearned returns the spec with automatic widths in the terms that learn them.
func (s Spec) WithoutLearned() Spec {
	out := slices.Clone(s)
	for i, t := range out {
		if t.learned() {
			out[i].Params = maps.Clone(t.Params)
			delete(out[i].Params, "width")
		}
	}
	return out
}

// Or returns s, or where s is nil what the other space has: its kernel without the relevance, which is that of other
// features.
func (s Spec) Or(other Spec) Spec {
	if s != nil {
		return s
	}
	out := slices.Clone(other)
	for i := range out {
		out[i].Relevance = nil
	}
	return out
}

// Widths returns the width of each feature of a term that has a relevance r and a number for its width: width/rⱼ of
// kernels of absolute differences, width/rⱼ² of the others, +Inf for features that do not count. It is nil for other
// terms.
func (t Term) Widths() []float64 {
	width := t.Params["width"]
	if t.Relevance == nil || !(width > 0) {
		return nil
	}
	out := make([]float64, len(t.Relevance))
	for j, r := range t.Relevance {
		if !strings.HasSuffix(t.Name, "laplacian") {
			r *= r
		}
		out[j] = width / r
	}
	return out
}

// setRelevance reads the factors r1/r2/….
func (t *Term) setRelevance(text string) error {
	if t.Relevance != nil {
		return fault.New(fault.Usage, "kernel %s: %s is given twice", t.Name, relevance)
	}
	for factor := range strings.SplitSeq(text, "/") {
		v, err := strconv.ParseFloat(strings.TrimSpace(factor), 64)
		if err != nil {
			return badRelevance(strconv.Quote(factor))
		}
		t.Relevance = append(t.Relevance, v)
	}
	return nil
}

// checkRelevance returns a fault.Usage error for a relevance that the term's family does not have, or whose values are
// outside their range.
func (t Term) checkRelevance(f *family) error {
	switch {
	case t.Relevance == nil:
		return nil
	case !f.relevant:
		_, err := f.param(relevance)
		return err
	case t.learned():
		return fault.New(fault.Usage, "kernel %s has a relevance that is given and one to be learned", t.Name).
			WithHint("leave one of them out: %s or %s", relevance, fault.Set("width", relevance))
	case len(t.Relevance) == 0:
		return badRelevance("none")
	}
	for _, v := range t.Relevance {
		if !(v >= 0) || math.IsInf(v, 0) {
			return badRelevance(v)
		}
	}
	return nil
}

func badRelevance(got any) error {
	return fault.Param(relevance, "finite numbers >= 0 with / between them, one for each prepared feature", got)
}
