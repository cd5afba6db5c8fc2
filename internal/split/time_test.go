package split

import (
	"cmp"
	"errors"
	"slices"
	"testing"

	"rvflplus/fault"
)

func by(times ...int) func(a, b int) int {
	return func(a, b int) int { return cmp.Compare(times[a], times[b]) }
}

func TestLaterRowsAreTested(t *testing.T) {
	times := []int{5, 1, 4, 2, 3, 0}
	s, err := ByTime(6, by(times...), Rows(4), Size{})
	if err != nil || !slices.Equal(s.Train, []int{1, 3, 4, 5}) || !slices.Equal(s.Test, []int{0, 2}) {
		t.Errorf("%v, %v", s, err)
	}
	s, err = ByTime(6, by(times...), Rows(2), Rows(3))
	if err != nil || !slices.Equal(s.Train, []int{1, 5}) || !slices.Equal(s.Test, []int{2, 3, 4}) {
		t.Errorf("rows are left: %v, %v", s, err)
	}
}

// Rows of one time are not divided: the cut moves to the nearest change of time.
func TestOneTimeStaysTogether(t *testing.T) {
	times := []int{1, 1, 2, 2, 2, 2, 2, 3}
	for train, want := range map[int]int{1: 2, 3: 2, 4: 2, 5: 7, 6: 7, 7: 7} {
		s, err := ByTime(8, by(times...), Rows(train), Size{})
		if err != nil || len(s.Train) != want || len(s.Test) != 8-want {
			t.Errorf("%d asked for: %v, %v", train, s, err)
		}
	}
	if _, err := ByTime(3, by(7, 7, 7), Rows(1), Size{}); !errors.Is(err, fault.Data) {
		t.Errorf("one time: %v", err)
	}
}

// Every fold is later than the rows its models are trained on, earlier than those after it, and has a share of rows.
func TestForwardFolds(t *testing.T) {
	times := make([]int, 60)
	for i := range times {
		times[i] = (i * 37) % 60 / 2 // pairs of rows have one time
	}
	for _, k := range []int{1, 2, 5, 7} {
		folds, later, err := Forward(60, k, by(times...))
		if err != nil || len(folds) != k || len(later) != k {
			t.Fatalf("%d folds: %v, %v", k, folds, err)
		}
		before := Others(60, slices.Concat(folds[0], later[0]))
		for i, fold := range folds {
			if i > 0 && !isRange(slices.Sorted(slices.Values(slices.Concat(before, fold, later[i]))), 60) {
				t.Errorf("%d folds: fold %d, its past and its future are not all rows", k, i)
			}
			for _, row := range fold {
				latest := slices.MaxFunc(before, by(times...))
				if times[row] <= times[latest] {
					t.Errorf("%d folds: row %d of fold %d is no later than row %d", k, row, i, latest)
				}
			}
			for _, row := range later[i] {
				if latest := slices.MaxFunc(fold, by(times...)); times[row] <= times[latest] {
					t.Errorf("%d folds: row %d after fold %d is no later", k, row, i)
				}
			}
			if n := 60 / (k + 1); len(fold) < n-2 || len(fold) > n+2 {
				t.Errorf("%d folds: fold %d has %d rows", k, i, len(fold))
			}
			before = append(before, fold...)
		}
		if len(later[k-1]) > 0 {
			t.Errorf("%d folds: %d rows after the last", k, len(later[k-1]))
		}
	}
	for _, k := range []int{2, 3} {
		if _, _, err := Forward(4, k, by(1, 1, 2, 2)); !errors.Is(err, fault.Data) {
			t.Errorf("two times, %d folds: %v", k, err)
		}
	}
	if _, _, err := Forward(4, 0, by(1, 2, 3, 4)); !errors.Is(err, fault.Usage) {
		t.Errorf("no folds: %v", err)
	}
}
