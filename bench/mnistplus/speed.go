package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/internal/qp"
	"rvflplus/internal/workload"
	"rvflplus/kernel"
	"rvflplus/learn"
	"rvflplus/svmplus"
)

// speed compares the processor times of a whole fit, which other programs on the
// machine lengthen less than the wall's: at the hyper-parameters chosen for each
// solver on the validation rows, and over all settings of that choice. Both take
// turns, so that what else the machine does slows both.
func speed(ctx context.Context, o options) error {
	d, err := load(ctx, o.data, "l1", "l1")
	if err != nil {
		return err
	}
	fast, err := choose(ctx, d, gaussianPlus("fast"))
	if err != nil {
		return err
	}
	slow, err := choose(ctx, d, gaussianPlus("gsmo"))
	if err != nil {
		return err
	}
	fmt.Print("\n| settings | Fast SVM+ | gSMO | ratio | gSMO as published | ratio |\n|---|---:|---:|---:|---:|---:|\n")
	for _, p := range []struct {
		name       string
		fast, slow svmplus.Config
	}{
		{"each as chosen for it", config(fast), config(slow)},
		{"as chosen for Fast SVM+: " + fast.text, config(fast), with(fast, "gsmo")},
		{"as chosen for gSMO: " + slow.text, with(slow, "fast"), config(slow)},
	} {
		times, err := race(ctx, d, p.fast, p.slow, o.rounds)
		if err != nil {
			return err
		}
		fmt.Println(row(p.name, times))
	}
	return sweep(ctx, d)
}

func row(name string, t [3]time.Duration) string {
	return fmt.Sprintf("| %s | %v | %v | %.1f | %v | %.1f |", name, t[0].Round(time.Microsecond),
		t[1].Round(time.Microsecond), ratio(t[1], t[0]), t[2].Round(time.Microsecond), ratio(t[2], t[0]))
}

func config(c chosen) svmplus.Config { return c.Trainer.(svmplus.Config) }

func with(c chosen, solver string) svmplus.Config {
	to := config(c)
	to.Solver = solver
	return to
}

// race lets Fast SVM+ and both forms of gSMO take turns, and returns the shortest
// time of each.
func race(ctx context.Context, d digits, fast, slow svmplus.Config, rounds int) (least [3]time.Duration, err error) {
	for round := range rounds {
		for i, fit := range []func() error{
			func() error { _, _, err := fast.Train(ctx, d.train); return err },
			func() error { _, _, err := slow.Train(ctx, d.train); return err },
			func() error { return published(ctx, d.train, slow) },
		} {
			start := workload.ProcessorTime()
			if err := fit(); err != nil {
				return least, err
			}
			if spent := workload.ProcessorTime() - start; round == 0 || spent < least[i] {
				least[i] = spent
			}
		}
	}
	return least, nil
}

// published solves by gSMO as it was published, kernel matrices included. It stops
// after 20,000 steps, which often do not reach the tolerance.
func published(ctx context.Context, p learn.Problem, c svmplus.Config) error {
	k, err := matrix(ctx, c.Kernel, p.X)
	if err != nil {
		return err
	}
	priv, err := matrix(ctx, c.PrivKernel, p.Priv)
	if err != nil {
		return err
	}
	dual := qp.SVMPlusDual{K: k, Priv: priv, Y: make([]float64, k.Rows), C: make([]float64, k.Rows), Gamma: c.Gamma}
	for i := range dual.Y {
		dual.Y[i], dual.C[i] = p.Y.At(i, 0), c.C
	}
	_, err = qp.PlainGSMO(ctx, dual, c.Tolerance, 20000)
	return err
}

func matrix(ctx context.Context, spec kernel.Spec, x *mat.Dense) (blas.Matrix, error) {
	k, err := spec.Resolve(x.RawMatrix(), 0)
	if err != nil {
		return blas.Matrix{}, err
	}
	m := blas.New(x.RawMatrix().Rows, x.RawMatrix().Rows)
	err = kernel.AddSymmetric(ctx, k, 1, x.RawMatrix(), m, nil)
	blas.Mirror(m)
	return m, err
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }

// sweep times some settings spread over the choice.
func sweep(ctx context.Context, d digits) error {
	var sums [3]time.Duration
	var ratios [2][]float64
	fast, slow := gaussianPlus("fast"), gaussianPlus("gsmo")
	for i := 0; i < len(fast); i += 23 {
		times, err := race(ctx, d, fast[i].Trainer.(svmplus.Config), slow[i].Trainer.(svmplus.Config), 3)
		if err != nil {
			return fmt.Errorf("%s: %w", fast[i].text, err)
		}
		for k := range times {
			sums[k] += times[k]
		}
		ratios[0], ratios[1] = append(ratios[0], ratio(times[1], times[0])),
			append(ratios[1], ratio(times[2], times[0]))
	}
	fmt.Println(row(fmt.Sprintf("%d of the choice, summed", len(ratios[0])), sums))
	for k, name := range []string{"gSMO", "gSMO as published"} {
		slices.Sort(ratios[k])
		fmt.Printf("\nOver the settings the ratio of %s is %.1f at least, %.1f in the median, %.1f at most.\n", name,
			ratios[k][0], ratios[k][len(ratios[k])/2], ratios[k][len(ratios[k])-1])
	}
	return nil
}
