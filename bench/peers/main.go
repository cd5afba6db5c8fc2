// Command peers times the library and its peers on the same work in the same run:
// NumPy and SciPy on OpenBLAS, scikit-learn, stock gonum, and the machine's own
// multiply-add rate. The programs take turns, round after round, each in a process
// of its own that stays warm; it prints a Markdown table of ratios.
//
//	go run ./bench/peers -o table.md
//	go run ./bench/peers -work gemm,rvfl+ -sizes 2048 -threads 1 -rounds 9
//
// It needs Debian's python3-numpy, python3-scipy and python3-sklearn on
// libopenblas0-pthread.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

//go:embed worker.py
var pythonWorker string

type options struct {
	rounds  int
	sizes   []int
	threads []int
	works   []string
	python  string
	out     string
	serve   string
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
	o, err := parse(args)
	if err != nil {
		return err
	}
	if o.serve != "" {
		return serve(ctx, o.serve, os.Stdin, os.Stdout)
	}
	table, err := measure(ctx, o, os.Stderr)
	if err != nil {
		return err
	}
	if o.out == "" {
		_, err = io.WriteString(os.Stdout, table)
		return err
	}
	return os.WriteFile(o.out, []byte(table), 0o644)
}

func parse(args []string) (options, error) {
	o := options{}
	f := flag.NewFlagSet("peers", flag.ContinueOnError)
	f.IntVar(&o.rounds, "rounds", 5, "how often the programs take turns, >= 1")
	sizes := f.String("sizes", "1024,2048,4096", "sides of the square matrices")
	threads := f.String("threads", "1,2", "numbers of threads")
	works := f.String("work", "", "rows to measure, comma-separated (default all): "+strings.Join(names(), ", "))
	f.StringVar(&o.python, "python", "/usr/bin/python3", "Python with NumPy, SciPy and scikit-learn")
	f.StringVar(&o.out, "o", "", "file for the table (default: standard output)")
	f.StringVar(&o.serve, "serve", "", "internal: answer requests as `ours` or stock")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	var err error
	if o.sizes, err = numbers("sizes", *sizes); err != nil {
		return o, err
	}
	if o.threads, err = numbers("threads", *threads); err != nil {
		return o, err
	}
	if o.rounds < 1 || f.NArg() > 0 {
		return o, fmt.Errorf("rounds must be >= 1, got %d; no arguments, got %q", o.rounds, f.Args())
	}
	o.works, err = known(*works)
	return o, err
}

func numbers(name, list string) ([]int, error) {
	var out []int
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-%s must be whole numbers >= 1, got %q", name, text)
		}
		out = append(out, n)
	}
	return out, nil
}
