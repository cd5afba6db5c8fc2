package main

import (
	"math"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rvflplus/fault"
	"rvflplus/internal/fetch"
	"rvflplus/internal/registry"
	"rvflplus/internal/repro"
)

type reproOptions struct {
	options           repro.Options
	dataDir           string
	datasets, methods []string
	limit             float64 // minutes
	report            string
}

func (a *app) reproCommand() *cobra.Command {
	var o reproOptions
	c := &cobra.Command{
		Use:   "repro NAME...",
		Short: "Run the experiments of the RVFL+ paper beside the paper's numbers",
		Long:  reproLong,
		Example: `  rvfl repro table4 --only iris
  rvfl repro table2 figure3a --protocol published --trials 3
  rvfl repro all --quick
  rvfl repro all --report results`,
		ValidArgs: append(repro.Names(), "all"),
		RunE:      func(c *cobra.Command, args []string) error { return a.repro(c, args, &o) },
	}
	o.add(c)
	return c
}

const reproLong = `Run the experiments of the RVFL+ paper (Zhang and Yang, 2020) on the real data and put
the paper's numbers beside what was measured. NAME is table1 to table8, figure2 (RVFL+ by
C and gamma), figure3a (KRVFL+ by gamma), figure3b (KRVFL+ by C and width) or all.

Every table is run under two protocols: as published (rows divided by their L1 norm, the
paper's splits, folds and ranges) and ours (the same splits, features standardised,
settings chosen by exact leave-one-out). In both, every method is tuned with as many
settings as the others of its kind, those without privileged columns too.
docs/reproduction.md tells more.

Finished trials are kept in the folder --cells and used again: an interrupted run goes
on where it stopped. Time is that of training with the chosen settings. The numbers
depend on the seed, not on the threads.
`

func (o *reproOptions) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&o.dataDir, "data-dir", "", "folder of the data sets (default: $RVFL_DATA, then the download cache)")
	o.options.Protocol = "both"
	protocols := []string{repro.PublishedName, repro.OursName, "both"}
	f.Var(&choiceValue{&o.options.Protocol, "protocol", protocols}, "protocol", "protocol: published, ours, both")
	f.StringArrayVar(&o.datasets, "only", nil,
		"data sets to run, by name; may be given several times, or separated by commas (default: all)")
	f.StringArrayVar(&o.methods, "method", nil,
		"methods to run, by name, such as KRVFL+; several as for --only (default: all)")
	f.Var(&intValue{&o.options.Trials, "trials", 1, 1000}, "trials", "trials of a cell (default 10)")
	f.Var(&intValue{&o.options.Draws, "draws", 1, 100000}, "draws", "settings drawn for a method (default: by table)")
	f.Uint64Var(&o.options.Seed, "seed", 0, "seed of splits, settings, random layers and noise")
	f.Var(&positiveValue{&o.limit, "limit"}, "limit", "minutes that training, and before it choosing settings, "+
		"may take in a cell of a support vector machine (default 10)")
	f.BoolVar(&o.options.Quick, "quick", false,
		"few rows, settings and trials: minutes instead of hours; numbers of no meaning")
	f.StringVar(&o.options.Cells, "cells", "",
		"folder that keeps finished trials (default: a folder in the user's cache)")
	f.BoolVar(&o.options.Fresh, "fresh", false, "do not use trials that were kept")
	f.StringVar(&o.report, "report", "", "folder to write a page, Markdown, CSV and JSON to")
	_ = c.RegisterFlagCompletionFunc("only", cobra.NoFileCompletions)
	_ = c.RegisterFlagCompletionFunc("method", cobra.NoFileCompletions)
}

func (a *app) repro(c *cobra.Command, args []string, o *reproOptions) error {
	if err := noEmptyNames(c); err != nil {
		return err
	}
	if len(args) == 0 {
		return fault.New(fault.Usage, "%s: no table or figure is named", c.CommandPath()).
			WithHint("there are: %s", strings.Join(append(repro.Names(), "all"), ", "))
	}
	experiments, err := repro.Find(args...)
	if err != nil {
		return err
	}
	if err := o.resolve(); err != nil {
		return err
	}
	if o.report != "" {
		if err := repro.CheckReport(o.report); err != nil {
			return err
		}
	}
	var end func()
	o.options.Progress, end = a.progress()
	results, err := o.options.Run(c.Context(), experiments)
	end()
	if err != nil {
		return err
	}
	return a.showResults(c, args, results, o.report)
}

// mostMinutes is a limit that nothing reaches, and that time.Duration can hold.
const mostMinutes = 1e6

// resolve turns flags into options.
func (o *reproOptions) resolve() error {
	folders, err := registry.Folders(o.dataDir)
	if err != nil {
		return err
	}
	o.options.Loader, o.options.Version = registry.Loader{Folders: folders}, build()
	o.options.Limit = time.Duration(math.Ceil(min(o.limit, mostMinutes) * float64(time.Minute))) // 0: the default
	o.options.Datasets, o.options.Methods = o.datasets, o.methods
	if o.options.Cells == "" {
		cache, err := fetch.Cache()
		if err != nil {
			return err
		}
		o.options.Cells = filepath.Join(cache, "repro")
	}
	return nil
}

// build is the version with the commit it was built from, where that is known.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version
	}
	text, dirty := version, ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text += " (" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = ", changed"
		}
	}
	if text == version {
		return version
	}
	return text + dirty + ")"
}
