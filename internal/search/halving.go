package search

import (
	"context"
	"slices"

	"rvflplus/internal/rng"
)

const (
	keepOneOf   = 3  // settings, a round of halving
	fewestRows  = 60 // of the first round
	rowsEachSet = 6  // and for every fold
)

// halve scores all settings on few rows, the best third on three times as many, and so
// on until all rows take part.
func (t *tuning) halve(ctx context.Context) error {
	sizes := t.rounds(t.rowsOfAll())
	alive := numbers(0, len(t.trials))
	work, left := 0, len(alive)
	for range sizes {
		work += left
		left = max(1, left/keepOneOf)
	}
	t.expect(work)
	for _, size := range sizes {
		if err := t.evaluate(ctx, slices.Clone(alive), size); err != nil {
			return err
		}
		slices.SortStableFunc(alive, t.order)
		alive = alive[:max(1, len(alive)/keepOneOf)]
	}
	return nil
}

// order puts better trials first, of equals the earlier.
func (t *tuning) order(a, b int) int {
	switch x, y := t.trials[a].Score, t.trials[b].Score; {
	case t.score.Better(x, y):
		return -1
	case t.score.Better(y, x):
		return 1
	}
	return a - b
}

func (t *tuning) rowsOfAll() int {
	for _, p := range t.prepared {
		return p.Data().Rows
	}
	return 0
}

// rounds returns the rows of each round, 0 for all in the last: as many rounds as leave
// one setting, with enough rows in the first.
func (t *tuning) rounds(n int) []int {
	least := max(fewestRows, rowsEachSet*len(t.folds))
	sizes := []int{0}
	for left, size := len(t.trials)/keepOneOf, n/keepOneOf; left > 0 && size >= least; left, size = left/keepOneOf,
		size/keepOneOf {
		sizes = append([]int{size}, sizes...)
	}
	return sizes
}

// subset returns the first rows of a random order, ascending; nil for all.
func (t *tuning) subset(n, rows int) []int {
	if rows == 0 || rows >= n {
		return nil
	}
	out := rng.New(t.Seed, "halving").Perm(n)[:rows]
	slices.Sort(out)
	return out
}
