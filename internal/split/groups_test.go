package split

import (
	"errors"
	"slices"
	"testing"

	"rvflplus/fault"
)

func TestGroupedSplit(t *testing.T) {
	groups := []int{4, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 0}
	of := func(rows []int) map[int]bool {
		set := map[int]bool{}
		for _, i := range rows {
			set[groups[i]] = true
		}
		return set
	}
	for seed := range uint64(50) {
		for _, train := range []int{1, 6, 8, 11} {
			s, err := Grouped(groups, Rows(train), Size{}, seed)
			if err != nil || !isRange(all(s), 12) || len(s.Train) == 0 || len(s.Test) == 0 {
				t.Fatalf("%d rows: %v, %v", train, s, err)
			}
			for g := range of(s.Train) {
				if of(s.Test)[g] {
					t.Fatalf("group %d is in both parts: %v", g, s)
				}
			}
			// No group has more than 4 rows: the nearest number is at most 2 away, unless a group must be left to test.
			if d := abs(len(s.Train) - train); d > 2 && train < 11 || d > 4 {
				t.Errorf("%d rows asked for, %d taken", train, len(s.Train))
			}
		}
		s, err := Grouped(groups, Rows(4), Rows(4), seed)
		if err != nil || abs(len(s.Train)-4) > 2 || abs(len(s.Test)-4) > 2 || len(s.Train)+len(s.Test) > 12 {
			t.Errorf("4 and 4 rows: %v, %v", s, err)
		}
	}
	drawn := func(seed uint64) []int { s, _ := Grouped(groups, Rows(6), Size{}, seed); return s.Train }
	same := func(seed uint64) bool { return slices.Equal(drawn(seed), drawn(1)) }
	if !same(1) || same(2) && same(3) && same(4) && same(5) {
		t.Error("the split is not that of the seed")
	}
	if s, err := Grouped([]int{1, 1, 1, 1, 2, 2, 2, 2, 2}, Rows(1), Size{}, 3); err != nil || len(s.Train) != 4 {
		t.Errorf("all groups are too large: %v, %v", s, err)
	}
	if _, err := Grouped([]int{1, 1, 1}, Rows(1), Size{}, 3); !errors.Is(err, fault.Usage) {
		t.Errorf("one group: %v", err)
	}
}
