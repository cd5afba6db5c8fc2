package search

import (
	"fmt"
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/lead"
	"rvflplus/internal/rng"
	"rvflplus/internal/roles"
	"rvflplus/internal/split"
)

// Scheme says which rows are left out together. Its zero value leaves every row out
// alone.
type Scheme struct {
	Folds   int    // ≥ 2; 0 leaves every row (every group) out alone
	Layout  string // see Layouts; default "stratified" for classes, else "random"
	Repeats int    // dealings of the folds, each with other rows; ≥ 1, default 1
	// Groups is the group of each row; rows of a group leave together. nil means none.
	Groups []int
	// Time compares the times of two rows. The folds are then blocks of time, and models are trained on earlier rows
	// alone. nil means that rows have no times.
	Time func(a, b int) int
	Seed uint64 // deals the rows
}

// FoldsInTime is the number of folds of a Scheme with Time where nobody gives another.
const FoldsInTime = 5

// Of returns the scheme with the groups and the times that the columns of d tell.
func (s Scheme) Of(d *roles.Data) (Scheme, error) {
	var err error
	if s.Groups, err = d.Groups(); err != nil || d.Roles.Time < 0 {
		return s, err
	}
	s.Time, err = lead.Times(&d.Columns[d.Roles.Time])
	return s, err
}

// Layouts lists how rows are dealt to folds: at random; at random with the classes
// spread evenly; or in the order of the file, as scikit-learn's KFold does without
// shuffling.
func Layouts() []string { return []string{"random", "stratified", "contiguous"} }

// Make returns the folds of n rows, which have no times, nil for leave-one-out; classes are those of the rows, nil for
// numbers. What does not fit together is a fault.Usage error.
func (s Scheme) Make(n int, classes []int) (heldout.Folds, error) {
	folds, _, err := s.Deal(n, classes)
	return folds, err
}

// Deal is Make for rows that may have times. It then also returns the rows later than each fold, which its models must
// not be trained on; nil without times.
func (s Scheme) Deal(n int, classes []int) (folds heldout.Folds, later [][]int, err error) {
	if err := s.check(classes); err != nil {
		return nil, nil, err
	}
	switch {
	case s.Time != nil:
		return split.Forward(n, s.Folds, s.Time)
	case s.Folds == 0:
		folds, err = s.alone()
	default:
		folds, err = s.dealings(n, classes)
	}
	return folds, nil, err
}

// dealings returns the folds of all repetitions, one after the other.
func (s Scheme) dealings(n int, classes []int) (heldout.Folds, error) {
	seeds := rng.New(s.Seed, "folds")
	var all heldout.Folds
	for range max(1, s.Repeats) {
		folds, err := s.deal(n, classes, seeds.Uint64())
		if err != nil {
			return nil, err
		}
		all = append(all, folds...)
	}
	return all, nil
}

func (s Scheme) check(classes []int) error {
	if s.Time != nil {
		return s.checkInTime()
	}
	switch {
	case s.Layout != "" && !slices.Contains(Layouts(), s.Layout):
		return fault.Param("folds", "one of "+strings.Join(Layouts(), ", "), s.Layout)
	case s.Folds == 0 && (s.Layout != "" || s.Repeats > 1):
		return fault.New(fault.Usage, "leaving every row or group out alone has no layout and no repetitions").
			WithHint("give the number of folds with %s", fault.Name("cv"))
	case s.Layout == "stratified" && classes == nil:
		return fault.New(fault.Usage, "stratified folds need classes, the target is a number")
	case s.Groups != nil && s.Layout != "" && s.Layout != "random":
		return fault.New(fault.Usage, "groups are dealt to folds at random, not %s", s.Layout)
	case s.Layout == "contiguous" && s.Repeats > 1:
		return fault.New(fault.Usage, "contiguous folds are the same in every repetition")
	}
	return nil
}

// checkInTime is check for folds in time.
func (s Scheme) checkInTime() error {
	switch {
	case s.Folds == 0:
		return fault.New(fault.Usage, "rows with times are left out in folds, the later ones, not one by one").
			WithHint("give the number of folds with %s", fault.Name("cv"))
	case s.Groups != nil:
		return fault.New(fault.Usage, "rows leave together by %s or by %s, not by both", fault.Name("group"),
			fault.Name("time"))
	case s.Layout != "" || s.Repeats > 1:
		return fault.New(fault.Usage, "folds in time have no layout and no repetitions: the times tell them").
			WithHint("leave out %s and %s", fault.Name("folds"), fault.Name("repeats"))
	}
	return nil
}

// alone leaves out every group, or nil for every row.
func (s Scheme) alone() (heldout.Folds, error) {
	if s.Groups == nil {
		return nil, nil
	}
	groups := split.Members(s.Groups)
	if len(groups) < 2 {
		return nil, split.FewGroups(len(groups))
	}
	return groups, nil
}

func (s Scheme) deal(n int, classes []int, seed uint64) (heldout.Folds, error) {
	switch {
	case s.Groups != nil:
		return split.Groups(s.Groups, s.Folds, seed)
	case s.Layout == "contiguous":
		return contiguous(n, s.Folds)
	}
	var folds split.Folds
	var err error
	if classes != nil && s.Layout != "random" {
		folds, err = split.StratifiedKFold(classes, s.Folds, seed)
	} else {
		folds, err = split.KFold(n, s.Folds, seed)
	}
	if err != nil {
		return nil, err
	}
	out := make(heldout.Folds, folds.K)
	for row, k := range folds.Of {
		out[k] = append(out[k], row)
	}
	return out, nil
}

// contiguous cuts the rows in order; the first n mod k folds have one more.
func contiguous(n, k int) (heldout.Folds, error) {
	if k < 2 || k > n {
		return nil, fault.Param("the number of folds", "at least 2 and at most the number of rows", k).
			WithHint("there are %d rows", n)
	}
	out, at := make(heldout.Folds, k), 0
	for f := range out {
		size := n / k
		if f < n%k {
			size++
		}
		for range size {
			out[f] = append(out[f], at)
			at++
		}
	}
	return out, nil
}

// String describes the scheme for people.
func (s Scheme) String() string {
	what := "leave-one-out"
	switch {
	case s.Folds == 0 && s.Groups != nil:
		what = "leave-one-group-out"
	case s.Folds > 0:
		what = fmt.Sprintf("%d folds", s.Folds)
		switch {
		case s.Groups != nil:
			what += " of whole groups"
		case s.Time != nil:
			what += " in time, each predicted from earlier rows"
		}
	}
	if s.Repeats > 1 {
		what += fmt.Sprintf(", %d times", s.Repeats)
	}
	return what
}
