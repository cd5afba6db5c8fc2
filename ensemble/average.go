package ensemble

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/learn"
	"rvflplus/rvfl"
)

// average gathers the members of a model and the report of their fits.
type average struct {
	deep        bool
	members     []Member
	leftOut     []Member    // the same nodes, with the weights of the models without each row
	offsets     [][]float64 // of members
	leftOffsets [][]float64 // of leftOut
	sum         *mat.Dense  // of the leave-one-out predictions; nil when a member has none
	report      learn.Report
}

// add takes a trained member with the given enhancement nodes. Its own hidden layer need not be these nodes.
func (a *average) add(nodes rvfl.Layer, m *rvfl.Model, r learn.Report) {
	p := m.Parts()
	a.members, a.offsets = append(a.members, Member{nodes, p.Weight}), append(a.offsets, p.Offset)
	if l, is := r.LeftOut.(*rvfl.Model); is {
		a.leftOut = append(a.leftOut, Member{nodes, l.Parts().Weight})
		a.leftOffsets = append(a.leftOffsets, l.Parts().Offset)
	}
	switch {
	case len(a.members) == 1:
		a.sum = r.LeaveOneOut
	case a.sum != nil && r.LeaveOneOut != nil:
		a.sum.Add(a.sum, r.LeaveOneOut)
	default:
		a.sum = nil
	}
	a.report.Solver, a.report.Size = r.Solver, max(a.report.Size, r.Size)
	for _, note := range r.Notes { // members of one shape have the same notes
		if !slices.ContainsFunc(a.report.Notes, func(n fault.Text) bool { return n.String() == note.String() }) {
			a.report.Notes = append(a.report.Notes, note)
		}
	}
}

// result returns the model and its report. Leave-one-out of the average is the average of the members'
// leave-one-out: the random layers do not depend on the targets, so that a model without a row has the same layers.
func (a *average) result() (learn.Model, learn.Report, error) {
	if a.sum != nil {
		a.sum.Scale(1/float64(len(a.members)), a.sum)
		a.report.LeaveOneOut = a.sum
	}
	if len(a.leftOut) == len(a.members) {
		a.report.LeftOut = &Model{Parts{a.deep, a.leftOut, mean(a.leftOffsets)}}
	}
	m, err := FromParts(Parts{a.deep, a.members, mean(a.offsets)})
	if err != nil {
		return nil, learn.Report{}, err
	}
	return m, a.report, nil
}

// mean returns the mean of vectors.
func mean(vectors [][]float64) []float64 {
	out := make([]float64, len(vectors[0]))
	for _, v := range vectors {
		blas.Axpy(1/float64(len(vectors)), v, out)
	}
	return out
}

// told returns progress whose stages begin with a prefix; nil stays nil.
func told(p learn.Progress, prefix string) learn.Progress {
	if p == nil {
		return nil
	}
	return func(stage string, done, total int) { p(prefix+stage, done, total) }
}
