package learn

import (
	"slices"

	"rvflplus/fault"
)

// Correction names the right-hand side that the privileged features give the closed
// forms: Y − κΩ̃1 with κ = C/γ, −C/γ or 0.
type Correction string

const (
	// Paper is Y − (C/γ)Ω̃1, as eq:12 and eq17 are printed.
	Paper Correction = "paper"
	// Derived is Y + (C/γ)Ω̃1, the sign that follows from the paper's eq:10.
	Derived Correction = "derived"
	// Additive is Y alone: y = f(x) + g(x̃) + ε with the squared error kept.
	Additive Correction = "additive"
)

// Corrections lists the corrections in the order of help texts.
func Corrections() []Correction { return []Correction{Paper, Derived, Additive} }

// Validate returns a fault.Usage error for an unknown correction.
func (c Correction) Validate() error {
	if slices.Contains(Corrections(), c) {
		return nil
	}
	return fault.Param("correction", "paper, derived or additive", string(c))
}
