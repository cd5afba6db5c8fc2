// Command libsvm times the library's support vector machines and Debian's
// svm-train on the same problems in the same run, and compares what they predict.
// It prints a Markdown table. Our time is that of training alone; svm-train's
// includes reading its text and writing its model, which a run with a tolerance so
// large that training ends at once measures; the ratio leaves that out.
//
//	go run ./bench/libsvm -data $RVFL_DATA
//	go run ./bench/libsvm -data $RVFL_DATA -rounds 5 -tol 1e-6
//
// It needs Debian's libsvm-tools.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

type options struct {
	data   string
	rounds int
	tol    float64
	only   string
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", os.Getenv("RVFL_DATA"), "folder of public data sets")
	flag.IntVar(&o.rounds, "rounds", 3, "runs of each program; the shortest counts")
	flag.Float64Var(&o.tol, "tol", 1e-6, "tolerance of both")
	flag.StringVar(&o.only, "only", "", "only tasks whose name contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	folder, err := os.MkdirTemp("", "libsvm")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fmt.Println("| task | rows | C | ours | svm-train | of it reading and writing | ratio | our objective, relative " +
		"difference | predictions that agree |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, t := range tasks {
		if !strings.Contains(t.name, o.only) {
			continue
		}
		r, err := t.measure(ctx, o, folder)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		fmt.Println(r)
	}
	return nil
}
