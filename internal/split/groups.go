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

// Grouped draws whole groups of rows at random for both parts, so that no group is in both. The sizes are met as nearly
// as this order of the groups allows: a group joins the training part where that brings its number of rows nearer to
// the wanted one; the others are for testing, as many as make its size, or all where that is the rest. Each part has
// one group at least. Fewer than two groups and impossible sizes are fault.Usage errors.
func Grouped(of []int, train, test Size, seed uint64) (Split, error) {
	n := len(of)
	a, b, err := sizes(n, train, test)
	if err != nil {
		return Split{}, err
	}
	groups := Members(of)
	if len(groups) < 2 {
		return Split{}, FewGroups(len(groups))
	}
	rng.New(seed, "groups").Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	first, others := nearest(groups, a, len(groups)-1)
	second := others
	if a+b < n {
		second, _ = nearest(others, b, len(others))
	}
	return sorted(slices.Concat(first...), slices.Concat(second...)), nil
}

// nearest takes groups, one at least and at most so many, while each brings the number of rows nearer to the wanted
// one.
func nearest(groups [][]int, wanted, most int) (taken, others [][]int) {
	rows := 0
	for _, g := range groups {
		if with := rows + len(g); len(taken) < most && abs(with-wanted) < abs(rows-wanted) {
			taken, rows = append(taken, g), with
		} else {
			others = append(others, g)
		}
	}
	if taken == nil { // each has more than twice as many
		least := 0
		for k, g := range others {
			if len(g) < len(others[least]) {
				least = k
			}
		}
		return others[least : least+1 : least+1], slices.Concat(others[:least], others[least+1:])
	}
	return taken, others
}

func abs(n int) int { return max(n, -n) }

// FewGroups is the error for too few groups.
func FewGroups(have int) error {
	return fault.New(fault.Usage, "leaving groups out needs at least as many as there are folds, and two; there are %d",
		have)
}
