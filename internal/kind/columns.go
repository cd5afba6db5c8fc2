package kind

import (
	"slices"

	"rvflplus/internal/lupi"
	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
)

// TellsColumns reports whether training tells how much each normal column counts in a model: where widths of columns
// are learned or given, and for mixtures of ridge regressions on kernels, which try such widths.
func (k Kind) TellsColumns(m learn.Model) bool {
	own, is := k.Estimator.(method)
	return len(RelevantTerms(m)) > 0 || is && own.mixes() && len(kernelModels(m)) > 0
}

// RelevantTerms lists the kernels on the normal features of a model that have a relevance, each once.
func RelevantTerms(m learn.Model) []kernel.Term {
	var terms []kernel.Term
	var seen []string
	features, _ := m.Dims()
	for _, part := range kernelModels(m) {
		for _, t := range part.Parts().Terms {
			for _, term := range t.Kernel.Spec() {
				text := kernel.Spec{term}.String()
				if len(term.Relevance) == features && !slices.Contains(seen, text) {
					terms, seen = append(terms, term), append(seen, text)
				}
			}
		}
	}
	return terms
}

// kernelModels lists the models on kernels that a model is a sum of. The stages of a transfer are not among them: the
// second one's features are other than the normal ones.
func kernelModels(m learn.Model) []*krvfl.Model {
	switch m := m.(type) {
	case *krvfl.Model:
		return []*krvfl.Model{m}
	case *lupi.Sum:
		var all []*krvfl.Model
		for _, part := range m.Parts() {
			all = append(all, kernelModels(part)...)
		}
		return all
	}
	return nil
}
