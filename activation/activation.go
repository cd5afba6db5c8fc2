// Package activation holds the functions G of the enhancement nodes (the paper's
// eq:1), applied in place to slices.
package activation

import (
	"math"
	"slices"
	"strings"

	"rvflplus/blas"
	"rvflplus/fault"
)

// Func is an activation function of one real argument z. Its zero value is the
// sigmoid.
type Func struct {
	name  string
	apply func(z []float64) // in place
}

// all lists every function in the order in which help texts show them.
var all = []struct {
	Func
	formula, values string
}{
	{Func{"sigmoid", blas.Sigmoid}, "1/(1+exp(-z))", "(0, 1)"},
	{Func{"tanh", blas.Tanh}, "tanh(z)", "(-1, 1)"},
	{Func{"sine", each(math.Sin)}, "sin(z)", "[-1, 1]"},
	{Func{"hardlim", each(func(z float64) float64 {
		if z >= 0 {
			return 1
		}
		return 0
	})}, "1 if z >= 0, else 0", "{0, 1}"},
	{Func{"softlim", each(func(z float64) float64 { return min(max(z, 0), 1) })}, "min(max(z, 0), 1)", "[0, 1]"},
	{Func{"tribas", each(func(z float64) float64 { return max(0, 1-math.Abs(z)) })}, "max(0, 1-|z|)", "[0, 1]"},
	{Func{"radbas", func(z []float64) {
		for i, v := range z {
			z[i] = -v * v
		}
		blas.Exp(z)
	}}, "exp(-z²)", "(0, 1]"},
	{Func{"multiquadric", each(func(z float64) float64 { return math.Sqrt(1 + z*z) })}, "sqrt(1+z²)", "[1, ∞)"},
	{Func{"invmultiquadric", each(func(z float64) float64 { return 1 / math.Sqrt(1+z*z) })}, "1/sqrt(1+z²)", "(0, 1]"},
	{Func{"relu", each(func(z float64) float64 { return max(0, z) })}, "max(0, z)", "[0, ∞)"},
}

func each(g func(float64) float64) func([]float64) {
	return func(z []float64) {
		for i, v := range z {
			z[i] = g(v)
		}
	}
}

// ByName returns the function called name; "" means sigmoid. Another name is a
// fault.Usage error that lists the known ones.
func ByName(name string) (Func, error) {
	for _, a := range all {
		if a.name == name || name == "" && a.name == "sigmoid" {
			return a.Func, nil
		}
	}
	return Func{}, fault.Param("activation", "one of "+strings.Join(Names(), ", "), name)
}

// Names lists the names ByName knows.
func Names() []string {
	var names []string
	for _, a := range all {
		names = append(names, a.name)
	}
	return slices.Clip(names)
}

// Formula returns the formula of the function called name and the range of its
// values, for help texts; both are "" for an unknown name.
func Formula(name string) (formula, values string) {
	for _, a := range all {
		if a.name == name {
			return a.formula, a.values
		}
	}
	return "", ""
}

// Name returns the function's name.
func (f Func) Name() string {
	if f.name == "" {
		return "sigmoid"
	}
	return f.name
}

// Apply replaces every element z by G(z).
func (f Func) Apply(z []float64) {
	if f.apply == nil {
		f = all[0].Func
	}
	f.apply(z)
}
