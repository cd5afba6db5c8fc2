package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rvflplus/fault"
	"rvflplus/learn"
)

// candidate is a setting of hyper-parameters.
type candidate struct {
	learn.Trainer
	text string
}

// chosen is the candidate with the best accuracy on the validation rows, the first
// of equals, and how all of them did.
type chosen struct {
	candidate
	model            learn.Model
	validation, test float64
	best             float64 // the best accuracy of any candidate on the test rows
	tried, failed    int     // failed: missed the tolerance
}

func choose(ctx context.Context, d digits, all []candidate) (best chosen, err error) {
	for _, c := range all {
		best.tried++
		m, _, err := c.Train(ctx, d.train)
		if errors.Is(err, fault.NotSolved) {
			best.failed++
			continue
		} else if err != nil {
			return best, err
		}
		validation, test := accuracy(m, d.validation), accuracy(m, d.test)
		best.best = max(best.best, test)
		if validation > best.validation {
			best.candidate, best.model, best.validation, best.test = c, m, validation, test
		}
	}
	return best, nil
}

func (c chosen) String() string {
	return fmt.Sprintf("%d | %d | %s | %.2f | %.2f | %.2f |", c.tried, c.failed, c.text, c.validation, c.test, c.best)
}

const heading = "settings | not solved | chosen | validation rows, % | test rows, % | best of all settings on the " +
	"test rows, % |\n"

// decades returns the powers of ten from 10^lo to 10^hi, steps a decade.
func decades(lo, hi, steps int) []float64 {
	var out []float64
	for i := lo * steps; i <= hi*steps; i++ {
		out = append(out, math.Pow(10, float64(i)/float64(steps)))
	}
	return out
}
