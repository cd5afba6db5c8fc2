package repro

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// pair is what one cell has over another in the trials that both have. Both have the same split in a trial, so the
// differences spread less than the values.
type pair struct {
	Mean   float64 // of the differences; NaN without trials
	SE     float64 // standard error of the mean; NaN for fewer than two trials
	Trials int     // that both have
	// Side is 1 where the mean is greater than 0 by more than two standard errors, -1 where it is less by more, else 0.
	Side int
}

// rounding is a share of the values compared: a mean difference that is not greater is that of equal models.
const rounding = 1e-8

// compared returns what a has over b. One trial has no standard error and takes no side. Differences without spread
// have the standard error 0: a mean that is more than rounding then takes a side, and equal cells take none.
func compared(a, b *Cell) pair {
	d, largest := new(Cell), 0.0
	for i := range min(len(a.Trials), len(b.Trials)) {
		x, y := a.Trials[i].Value, b.Trials[i].Value
		d.Trials = append(d.Trials, Trial{Value: x - y})
		largest = max(largest, math.Abs(x), math.Abs(y))
	}
	n := len(d.Trials)
	p := pair{Mean: d.Mean(), SE: d.SD() / math.Sqrt(float64(n)), Trials: n}
	if n > 1 && math.Abs(p.Mean) > max(manyErrors(n)*p.SE, rounding*largest) {
		p.Side = int(math.Copysign(1, p.Mean))
	}
	return p
}

// tally holds the names of data sets by side: 1, 0 or -1.
type tally map[int][]string

func (t tally) count() int { return len(t[1]) + len(t[0]) + len(t[-1]) }

// amount writes the number of data sets, and their names if they are few.
func amount(names []string) string {
	text := strconv.Itoa(len(names))
	if len(names) > 0 && len(names) <= 4 {
		text += " (" + strings.Join(names, "; ") + ")"
	}
	return text
}

// contest is how one method does against another on several data sets.
type contest struct {
	sides  tally   // of the data sets with two trials or more that both have
	sum    float64 // of the mean differences
	sets   int     // with a trial that both have
	trials int
}

// add notes a pair on a data set. greater tells whether greater values are better.
func (c *contest) add(name string, p pair, greater bool) {
	if p.Trials == 0 {
		return
	}
	c.sum, c.sets, c.trials = c.sum+p.Mean, c.sets+1, c.trials+p.Trials
	if p.Trials < 2 {
		return
	}
	if c.sides == nil {
		c.sides = tally{}
	}
	side := p.Side
	if !greater {
		side = -side
	}
	c.sides[side] = append(c.sides[side], name)
}

// counts says on how many data sets the method is better and worse. set is what they are called.
func (c *contest) counts(set string) string {
	return fmt.Sprintf("better by more than two standard errors on %s, worse on %s of %s",
		amount(c.sides[1]), amount(c.sides[-1]), plural(c.sides.count(), set))
}

// average is the mean over data sets of the mean difference, in points.
func (c *contest) average(digits int, set, trial string) string {
	return fmt.Sprintf("on average %+.*f points (%s, %s)", digits, c.sum/float64(c.sets), plural(c.sets, set),
		plural(c.trials, trial))
}
