package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"
)

// result is one row of the table.
type result struct {
	title   string
	threads int
	rival   rival
	flops   float64
	ours    []float64 // seconds of each round
	theirs  []float64
	off     float64 // largest difference between the answers, by the largest number
}

const (
	// A turn lasts about this many seconds, by repeating what is shorter.
	longTurn = 0.3
	// OpenBLAS's threads spin for a moment after their work; the next program
	// should not feel that.
	pause = 150 * time.Millisecond
	// Answers that differ by more are not of the same work.
	tolerance = 1e-8
	peakSteps = 10_000_000
)

// measure runs everything and returns the report.
func measure(ctx context.Context, o options, progress io.Writer) (string, error) {
	var all []result
	var software []string
	for _, threads := range o.threads {
		crew, err := newCrew(ctx, o, threads)
		if err == nil {
			var rows []result
			software = crew.software
			rows, err = crew.measure(o, progress)
			all = append(all, rows...)
		}
		crew.stop()
		if err != nil {
			return "", errors.Join(ctx.Err(), err)
		}
	}
	memory, err := peakMemory(ctx, o)
	return report(o, software, all, memory), err
}

// crew is every program, on the same number of threads.
type crew struct {
	threads  int
	pause    time.Duration // before a turn
	turn     float64       // seconds
	programs map[string]*program
	software []string
}

func newCrew(ctx context.Context, o options, threads int) (*crew, error) {
	c := &crew{threads: threads, pause: pause, turn: longTurn, programs: map[string]*program{}}
	for _, name := range []string{ours, numpy, stock, peak} {
		p, err := start(ctx, name, o.python, threads)
		if err != nil {
			return c, err
		}
		c.programs[name] = p
		about, err := p.ask(request{About: true})
		if err != nil {
			return c, err
		}
		if about.Threads != 0 && about.Threads != threads {
			return c, fmt.Errorf("%s uses %d threads, not %d", name, about.Threads, threads)
		}
		if name == ours || name == numpy {
			c.software = append(c.software, about.About)
		}
	}
	return c, nil
}

func (c *crew) stop() {
	for _, p := range c.programs {
		p.stop()
	}
}

func (c *crew) measure(o options, progress io.Writer) ([]result, error) {
	var all []result
	for _, t := range tasks {
		if !slices.Contains(o.works, t.work) {
			continue
		}
		for _, size := range t.sizesOf(o) {
			rows, err := c.race(t, size, o.rounds)
			if err != nil {
				return nil, err
			}
			for _, r := range rows {
				fmt.Fprintf(progress, "%d threads, %s: %.2f × %s\n", r.threads, r.title, r.best(), r.rival.label)
			}
			all = append(all, rows...)
		}
	}
	return all, nil
}

// race lets ours and the task's rivals take turns.
func (c *crew) race(t task, size, rounds int) ([]result, error) {
	first, err := c.programs[ours].ask(request{Work: t.work, Size: size, Repeat: 1, Answer: true})
	if err != nil {
		return nil, err
	}
	var rows []result
	for _, r := range t.at(size) {
		row := result{title: title(t.title, size), threads: c.threads, rival: r, flops: first.Flops}
		if row.off, err = c.warm(r.program, t.work, size, first.Answer); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	repeat, err := c.repeats(t.work, size)
	for round := 0; round < rounds && err == nil; round++ {
		err = c.round(t.work, size, repeat, rows)
	}
	return rows, err
}

// warm runs the work once at a rival and compares the answer with ours.
func (c *crew) warm(name, work string, size int, answer []float64) (off float64, err error) {
	if name == peak {
		return 0, nil
	}
	r, err := c.programs[name].ask(request{Work: work, Size: size, Repeat: 1, Answer: true})
	if err != nil {
		return 0, err
	}
	if off = difference(answer, r.Answer); !(off <= tolerance) {
		return off, fmt.Errorf("%s of size %d: our answer and that of %s differ by %.2g of the largest number", work,
			size, name, off)
	}
	return off, nil
}

// difference is the largest difference by the largest number; NaN when the answers
// cannot be compared.
func difference(a, b []float64) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return math.NaN()
	}
	var worst, scale float64
	for i, v := range a {
		worst, scale = max(worst, math.Abs(v-b[i])), max(scale, math.Abs(b[i]))
	}
	return worst / scale
}

// repeats is how many of our runs make a turn.
func (c *crew) repeats(work string, size int) (int, error) {
	r, err := c.programs[ours].ask(request{Work: work, Size: size, Repeat: 1})
	return max(1, int(c.turn/max(r.Seconds, 1e-7))), err
}

// round is one turn of each program.
func (c *crew) round(work string, size, repeat int, rows []result) error {
	mine, err := c.seconds(ours, work, size, repeat, 0)
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		theirs, err := c.seconds(row.rival.program, work, size, repeat, row.flops)
		if err != nil {
			return err
		}
		row.ours, row.theirs = append(row.ours, mine), append(row.theirs, theirs)
	}
	return nil
}

// seconds is what one run takes in one turn. The peak's are those it would take for the
// work's operations.
func (c *crew) seconds(name, work string, size, repeat int, flops float64) (float64, error) {
	time.Sleep(c.pause)
	if name != peak {
		r, err := c.programs[name].ask(request{Work: work, Size: size, Repeat: repeat})
		return r.Seconds, err
	}
	r, err := c.programs[peak].ask(request{Work: "peak", Size: peakSteps, Repeat: 3})
	return r.Seconds / r.Flops * flops, err
}
