package main

import (
	"context"
	"fmt"

	"rvflplus/repro"
)

// showResults writes the results of rvfl repro.
func (a *app) showResults(ctx context.Context, results []*repro.Result, report string) error {
	if a.json {
		return a.writeJSON(results)
	}
	for _, r := range results {
		fmt.Fprintln(a.stdout, r.Experiment.Name, r.Experiment.Title)
		for _, c := range r.Cells {
			tune := 0.0
			for _, t := range c.Trials {
				tune += t.TuneSeconds
			}
			fmt.Fprintf(a.stdout, "%-10s %-22s %-12s %-18s %8.3f ± %6.3f  %10.5f s  tune %7.2f s spent %7.1f n=%d %s\n", c.Protocol, c.Dataset, c.Method, c.Kernel+c.Activation, c.Mean(), c.SD(), c.Seconds(), tune, c.Spent, len(c.Trials), c.Stopped)
		}
		for _, p := range r.Points {
			fmt.Fprintln(a.stdout, p.X, p.Y, p.Value)
		}
	}
	return nil
}
