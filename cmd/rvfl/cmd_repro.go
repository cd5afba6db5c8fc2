package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"rvflplus/fault"
	"rvflplus/internal/fetch"
	"rvflplus/internal/registry"
	"rvflplus/internal/report"
	"rvflplus/internal/repro"
)

type reproOptions struct {
	options repro.Options
	dataDir string
	minutes float64 // --limit, 0 if it is not given
	merge   []string
	report  string
	further []string // formats of the pictures beside SVG
}

func (a *app) reproCommand() *cobra.Command {
	var o reproOptions
	c := &cobra.Command{
		Use:   "repro NAME...",
		Short: "Run the experiments of the RVFL+ paper beside the paper's numbers, or what methods gain",
		Long:  reproLong,
		Example: `  rvfl repro table4 --only iris
  rvfl repro table2 figure3a --protocol published --trials 3
  rvfl repro all --quick
  rvfl repro all --report results
  rvfl repro gains --report results
  rvfl repro readings --report results
  rvfl repro all --shard 2/3 --cells two
  rvfl repro all --merge two --merge three --report results`,
		ValidArgs: append(repro.Names(), "all"),
		RunE:      func(c *cobra.Command, args []string) error { return a.repro(c, args, &o) },
	}
	f := c.Flags()
	f.StringVar(&o.dataDir, "data-dir", "", "folder of the data sets (default: $RVFL_DATA, then the download cache)")
	o.options.Protocol = "both"
	wordFlag(f, &o.options.Protocol, "protocol", []string{repro.PublishedName, repro.OursName, "both"},
		"protocol: published, ours, both")
	f.StringArrayVar(&o.options.Datasets, "only", nil,
		"data sets to run, by name; may be given several times, or separated by commas (default: all)")
	f.StringArrayVar(&o.options.Methods, "method", nil,
		"methods to run, by name, such as KRVFL+; several as for --only (default: all)")
	wholeFlag(f, &o.options.Trials, "trials", 1, 1000, "trials of a cell (default 10, of gains 20)")
	wholeFlag(f, &o.options.Draws, "draws", 1, 100000, "settings drawn for a method (default: by table)")
	f.Uint64Var(&o.options.Seed, "seed", 0, "seed of splits, settings, random layers and noise")
	positiveFlag(f, &o.minutes, "limit", "minutes that training, and before it choosing settings, may take in a cell "+
		"of a support vector machine (default 10)")
	f.BoolVar(&o.options.Quick, "quick", false,
		"few rows, settings and trials: minutes instead of hours; numbers of no meaning")
	f.StringVar(&o.options.Cells, "cells", "",
		"folder that keeps finished trials (default: a folder in the user's cache)")
	f.BoolVar(&o.options.Fresh, "fresh", false, "do not use trials that were kept")
	shardFlag(f, &o.options.Shard, "shard",
		"fill share i of n of the cells, such as 2/3, and leave the others to other machines (default: all)")
	f.StringArrayVar(&o.merge, "merge", nil,
		"folder of kept trials from another machine, to be brought into --cells first; may be given several times")
	f.StringVar(&o.report, "report", "", "folder to write a page, Markdown, CSV, JSON and SVG to")
	f.StringSliceVar(&o.further, "pictures", nil, "formats of the pictures of --report beside SVG: png, pdf")
	_ = c.RegisterFlagCompletionFunc("only", cobra.NoFileCompletions)
	_ = c.RegisterFlagCompletionFunc("method", cobra.NoFileCompletions)
	return c
}

// shardFlag registers the share of the cells that a machine fills.
func shardFlag(f *pflag.FlagSet, dst *repro.Shard, name, usage string) {
	set := func(text string) (err error) {
		*dst, err = repro.ParseShard(text)
		return err
	}
	f.Var(&flagValue{"i/n", set, func() string { return dst.String() }}, name, usage)
}

