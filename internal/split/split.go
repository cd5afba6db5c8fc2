// Package split divides rows into training and test parts: at random, with the
// same mixture of classes in both, in the order of the file, or in folds. Which row goes
// into which part depends on the number of rows, the classes and the seed, never on the
// values of features.
package split

import (
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/rng"
)

// Split holds the numbers (from 0) of the training and test rows, both ascending.
type Split struct {
	Train, Test []int
}

// Tables returns the two parts of t.
func (s Split) Tables(t *dataset.Table) (train, test *dataset.Table) {
	return t.Subset(s.Train), t.Subset(s.Test)
}

// Ordered takes the first rows for training and those after them for testing: for
// tables published in that order. A size that is zero is the rest. Impossible sizes
// are fault.Usage errors.
func Ordered(n int, train, test Size) (Split, error) {
	a, b, err := sizes(n, train, test)
	if err != nil {
		return Split{}, err
	}
	rows := make([]int, a+b)
	for i := range rows {
		rows[i] = i
	}
	return Split{Train: rows[:a:a], Test: rows[a:]}, nil
}

// Shuffled draws the rows of both parts at random from n. A size that is zero is the
// rest. Impossible sizes are fault.Usage errors.
func Shuffled(n int, train, test Size, seed uint64) (Split, error) {
	a, b, err := sizes(n, train, test)
	if err != nil {
		return Split{}, err
	}
	rows := permutation(n, seed)
	return sorted(rows[:a], rows[a:a+b]), nil
}

func permutation(n int, seed uint64) []int { return rng.New(seed, "split").Perm(n) }

func sorted(train, test []int) Split {
	s := Split{Train: slices.Clone(train), Test: slices.Clone(test)}
	slices.Sort(s.Train)
	slices.Sort(s.Test)
	return s
}

// Stratified draws the rows of both parts at random so that every class, given for
// each row, has its exact share of the training part (by largest remainders: less
// than one row from the quota) and of the test part, as far as the rows that are left
// permit. A class with very few rows may be in one part only. Impossible sizes are
// fault.Usage errors.
func Stratified(classes []int, train, test Size, seed uint64) (Split, error) {
	n := len(classes)
	a, b, err := sizes(n, train, test)
	if err != nil {
		return Split{}, err
	}
	groups := group(classes, seed)
	all := make([]int, len(groups))
	for i, g := range groups {
		all[i] = len(g)
	}
	inTrain := apportion(a, n, all, all)
	room := make([]int, len(groups))
	for i := range room {
		room[i] = all[i] - inTrain[i]
	}
	inTest := apportion(b, n, all, room)
	var s Split
	for i, g := range groups {
		s.Train = append(s.Train, g[:inTrain[i]]...)
		s.Test = append(s.Test, g[inTrain[i]:inTrain[i]+inTest[i]]...)
	}
	return sorted(s.Train, s.Test), nil
}

// group returns the rows of each class in random order, by ascending class. The order
// does not depend on how the classes are numbered.
func group(classes []int, seed uint64) [][]int {
	distinct := slices.Clone(classes)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	groups := make([][]int, len(distinct))
	for _, row := range permutation(len(classes), seed) {
		i, _ := slices.BinarySearch(distinct, classes[row])
		groups[i] = append(groups[i], row)
	}
	return groups
}

// apportion deals out seats by largest remainders: group i has a quota of
// seats·size[i]/n, and at most room[i]. Ties go to the first.
func apportion(seats, n int, size, room []int) []int {
	got := make([]int, len(size))
	order := make([]int, len(size))
	for i, s := range size {
		got[i] = min(seats*s/n, room[i])
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return seats*size[j]%n - seats*size[i]%n })
	left := seats
	for _, g := range got {
		left -= g
	}
	for left > 0 {
		for _, i := range order {
			if left > 0 && got[i] < room[i] {
				got[i]++
				left--
			}
		}
	}
	return got
}

// Classes returns the class of each row of a target column, as numbers. A missing
// cell is a fault.Data error.
func Classes(c *dataset.Column) ([]int, error) {
	if i := c.FirstMissing(); i >= 0 {
		return nil, c.MissingError(i, "a row without a class is in no stratum")
	}
	if c.Codes != nil {
		return c.Codes, nil
	}
	if c.Texts != nil {
		return nil, fault.New(fault.Usage, "column %q is not a class", c.Name)
	}
	distinct := slices.Clone(c.Numbers)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	classes := make([]int, len(c.Numbers))
	for i, v := range c.Numbers {
		classes[i], _ = slices.BinarySearch(distinct, v)
	}
	return classes, nil
}
