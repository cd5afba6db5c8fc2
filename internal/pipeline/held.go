package pipeline

import (
	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// Notes returns what was decided or left out.
func (p *Prepared) Notes() []fault.Text { return p.t.model.Report.Notes }

// Warnings tells where the data may not be what it seems.
func (p *Prepared) Warnings() []fault.Text { return p.t.model.Report.Warnings }

// Held is rows that models of a Prepared are measured on.
type Held struct {
	X, Priv *mat.Dense // Priv is nil unless all rows trained on have privileged values
	Y       *mat.Dense // the outputs a perfect model has
	truth   truth
}

// Apply prepares the rows of a table as those that the preparation was fitted to. In scores they count by their
// weights, not by those of their classes.
func (p *Prepared) Apply(d *roles.Data) (*Held, error) {
	h, m := new(Held), p.t.model
	var err error
	if h.X, _, err = m.Normal.Apply(d.Pick(d.Roles.Normal), d.Rows); err != nil {
		return nil, err
	}
	if m.Priv != nil && p.t.hasPriv == nil && !p.t.AllowMissingPriv {
		if h.Priv, _, err = m.Priv.Apply(d.Pick(d.Roles.Priv), d.Rows); err != nil {
			return nil, err
		}
	}
	if h.truth, _, err = truthOf(m.Coder, d.Pick(d.Roles.Target), d.Rows); err != nil {
		return nil, err
	}
	if h.truth.weight, err = d.Weights(); err != nil {
		return nil, err
	}
	h.Y = p.t.code(h.truth)
	return h, nil
}

// Truth returns the true classes or numbers of the rows.
func (h *Held) Truth() Truth { return Truth{h.truth} }

// Score compares the outputs of a model, rows × m, with the truth. Outputs that
// overflowed are a fault.Data error.
func (h *Held) Score(outputs *mat.Dense) (Metrics, error) {
	if err := finite(outputs.RawMatrix()); err != nil {
		return Metrics{}, err
	}
	return h.truth.score(outputs, h.Truth().decide)
}

// Describe is Score with all that there is to tell of classes.
func (h *Held) Describe(outputs *mat.Dense) (Metrics, error) {
	if err := finite(outputs.RawMatrix()); err != nil {
		return Metrics{}, err
	}
	return h.truth.describe(outputs, h.Truth().decide, blas.Matrix{})
}

// Classes returns the true and the predicted class of each row, of a classification.
func (h *Held) Classes(outputs *mat.Dense) (known, predicted []string) {
	classes := h.truth.classes()
	return learn.Gather(classes, h.truth.labels), learn.Gather(classes, h.Truth().decide(outputs))
}

// Weight returns what each row counts as in scores, nil for 1 each.
func (h *Held) Weight() []float64 { return h.truth.weight }
