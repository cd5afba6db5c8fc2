package split

import (
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/rng"
)

// Members returns the rows of each group, groups in the order of their first row.
func Members(of []int) [][]int {
	var groups [][]int
	at := map[int]int{}
	for row, g := range of {
		k, known := at[g]
		if !known {
			k = len(groups)
			at[g], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], row)
	}
	return groups
}

// Groups deals whole groups of rows to k folds: the largest group first and equals in random order, each to the fold
// with the fewest rows. The rows of a fold ascend. Fewer groups than folds, or fewer than two folds, are a fault.Usage
// error.
func Groups(of []int, k int, seed uint64) ([][]int, error) {
	groups := Members(of)
	if k < 2 || len(groups) < k {
		return nil, FewGroups(len(groups))
	}
	rng.New(seed, "groups").Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	slices.SortStableFunc(groups, func(a, b []int) int { return len(b) - len(a) })
	out := make([][]int, k)
	for _, g := range groups {
		least := 0
		for k := range out {
			if len(out[k]) < len(out[least]) {
				least = k
			}
		}
		out[least] = append(out[least], g...)
	}
	for _, fold := range out {
		slices.Sort(fold)
	}
	return out, nil
}

// FewGroups is the error for too few groups.
func FewGroups(have int) error {
	return fault.New(fault.Usage, "leaving groups out needs at least as many as there are folds, and two; there are %d",
		have)
}
