package pipeline

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rvflplus/internal/relevance"
	"rvflplus/internal/target"
	"rvflplus/kernel"
)

// ColumnShare is how much of a model's answers a normal column makes; see relevance.Shares.
type ColumnShare struct {
	Name  string  `json:"column"`
	Share float64 `json:"share"` // 0 … 1
}

// tellColumns measures how much each normal column counts, where the kind learns so.
func (t *training) tellColumns(ctx context.Context) error {
	m := t.model
	if !t.kind.TellsColumns(m.Estimator) {
		return nil
	}
	s := relevance.Shares{
		Model: m.Estimator, X: t.x, Columns: m.Normal.Sources(), Scale: t.outputScale(), Support: m.Report.SystemSize,
		Seed: t.Seed, Progress: t.options.Progress,
	}
	if s.Rows() == 0 {
		t.note("which columns count was not measured: %d columns of %d rows are too many", len(m.Schema.Normal),
			m.Report.SystemSize)
		return nil
	}
	shares, err := s.Measure(ctx)
	if err != nil || shares == nil {
		return err
	}
	for j, share := range shares {
		m.Report.Columns = append(m.Report.Columns, ColumnShare{m.Schema.Normal[j].Name, share})
	}
	slices.SortStableFunc(m.Report.Columns, func(a, b ColumnShare) int { return cmp.Compare(b.Share, a.Share) })
	return nil
}

// outputScale returns the factors that differences of outputs are multiplied by. Outputs of a regression count in units
// of the standard deviation of their target, codes of classes as they are.
func (t *training) outputScale() []float64 {
	scale := slices.Repeat([]float64{1}, t.model.Coder.Outputs())
	if t.model.Coder.Task == target.Classification {
		return scale
	}
	y := t.model.Coder.Code(t.truth.labels, t.truth.y)
	for o := range scale {
		if sd := stat.PopStdDev(mat.Col(nil, o, y), nil); sd > 0 {
			scale[o] = 1 / sd
		}
	}
	return scale
}

// ColumnsThatCount returns the columns with the largest shares: as many as make 90 % together, but at most five.
func (r Report) ColumnsThatCount() []ColumnShare {
	const most, enough = 5, 0.9
	var sum float64
	for k, c := range r.Columns {
		if k == most || sum >= enough {
			return r.Columns[:k]
		}
		sum += c.Share
	}
	return r.Columns
}

// LargestColumns returns the columns with the largest shares, at most the given number, and what the others make
// together.
func (r Report) LargestColumns(most int) (largest []ColumnShare, rest float64) {
	largest = r.Columns[:min(most, len(r.Columns))]
	for _, c := range r.Columns[len(largest):] {
		rest += c.Share
	}
	return largest, rest
}

// ColumnWidths returns the width of each normal column in a kernel term of the model that has a relevance: of a column
// of categories, whose features may differ, the least. A column that the term leaves out has the width +Inf.
func (m *Model) ColumnWidths(t kernel.Term) map[string]float64 {
	widths, of := map[string]float64{}, m.Normal.Sources()
	for j, w := range t.Widths() {
		name := m.Schema.Normal[of[j]].Name
		if least, known := widths[name]; !known || w < least {
			widths[name] = w
		}
	}
	return widths
}
