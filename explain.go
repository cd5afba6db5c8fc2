package rvflplus

import (
	"cmp"
	"context"

	"rvflplus/fault"
	"rvflplus/internal/explain"
	"rvflplus/internal/roles"
)

// ExplainOptions say how the worth of columns is measured. The zero value of each field stands for its default.
type ExplainOptions struct {
	// Repeats is the number of permutations of each normal column; default 10.
	Repeats int
	// Seed draws the permutations.
	Seed uint64
	// Training, when not nil, is the table that the model was trained on, with all its columns: the privileged columns
	// are then measured too. The kind must have a leave-one-out in closed form.
	Training *Table
	// Progress, when not nil, is told that done of total columns are done. It is called from one goroutine at a time.
	Progress func(stage string, done, total int)
}

// Explanation tells what columns are worth to a model.
type Explanation struct {
	Normal     Importances
	Privileged *Importances // nil without ExplainOptions.Training
	Notes      []string
}

// Importances tells by how much the mean loss of rows grows without each column.
type Importances struct {
	Rows          int
	Loss          float64 // the mean with all columns
	StandardError float64 // of Loss, over the rows
	// Of says what a loss is: of a normal part 1 for a wrong class, else 0; of a privileged part the squared error of
	// the scores; of numbers the squared error in units of the target's variance.
	Of      string
	Columns []Importance // the largest change first
	// Together is the change without all privileged columns; nil of a single one and of normal columns.
	Together *Importance
}

// Importance is by how much the mean loss grows without a column. Below 0 it falls.
type Importance struct {
	Column        string
	Change        float64
	StandardError float64 // over the rows, whose losses with and without the column are paired
}

// Explain measures what each column is worth. The cells of a normal column go to other rows of t at random, and the
// model predicts; t has the normal and the target columns, and should hold rows that the model was not trained on.
// Privileged columns are left out of training one at a time: models with the settings of m are trained on
// ExplainOptions.Training, and their exact leave-one-out losses compared. A kind that chooses settings itself, such as
// a stack, chooses them anew.
//
// Cost: columns × Repeats predictions of all rows, and a leave-one-out for each privileged column and two more.
func (m *Model) Explain(ctx context.Context, t *Table, o ExplainOptions) (*Explanation, error) {
	targets, err := m.targets(t)
	if err != nil {
		return nil, err
	}
	if o.Repeats < 0 {
		return nil, fault.Param("Repeats", "0 or a whole number >= 1", o.Repeats)
	}
	normal, err := explain.Permute(ctx, m.p.Widened(t.Names()), t.t, targets, explain.Options{
		Repeats: cmp.Or(o.Repeats, 10), Seed: o.Seed, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	out := &Explanation{Normal: importancesOf(normal), Notes: texts(normal.Notes)}
	if o.Training == nil {
		return out, nil
	}
	data, err := roles.Assign(o.Training.t, m.p.Selection())
	if err != nil {
		return nil, err
	}
	priv, err := explain.WithoutPrivileged(ctx, data, explain.SettingsOf(m.p), o.Progress)
	if err != nil {
		return nil, err
	}
	part := importancesOf(priv)
	out.Privileged = &part
	return out, nil
}

func importancesOf(p *explain.Part) Importances {
	out := Importances{Rows: p.Rows, Loss: p.Loss, StandardError: p.SE, Of: p.Of}
	for _, c := range p.Columns {
		out.Columns = append(out.Columns, Importance{c.Name, c.Change, c.SE})
	}
	if p.Together != nil {
		together := Importance{p.Together.Name, p.Together.Change, p.Together.SE}
		out.Together = &together
	}
	return out
}
