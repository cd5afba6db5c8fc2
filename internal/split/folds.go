package split

import "rvflplus/fault"

// Folds assigns each row to one of K folds.
type Folds struct {
	K  int
	Of []int // fold of each row, 0 … K-1
}

// KFold deals n rows out to k folds at random; their sizes differ by at most one. k
// is 2 to n, else the error is fault.Usage.
func KFold(n, k int, seed uint64) (Folds, error) {
	return deal(n, k, [][]int{permutation(n, seed)})
}

// StratifiedKFold deals the rows, whose classes are given, out to k folds at random.
// The sizes of the folds differ by at most one row, and so do their numbers of rows
// of each class. A class with fewer than k rows is missing in some folds. k is 2 to
// the number of rows, else the error is fault.Usage.
func StratifiedKFold(classes []int, k int, seed uint64) (Folds, error) {
	return deal(len(classes), k, group(classes, seed))
}

// deal goes round the folds, class after class.
func deal(n, k int, groups [][]int) (Folds, error) {
	if k < 2 || k > n {
		return Folds{}, fault.Param("the number of folds", "at least 2 and at most the number of rows", k).
			WithHint("there are %d rows", n)
	}
	f := Folds{K: k, Of: make([]int, n)}
	next := 0
	for _, rows := range groups {
		for _, row := range rows {
			f.Of[row] = next
			next = (next + 1) % k
		}
	}
	return f, nil
}

// Split returns fold i as the test part and all others as the training part.
func (f Folds) Split(i int) Split {
	var s Split
	for row, fold := range f.Of {
		if fold == i {
			s.Test = append(s.Test, row)
		} else {
			s.Train = append(s.Train, row)
		}
	}
	return s
}

// Others returns the rows below n that are not among the given ones, in order.
func Others(n int, rows []int) []int {
	left := make([]bool, n)
	for _, i := range rows {
		left[i] = true
	}
	var rest []int
	for i, out := range left {
		if !out {
			rest = append(rest, i)
		}
	}
	return rest
}
