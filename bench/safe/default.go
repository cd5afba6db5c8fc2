package main

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
	"rvflplus/internal/split"
	"rvflplus/learn"
)

// testShare is the share of the rows that the default is tested on.
const testShare = 1.0 / 3

// Tables with fewer than fewTested test rows are divided fewSplits times: a row or two decide a single division.
const fewTested, fewSplits = 200, 5

// compareDefault prints a line: what `rvfl train` without flags makes of a table with privileged columns, beside the
// kind without them, tuned, on test rows and on rows left out. The kind is krvfl up to mostKernelRows rows, else rvfl.
// Standard errors are those of the rows of one division, since divisions share rows.
func (s study) compareDefault(ctx context.Context, d source) error {
	divisions := []source{d}
	if d.test == nil {
		divisions = nil
		for k := uint64(0); k == 0 || k < fewSplits && divisions[0].test.Rows < fewTested; k++ {
			seed := s.config.Seed + 1 + k
			parts, err := split.Shuffled(d.train.Rows, split.Share(1-testShare), split.Share(testShare), seed)
			if err != nil {
				return err
			}
			one := d
			one.train, one.test = parts.Tables(d.train)
			divisions = append(divisions, one)
		}
	}
	plain, _ := kind.ByName("krvfl")
	if divisions[0].train.Rows > mostKernelRows {
		plain, _ = kind.ByName("rvfl")
	}
	stack, base := kind.ForAuto(nil, true, true)
	var losses, differences []float64
	var leftOut float64
	for _, d := range divisions {
		without, _, err := s.chosen(ctx, d, plain, "")
		if err != nil {
			return err
		}
		with, outcome, err := s.chosen(ctx, d, stack, base)
		if err != nil {
			return err
		}
		for i := range with {
			losses, differences = append(losses, without[i]), append(differences, with[i]-without[i])
		}
		leftOut += worseLeftOut(outcome) / float64(len(divisions))
	}
	loss, own := mean(losses)
	more, paired := mean(differences)
	rows := math.Sqrt(float64(len(divisions)))
	own, paired = own*rows, paired*rows
	fmt.Printf("| %s | %d | %s | %.4f | %.4f | %.4f | %+.2f | %+.2f | %+.2f |\n", d.name, divisions[0].train.Rows,
		plain.Name, loss, own, loss+more, more/cmp.Or(own, 1), more/cmp.Or(paired, 1), leftOut)
	return nil
}

// worseLeftOut returns the loss of rows left out of what was kept less that of the tuned model without privileged
// columns, in standard errors of the latter.
func worseLeftOut(outcome *learn.Outcome) float64 {
	var tuned, kept learn.Candidate
	for _, c := range outcome.Candidates {
		if c.Name == "tuned" {
			tuned = c
		}
		if c.Name == outcome.Chosen {
			kept = c
		}
	}
	return (kept.Loss - tuned.Loss) / cmp.Or(tuned.SE, 1)
}

// chosen trains a kind whose hyper-parameters are free and returns the losses of the test rows.
func (s study) chosen(ctx context.Context, d source, k kind.Kind, base string) ([]float64, *learn.Outcome, error) {
	data, err := roles.Assign(d.train, d.selection)
	if err != nil {
		return nil, nil, err
	}
	c := s.config
	c.Kind, c.Task, c.Base = k.Name, d.task, cmp.Or(base, param.Default().Base)
	c.Free = k.FreeOf(s.held, k.Complete(c))
	m, err := search.Train(ctx, data, c, pipeline.Options{LeaveOneOut: learn.WhenCheap})
	if err != nil {
		return nil, nil, err
	}
	fresh, err := roles.Assign(d.test, d.selection)
	if err != nil {
		return nil, nil, err
	}
	p, err := m.Predict(ctx, fresh.Table, nil)
	if err != nil {
		return nil, nil, err
	}
	losses, err := m.Losses(fresh.Table, fresh.Pick(fresh.Roles.Target), p)
	return losses, m.Report.Outcome, err
}
