// Package pipeline joins preparation, target coding and an estimator into one
// model over tables: what training, prediction, evaluation and saving work on.
package pipeline

import (
	"slices"
	"strings"

	"rvflplus/fault"
)

// Kind is one kind of model the pipeline can train.
type Kind struct {
	Name    string
	Summary string
	Priv    bool // learns from privileged columns
	Kernel  bool // has kernels instead of random layers
}

var kinds = []Kind{
	{"rvfl", "random vector functional-link network", false, false},
	{"rvfl+", "RVFL with privileged columns", true, false},
	{"krvfl", "kernel RVFL", false, true},
	{"krvfl+", "kernel RVFL with privileged columns", true, true},
}

// Kinds lists the kinds that can be trained.
func Kinds() []Kind { return slices.Clone(kinds) }

// KindByName returns the kind called name, or a fault.Usage error.
func KindByName(name string) (Kind, error) {
	var names []string
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fault.Param("kind", "one of "+strings.Join(names, ", "), name)
}
