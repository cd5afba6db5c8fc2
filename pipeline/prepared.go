package pipeline

import (
	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/learn"
	"rvflplus/target"
)

// Prepared is a table turned into numbers, and the preparation that did it.
type Prepared struct {
	Problem  learn.Problem // X, Priv (nil without privileged columns), HasPriv, Y and Weight
	Coder    *target.Coder
	Notes    []string // what was decided or left out
	Warnings []string // the data may not be what it seems
	model    *Model
}

// Prepare fits the preparation of c to a table with roles, as Train does.
func Prepare(d *dataset.Data, c Config) (*Prepared, error) {
	c = c.WithDefaults()
	if err := c.Validate(); err != nil {
		return nil, err
	}
	kind, err := KindByName(c.Kind)
	if err != nil {
		return nil, err
	}
	t := &training{Config: c, kind: kind}
	if err := t.load(d); err != nil {
		return nil, err
	}
	m := t.model
	p := learn.Problem{X: t.x, Priv: t.priv, HasPriv: t.hasPriv, Y: m.Coder.Code(t.truth.labels, t.truth.y), Weight: t.weights}
	return &Prepared{Problem: p, Coder: m.Coder, Notes: m.Report.Notes, Warnings: m.Report.Warnings, model: m}, nil
}

// Held is what models are measured on: rows that were prepared but not fitted.
type Held struct {
	X, Priv *mat.Dense // Priv is nil when a row lacks privileged values
	truth   truth
}

// Apply prepares the rows of a table as those that the preparation was fitted to.
func (p *Prepared) Apply(d *dataset.Data) (*Held, error) {
	h := new(Held)
	var err error
	if h.X, _, err = p.model.Normal.Apply(d.Pick(d.Roles.Normal), d.Rows); err != nil {
		return nil, err
	}
	if p.model.Priv != nil && p.Problem.HasPriv == nil {
		if h.Priv, _, err = p.model.Priv.Apply(d.Pick(d.Roles.Priv), d.Rows); err != nil {
			return nil, err
		}
	}
	h.truth, _, err = truthOf(p.Coder, d.Pick(d.Roles.Target), d.Rows)
	return h, err
}

// Score compares the outputs of a model, rows × m, with the truth.
func (h *Held) Score(outputs *mat.Dense) (Metrics, error) {
	if err := finite(outputs.RawMatrix()); err != nil {
		return Metrics{}, err
	}
	return h.truth.score(outputs)
}

// Trainer returns the estimator of c, whose kind must be known, for a task.
func (c Config) Trainer(task target.Task) (learn.Trainer, error) {
	kind, err := KindByName(c.WithDefaults().Kind)
	if err != nil {
		return nil, err
	}
	return c.trainer(kind.Kernel, task == target.Classification), nil
}
