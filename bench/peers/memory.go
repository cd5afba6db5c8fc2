package main

import (
	"context"
	"slices"
)

// memoryWork is the work whose memory is measured, in processes that do nothing else.
const memoryWork = "rvfl+"

// memory is the most that a process held: before the work, with the data, and after.
type memory struct {
	label         string
	before, after float64
}

func peakMemory(ctx context.Context, o options) ([]memory, error) {
	if !slices.Contains(o.works, memoryWork) {
		return nil, nil
	}
	var out []memory
	for _, name := range []string{ours, numpy} {
		p, err := start(ctx, name, o.python, slices.Max(o.threads))
		if err != nil {
			return nil, err
		}
		r, err := p.ask(request{Work: memoryWork, Size: panelRows, Repeat: 1})
		p.stop()
		if err != nil {
			return nil, err
		}
		out = append(out, memory{name, r.BytesBefore, r.Bytes})
	}
	return out, nil
}
