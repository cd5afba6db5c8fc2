// Command rivals compares what "rvfl train" makes of a table, and a plain KRVFL, with methods of scikit-learn that
// people have beside them: extremely randomised trees, random forests, histogram boosting, support vector machines and
// linear models. All are tuned within the training rows of the same splits of 25 public tables; nothing is privileged.
//
//	RVFL_DATA=DIR go run ./bench/rivals -rivals all          # scikit-learn's methods, two at a time
//	RVFL_DATA=DIR go run ./bench/rivals -ours auto,krvfl     # this module's
//	RVFL_DATA=DIR go run ./bench/rivals -report              # docs/rivals.md, from these and the kept results
//
// Every result is kept in the folder of -dir, where an interrupted run goes on; -again measures anew. The report takes
// results from there into docs/results/rivals.json and keeps the others: after a change of this module only -ours and
// -report are needed. Run it in the root of the repository. scikit-learn's methods need Debian's python3-sklearn and
// python3-pandas.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"rvflplus/internal/atomicfile"
)

//go:embed rivals.py
var script string

// Files of the report, below the root of the repository.
const (
	keptFile     = "docs/results/rivals.json"
	pictureFile  = "docs/results/rivals.svg"
	documentFile = "docs/rivals.md"
)

// cellFolder holds a file for every table, split and method.
const cellFolder = "cells"

// rivals are the methods of scikit-learn, by the names that rivals.py gives them.
var rivals = []string{"extra-trees", "random-forest", "boosting", "svm", "linear"}

// bench is what the command line asks for.
type bench struct {
	folder       string
	python       string
	tables       []table
	theirs, ours []string // methods to measure
	splits       int      // of every table, 0 for all
	processes    int
	again, told  bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	b, err := parse(args)
	if err != nil {
		return err
	}
	if b.theirs != nil || b.ours != nil {
		if err := b.prepare(ctx); err != nil {
			return err
		}
	}
	if err := b.measureRivals(ctx, b.theirs); err != nil {
		return err
	}
	if err := b.measureOurs(ctx, b.ours); err != nil {
		return err
	}
	if b.told {
		return b.report(ctx, ".")
	}
	return nil
}

func parse(args []string) (*bench, error) {
	b := &bench{}
	f := flag.NewFlagSet("rivals", flag.ContinueOnError)
	f.StringVar(&b.folder, "dir", "rivals-run", "folder of the tables and of kept results")
	f.StringVar(&b.python, "python", "/usr/bin/python3", "Python with scikit-learn and pandas")
	f.IntVar(&b.splits, "splits", 0, "only so many splits of every table (default all)")
	f.IntVar(&b.processes, "processes", 2, "how many rivals are measured at a time, on a thread each")
	f.BoolVar(&b.again, "again", false, "measure results that are kept again")
	theirs := f.String("rivals", "", "measure these of scikit-learn: all, or of "+strings.Join(rivals, ", "))
	own := f.String("ours", "", "measure these of this module: all, or of "+strings.Join(ours, ", "))
	list := f.String("tables", "all", "only these tables: "+strings.Join(tableNames(), ", "))
	f.BoolVar(&b.told, "report", false, "write "+keptFile+", "+pictureFile+" and the numbers in "+documentFile)
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if b.splits < 0 || b.processes < 1 || f.NArg() > 0 {
		return nil, fmt.Errorf("-splits must be >= 0 and -processes >= 1, got %d and %d; no arguments, got %q",
			b.splits, b.processes, f.Args())
	}
	var names []string
	var failed [3]error
	b.theirs, failed[0] = named("rivals", *theirs, rivals)
	b.ours, failed[1] = named("ours", *own, ours)
	names, failed[2] = named("tables", *list, tableNames())
	unnamed := func(t table) bool { return !slices.Contains(names, t.name) }
	b.tables = slices.DeleteFunc(slices.Clone(tables), unnamed)
	if err := errors.Join(failed[:]...); err != nil {
		return nil, err
	}
	if b.theirs == nil && b.ours == nil && !b.told {
		return nil, errors.New("nothing to do: give -rivals, -ours or -report")
	}
	return b, nil
}

// named splits a list of names of those that are known; "all" means all of these.
func named(flag, list string, known []string) ([]string, error) {
	switch list {
	case "":
		return nil, nil
	case "all":
		return known, nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("-%s must be all, or of %s, got %q", flag, strings.Join(known, ", "), name)
		}
	}
	return names, nil
}

// measureRivals has scikit-learn measure the cells of methods that are not there yet.
func (b *bench) measureRivals(ctx context.Context, methods []string) error {
	if methods == nil {
		return nil
	}
	args := []string{"run", strings.Join(methods, ","), strconv.Itoa(b.splits), strconv.Itoa(b.processes),
		strconv.FormatBool(b.again)}
	for _, t := range b.tables {
		args = append(args, t.name)
	}
	return b.runPython(ctx, args...)
}

func (b *bench) runPython(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, b.python, append([]string{"-c", script, b.folder}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w (it needs scikit-learn and pandas; -python names another one)", b.python, err)
	}
	return nil
}

// report takes the folder's results into the kept ones and writes these, the picture and the document below root.
func (b *bench) report(ctx context.Context, root string) error {
	path := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	kept, err := readResults(path(keptFile))
	if err != nil {
		return err
	}
	if err := b.collect(kept); err != nil {
		return err
	}
	if err := kept.write(ctx, path(keptFile)); err != nil {
		return err
	}
	v, err := kept.compare()
	if err != nil {
		return err
	}
	document, err := os.ReadFile(path(documentFile))
	if err != nil {
		return err
	}
	renewed, err := v.renew(string(document))
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { _, err := io.WriteString(w, renewed); return err }
	if err := atomicfile.Write(ctx, path(documentFile), write); err != nil {
		return err
	}
	var picture bytes.Buffer
	if err := v.picture().WriteSVG(&picture); err != nil {
		return err
	}
	write = func(w io.Writer) error { _, err := w.Write(picture.Bytes()); return err }
	return atomicfile.Write(ctx, path(pictureFile), write)
}
