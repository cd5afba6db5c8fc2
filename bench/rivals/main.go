package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
)

//go:embed rivals.py
var script string

// cellFolder holds a file for every table, split and method.
const cellFolder = "cells"

// rivals are the methods of scikit-learn, by the names that rivals.py gives them.
var rivals = []string{"extra-trees", "random-forest", "boosting", "svm", "linear"}

// bench is what the command line asks for.
type bench struct {
	folder    string
	python    string
	rivals    string
	tables    []table
	splits    int
	processes int
	again     bool
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
	b := &bench{}
	f := flag.NewFlagSet("rivals", flag.ContinueOnError)
	f.StringVar(&b.folder, "dir", "rivals-run", "folder of the tables and of kept results")
	f.StringVar(&b.python, "python", "/usr/bin/python3", "Python with scikit-learn and pandas")
	f.StringVar(&b.rivals, "rivals", "", "")
	f.IntVar(&b.splits, "splits", 0, "")
	f.IntVar(&b.processes, "processes", 2, "")
	list := f.String("tables", "", "tables, comma-separated (default all)")
	if err := f.Parse(args); err != nil {
		return err
	}
	var err error
	if b.tables, err = chosen(*list); err != nil {
		return err
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	if os.Getenv("OURS") != "" {
		return b.measureOurs(ctx, strings.Split(os.Getenv("OURS"), ","))
	}
	if b.rivals != "" {
		if b.rivals == "all" {
			b.rivals = strings.Join(rivals, ",")
		}
		args := []string{"run", b.rivals, strconv.Itoa(b.splits), strconv.Itoa(b.processes)}
		for _, t := range b.tables {
			args = append(args, t.name)
		}
		return b.runPython(ctx, args...)
	}
	return nil
}

func (b *bench) runPython(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, b.python, append([]string{"-c", script, b.folder}, args...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w (it needs scikit-learn and pandas; -python names another one)", b.python, err)
	}
	return nil
}
