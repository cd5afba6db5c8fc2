// Command mnistplus measures the support vector machines on MNIST+, 100 training
// rows with privileged features: how well they do when their hyper-parameters are
// chosen on the validation rows, and how long they take. It prints Markdown tables.
//
//	go run ./bench/mnistplus -data $RVFL_DATA linear     # two linear kernels
//	go run ./bench/mnistplus -data $RVFL_DATA kernels    # Gaussian kernels
//	go run ./bench/mnistplus -data $RVFL_DATA speed      # Fast SVM+ beside gSMO, Gaussian kernels
//
// The table of linear machines checks the linear SVM with Debian's svm-train
// (libsvm-tools) where that is installed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

type options struct {
	data   string
	rounds int
}

var studies = map[string]func(context.Context, options) error{"linear": linear, "kernels": kernels, "speed": speed}

func main() {
	var o options
	flag.StringVar(&o.data, "data", os.Getenv("RVFL_DATA"), "folder of public data sets")
	flag.IntVar(&o.rounds, "rounds", 30, "fits of each solver whose times are compared")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, names []string) error {
	if len(names) == 0 {
		return errors.New("name what to measure: linear, kernels or speed")
	}
	for _, name := range names {
		study := studies[name]
		if study == nil {
			return fmt.Errorf("nothing is called %q: linear, kernels or speed", name)
		}
		if err := study(ctx, o); err != nil {
			return err
		}
	}
	return nil
}
