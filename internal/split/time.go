package split

import (
	"slices"

	"rvflplus/fault"
)

// ByTime takes the earlier rows for training and later ones for testing; compare tells which of two rows is earlier. A
// size that is zero is the rest. Rows of one time stay together, so that every test row is later than every training
// row: the training part is as near to its size as this allows. Impossible sizes are fault.Usage errors, and rows that
// all have one time a fault.Data error.
func ByTime(n int, compare func(a, b int) int, train, test Size) (Split, error) {
	a, b, err := sizes(n, train, test)
	if err != nil {
		return Split{}, err
	}
	order := InTime(n, compare)
	cut := -1
	for at := 1; at < n; at++ {
		if compare(order[at-1], order[at]) != 0 && (cut < 0 || abs(at-a) < abs(cut-a)) {
			cut = at
		}
	}
	if cut < 0 {
		return Split{}, oneTime()
	}
	end := n
	if a+b < n {
		end = min(n, cut+b)
	}
	return sorted(order[:cut], order[cut:end]), nil
}

func oneTime() error {
	return fault.New(fault.Data, "all rows have the same time: none is later than others").
		WithHint("name another column with %s", fault.Name("time"))
}

// InTime returns the rows below n in the order of time; rows of one time stay in the order of the table.
func InTime(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

// Forward cuts rows into k+1 blocks of time, of about equally many rows, for k folds: fold i is the block i+1, and its
// models are trained on the earlier blocks alone. Rows of one time are in one block. Later lists, for each fold, the
// rows after it. k is at least 1; fewer blocks of different times than k+1 are a fault.Data error.
func Forward(n, k int, compare func(a, b int) int) (folds, later [][]int, err error) {
	if k < 1 {
		return nil, nil, fault.Param("the number of folds in time", "at least 1", k)
	}
	order := InTime(n, compare)
	var cuts []int // where blocks begin, but the first
	times := 1
	for at := 1; at < n; at++ {
		if compare(order[at-1], order[at]) == 0 {
			continue
		}
		times++
		if next := len(cuts) + 1; next <= k && at >= next*n/(k+1) {
			cuts = append(cuts, at)
		}
	}
	if len(cuts) < k {
		return nil, nil, fault.New(fault.Data, "%d rows of %d different times cannot be cut into %d blocks of time", n,
			times, k+1).
			WithHint("ask for fewer folds with %s", fault.Name("cv"))
	}
	for i, from := range cuts {
		end := n
		if i+1 < k {
			end = cuts[i+1]
		}
		folds = append(folds, slices.Sorted(slices.Values(order[from:end])))
		later = append(later, slices.Sorted(slices.Values(order[end:])))
	}
	return folds, later, nil
}
