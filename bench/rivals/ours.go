package main

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"rvflplus/dataset"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
	"rvflplus/internal/workload"
	"rvflplus/learn"
)

const (
	auto  = "auto"  // what "rvfl train" makes of a table without flags
	plain = "krvfl" // the KRVFL whose C and width leave-one-out chooses, on standardised columns
)

// ours are the methods of this module.
var ours = []string{auto, plain}

// config returns the settings of a method of ours, of which the free ones are chosen in training.
func config(method, task string) (param.Config, error) {
	c := param.Default()
	c.Task = task
	if method == auto {
		k, base := kind.ForAuto(nil, false, true)
		c.Kind, c.Base = k.Name, cmp.Or(base, c.Base)
		c.Free, c.Nested = k.FreeOf(nil, k.Complete(c)), true
		return c, nil
	}
	k, err := kind.ByName(plain)
	if err != nil {
		return c, err
	}
	c.Kind, c.Scale, c.Free = k.Name, "standard", []param.Param{param.C, param.Width}
	return k.Complete(c), nil
}

// measureOurs measures the cells of methods that are not there yet, the first split of every table first.
func (b *bench) measureOurs(ctx context.Context, methods []string) error {
	for s := range mostSplits {
		for _, t := range b.tables {
			if len(methods) == 0 || s >= t.splits() || b.splits > 0 && s >= b.splits {
				continue
			}
			if err := b.measureSplit(ctx, t, s, methods); err != nil {
				return fmt.Errorf("%s, split %d: %w", t.name, s, err)
			}
		}
	}
	return nil
}

func (b *bench) measureSplit(ctx context.Context, t table, s int, methods []string) error {
	d := description{}
	if err := readJSON(b.path(t.name+".json"), &d); err != nil {
		return err
	}
	for _, method := range methods {
		if known, err := b.cell(t.name, s, method, d.Splits[s].Data); err != nil || known != nil && !b.again {
			if err != nil {
				return err
			}
			continue
		}
		c, err := b.measure(ctx, d, s, method)
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		if err := b.writeCell(ctx, c); err != nil {
			return err
		}
		fmt.Printf("%s %d %s: %.4f, %.1f s\n", t.name, s, method, c.Loss, c.Train)
	}
	return nil
}

// measure trains and tests a method of ours.
func (b *bench) measure(ctx context.Context, d description, s int, method string) (*cell, error) {
	train, test, err := b.read(ctx, d, s)
	if err != nil {
		return nil, err
	}
	settings, err := config(method, d.Task)
	if err != nil {
		return nil, err
	}
	start := workload.ProcessorTime()
	m, err := search.Train(ctx, train, settings, pipeline.Options{LeaveOneOut: learn.WhenCheap})
	if err != nil {
		return nil, err
	}
	trained := workload.ProcessorTime()
	p, err := m.Predict(ctx, test.Table, nil)
	if err != nil {
		return nil, err
	}
	done := workload.ProcessorTime()
	losses, err := m.Losses(test.Table, test.Pick(test.Roles.Target), p)
	if err != nil {
		return nil, err
	}
	c := &cell{
		Table: d.Name, Split: s, Method: method, Data: d.Splits[s].Data,
		Loss: stat.Mean(losses, nil), Losses: pack(d.Task, losses),
		Train: (trained - start).Seconds(), Predict: (done - trained).Seconds(), Setting: kind.Settings(m.Config),
	}
	if m.Report.Outcome != nil {
		c.Setting = map[string]string{"chosen": m.Report.Outcome.Chosen}
	}
	return c, nil
}

// read returns the rows of split s, nothing privileged.
func (b *bench) read(ctx context.Context, d description, s int) (train, test *roles.Data, err error) {
	all, err := b.table(ctx, d.Name)
	if err != nil {
		return nil, nil, err
	}
	selection := dataset.Selection{Target: roles.ByName(d.Targets)}
	if train, err = roles.Assign(all.Subset(d.Splits[s].Train), selection); err != nil {
		return nil, nil, err
	}
	test, err = roles.Assign(all.Subset(d.Splits[s].Test), selection)
	return train, test, err
}
