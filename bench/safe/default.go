package main

import (
	"cmp"
	"context"
	"fmt"

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

// compareDefault prints a line: what `rvfl train` without flags makes of a table with privileged columns, beside the
// kind without them, tuned, on test rows and on rows left out. The kind is krvfl up to mostKernelRows rows, else rvfl.
func (s study) compareDefault(ctx context.Context, d source) error {
	if d.test == nil {
		parts, err := split.Shuffled(d.train.Rows, split.Share(1-testShare), split.Share(testShare), s.config.Seed+1)
		if err != nil {
			return err
		}
		d.train, d.test = parts.Tables(d.train)
	}
	plain, _ := kind.ByName("krvfl")
	if d.train.Rows > mostKernelRows {
		plain, _ = kind.ByName("rvfl")
	}
	stack, base := kind.ForAuto(nil, true, true)
	without, _, err := s.chosen(ctx, d, plain, "")
	if err != nil {
		return err
	}
	with, outcome, err := s.chosen(ctx, d, stack, base)
	if err != nil {
		return err
	}
	difference := make([]float64, len(with))
	for i := range with {
		difference[i] = with[i] - without[i]
	}
	loss, own := mean(without)
	more, paired := mean(difference)
	var tuned, kept learn.Candidate
	for _, c := range outcome.Candidates {
		if c.Name == "tuned" {
			tuned = c
		}
		if c.Name == outcome.Chosen {
			kept = c
		}
	}
	fmt.Printf("| %s | %d | %s | %.4f | %.4f | %.4f | %+.2f | %+.2f | %+.2f |\n", d.name, d.train.Rows, plain.Name,
		loss, own, loss+more, more/cmp.Or(own, 1), more/cmp.Or(paired, 1), (kept.Loss-tuned.Loss)/cmp.Or(tuned.SE, 1))
	return nil
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
