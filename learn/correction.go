package learn

import (
	"slices"

	"rvflplus/fault"
)

// Correction names the form in which privileged features enter the closed forms. Paper, Derived and Additive are
// right-hand sides Y − κΩ̃1 with κ = C/γ, −C/γ or 0.
type Correction string

const (
	// Projected is Additive followed by a second regression: what the privileged features explain, g(x̃), is
	// regressed on the normal features and added to f(x). It is the default: unlike the other forms it has no bias
	// where the privileged features depend on the normal ones.
	Projected Correction = "projected"
	// Paper is Y − (C/γ)Ω̃1, as eq:12 and eq17 are printed.
	Paper Correction = "paper"
	// Derived is Y + (C/γ)Ω̃1, the sign that follows from the paper's eq:10.
	Derived Correction = "derived"
	// Additive is Y alone: y = f(x) + g(x̃) + ε with the squared error kept.
	Additive Correction = "additive"
)

// Corrections lists the corrections in the order of help texts.
func Corrections() []Correction { return []Correction{Projected, Additive, Paper, Derived} }

// Validate returns a fault.Usage error for an unknown correction.
func (c Correction) Validate() error {
	if slices.Contains(Corrections(), c) {
		return nil
	}
	return fault.Param("correction", "projected, additive, paper or derived", string(c))
}