const reproLong = `Run the experiments of the RVFL+ paper (Zhang and Yang, 2020) on the real data and put
the paper's numbers beside what was measured. NAME is table1 to table8, figure2 (RVFL+ by
C and gamma), figure3a (KRVFL+ by gamma), figure3b (KRVFL+ by C and width) or all of
these.

NAME may also be gains, which is not of the paper: what every method that learns from
privileged columns gains over the tuned and the averaged KRVFL without them, paired split
by split, where such columns arise by themselves (docs/methods.md).

NAME may be readings or readings-regression, which are not of the paper either: KRVFL+ and
RVFL of table 4 or 6 under every combination of what the paper leaves open, which columns
are normal and over what its L1 norm is taken, and which of them comes nearest.

Every table is run under two protocols: as published (rows divided by their L1 norm, the
paper's splits, folds and ranges) and ours (the same splits, features standardised,
settings chosen by exact leave-one-out). A method draws as many settings as its sibling
without privileged columns; how many, and on how many rows they are chosen, differs
between kernels, random layers and support vector machines (docs/reproduction.md).

Finished trials are kept in the folder --cells and used again: an interrupted run goes
on where it stopped. Several machines share the work: each is given the same command with
--shard 1/3, --shard 2/3 and so on, and then the command without --shard takes their
folders by --merge. Time is that of training with the chosen settings. The numbers depend
on the seed, not on the threads.
`

func (a *app) repro(c *cobra.Command, args []string, o *reproOptions) error {
	if len(args) == 0 {
		return fault.New(fault.Usage, "%s: no table or figure is named", c.CommandPath()).
			WithHint("there are: %s", strings.Join(append(repro.Names(), "all"), ", "))
	}
	experiments, err := repro.Find(args...)
	if err != nil {
		return err
	}
	folders, err := registry.Folders(o.dataDir)
	if err != nil {
		return err
	}
	o.options.Loader, o.options.Version = registry.Loader{Folders: folders}, build()
	o.options.Limit = time.Duration(math.Ceil(min(o.minutes, mostMinutes) * float64(time.Minute))) // 0: the default
	if o.options.Cells == "" {
		cache, err := fetch.Cache()
		if err != nil {
			return err
		}
		o.options.Cells = filepath.Join(cache, "repro")
	}
	if err := o.checkReport(); err != nil {
		return err
	}
	if o.merge != nil {
		notes, err := repro.Merge(c.Context(), o.options.Cells, o.merge)
		a.note(notes...)
		if err != nil {
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
	if o.report != "" {
		if err := repro.WriteReport(c.Context(), o.report, commandLine(c, args), results, o.further...); err != nil {
			return err
		}
	}
	return a.showResults(results, o.report)
}

// checkReport refuses, before long work, a report that cannot be written, and makes file endings of --pictures.
func (o *reproOptions) checkReport() error {
	for i, format := range o.further {
		ending := "." + strings.TrimPrefix(format, ".")
		if !report.Known(ending) {
			return fault.Param("pictures", "a list of png and pdf", strconv.Quote(format))
		}
		o.further[i] = ending
	}
	switch {
	case o.report != "":
		return repro.CheckReport(o.report)
	case o.further != nil:
		return fault.New(fault.Usage, "--pictures is for --report, which is not given").
			WithHint("name a folder with --report")
	}
	return nil
}

// showResults writes the results as text or JSON; JSON is an array if there are several.
func (a *app) showResults(results []*repro.Result, report string) error {
	switch {
	case a.json && len(results) == 1:
		return a.writeJSON(results[0])
	case a.json:
		return a.writeJSON(results)
	}
	for i, r := range results {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		if err := r.WriteText(a.stdout, a.width()); err != nil {
			return err
		}
	}
	if report != "" {
		fmt.Fprintf(a.stdout, "\nReport: %s\n", filepath.ToSlash(filepath.Join(report, repro.PageName)))
	}
	return nil
}

// mostMinutes is a limit that nothing reaches, and that time.Duration can hold.
const mostMinutes = 1e6

// width returns how many characters fit on a line of standard output.
func (a *app) width() int {
	if f, ok := a.stdout.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return 100 // no terminal
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

// notNumbers are the flags that do not change the numbers.
var notNumbers = []string{"cells", "data-dir", "fresh", "json", "merge", "pictures", "quiet", "report", "threads"}

// commandLine spells the command with the flags that its numbers depend on.
func commandLine(c *cobra.Command, args []string) string {
	words := append([]string{c.CommandPath()}, args...)
	isNumber := func(name string) bool { return !slices.Contains(notNumbers, name) }
	return strings.Join(append(words, givenFlags(c.Flags(), isNumber)...), " ")
}
