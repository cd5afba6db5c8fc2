package search

import (
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/rng"
)

// Refit says when the preparation is fitted anew for rows that are left out, on the other rows. Otherwise it, which
// does not use targets, is fitted once on all rows.
type Refit int

const (
	// RefitNever fits it once.
	RefitNever Refit = iota
	// RefitFewRows fits it anew where fewer than 1,000 rows are tuned on, and once where it cannot be fitted without
	// some of them.
	RefitFewRows
	// RefitAlways fits it anew, or the search fails.
	RefitAlways
)

const (
	// fewRows is the number of rows from which on RefitFewRows fits the preparation once: it then hardly depends on a
	// few rows, and every preparation has kernel matrices of its own.
	fewRows = 1000
	// mostOwn is the number of folds of a dealing up to which each fold has a preparation of its own.
	mostOwn = 10
	// fewLeaves is the number of preparations for more folds, and for rows that are left out one by one.
	fewLeaves = 5
)

// leave is what one preparation is fitted without: folds, or rows that leave the models one by one. Rows that are later
// than the fold take no part at all.
type leave struct {
	folds heldout.Folds
	alone []int
	later []int
}

// left returns the rows that leave the preparation.
func (l leave) left() []int { return slices.Concat(append(slices.Clone(l.folds), l.alone, l.later)...) }

// present returns the rows below n that take part: those of subset, nil for all, that are not later.
func (l leave) present(subset []int, n int) []int {
	if l.later == nil {
		return subset
	}
	if subset == nil {
		subset = numbers(0, n)
	}
	return slices.DeleteFunc(slices.Clone(subset), func(i int) bool {
		_, is := slices.BinarySearch(l.later, i)
		return is
	})
}

// unpreparedError is the error of a preparation that cannot be fitted without some rows.
type unpreparedError struct{ cause error }

func (e *unpreparedError) Error() string {
	return "the preparation without rows left out: " + e.cause.Error()
}
func (e *unpreparedError) Unwrap() error { return e.cause }

// setLeaves deals what leaves the models to preparations. Up to ten folds of a dealing have a preparation each; more
// folds, or rows that are left out one by one, are dealt to five at random. Each fold in time, which has the rows later
// than it, has one of its own.
func (t *tuning) setLeaves(rows int, later [][]int) {
	if later != nil {
		t.refits = t.RefitPreparation != RefitNever
		for k, fold := range t.folds {
			t.leaves = append(t.leaves, leave{folds: heldout.Folds{fold}, later: later[k]})
		}
		return
	}
	if t.RefitPreparation == RefitNever || t.RefitPreparation == RefitFewRows && rows >= fewRows {
		return
	}
	t.refits = true
	random := rng.New(t.Seed, "preparations")
	if t.folds == nil {
		t.leaves = make([]leave, min(fewLeaves, rows))
		for k, i := range random.Perm(rows) {
			l := &t.leaves[k%len(t.leaves)]
			l.alone = append(l.alone, i)
		}
		return
	}
	dealings := max(1, t.Scheme.Repeats)
	size := len(t.folds) / dealings
	for d := range dealings {
		leaves, order := make([]leave, size), numbers(0, size)
		if size > mostOwn {
			leaves, order = leaves[:fewLeaves], random.Perm(size)
		}
		for k, f := range order {
			l := &leaves[k%len(leaves)]
			l.folds = append(l.folds, t.folds[d*size+f])
		}
		t.leaves = append(t.leaves, leaves...)
	}
}

// notes tells where rows that are left out took part in the preparation although RefitFewRows may leave them out.
func (t *tuning) notes() []fault.Text {
	if t.RefitPreparation != RefitFewRows || t.leaves != nil || t.Validation != nil {
		return nil
	}
	return []fault.Text{fault.Textf("the preparation was fitted once on all rows, because they are %d or more; %s "+
		"fits it without the rows left out", fewRows, fault.Set("refit-preparation", "true"))}
}
