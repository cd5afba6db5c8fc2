package split

import (
	"math"
	"strconv"
	"strings"

	"rvflplus/fault"
)

// Size is a number of rows, a share of them, or, if zero, the rest.
type Size struct {
	kind  kind
	rows  int
	share float64
}

type kind int

const (
	rest kind = iota
	count
	share
)

// Rows is the size of n rows. Where it is used, n < 1 is refused.
func Rows(n int) Size { return Size{kind: count, rows: n} }

// Share is the size of a share of the rows, rounded to the nearest number. Where it
// is used, f outside (0, 1) is refused.
func Share(f float64) Size { return Size{kind: share, share: f} }

// ParseSize reads a count of rows ("100"), a share ("0.7", "70%") or "" for the
// rest. Anything else is a fault.Usage error.
func ParseSize(text string) (Size, error) {
	if text == "" {
		return Size{}, nil
	}
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return Rows(n), nil
	}
	number, percent := strings.CutSuffix(text, "%")
	f, err := strconv.ParseFloat(number, 64)
	if percent {
		f /= 100
	}
	if err != nil || !(f > 0 && f < 1) {
		return Size{}, badSize(strconv.Quote(text))
	}
	return Share(f), nil
}

func badSize(got any) error {
	return fault.Param("the size of a split", "a number of rows >= 1, a share between 0 and 1, or a percentage", got)
}

func (s Size) check() error {
	switch {
	case s.kind == count && s.rows < 1:
		return badSize(s.rows)
	case s.kind == share && !(s.share > 0 && s.share < 1):
		return badSize(s.share)
	}
	return nil
}

func (s Size) of(n int) int {
	if s.kind == share {
		return int(math.Round(s.share * float64(n)))
	}
	return s.rows
}

// sizes returns how many of n rows are for training and for testing.
func sizes(n int, train, test Size) (a, b int, err error) {
	for _, s := range []Size{train, test} {
		if err := s.check(); err != nil {
			return 0, 0, err
		}
	}
	a, b = train.of(n), test.of(n)
	switch {
	case train.kind == rest && test.kind == rest:
		return 0, 0, fault.New(fault.Usage, "the size of neither the training nor the test part is given")
	case train.kind == rest:
		a = n - b
	case test.kind == rest:
		b = n - a
	case train.kind == share && test.kind == share: // 70 % and 30 % of 5 rows are 4 and 1
		b = Share(train.share+test.share).of(n) - a
	}
	if a < 1 || b < 1 || a+b > n {
		return 0, 0, fault.New(fault.Usage, "%d rows cannot be split into %d for training and %d for testing", n, a, b).
			WithHint("each part needs at least one row, both together have at most %d", n)
	}
	return a, b, nil
}
