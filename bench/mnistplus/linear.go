package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"rvflplus/kernel"
	"rvflplus/svm"
)

// linear compares linear machines with and without privileged features, each chosen
// alike, over scalings of the two spaces.
func linear(ctx context.Context, o options) error {
	fmt.Print("\n| normal space | machine | privileged space | " + heading +
		"|---|---|---|---:|---:|---|---:|---:|---:|\n")
	for _, scale := range []string{"l1", "standard", "none"} {
		if err := linearPlain(ctx, o, scale); err != nil {
			return err
		}
		for _, priv := range []string{"none", "l1", "standard"} {
			d, err := load(ctx, o.data, scale, priv)
			if err != nil {
				return err
			}
			for _, m := range linearMachines(scale) {
				best, err := choose(ctx, d, m.all)
				if err != nil {
					return err
				}
				fmt.Printf("| %s | %s | %s | %v\n", scale, m.name, priv, best)
			}
		}
	}
	return nil
}

type machine struct {
	name string
	all  []candidate
}

// linearMachines are tried over decades of C and γ, on rows divided by their L1 norm,
// as in the paper, over half decades too.
func linearMachines(scale string) []machine {
	all := []machine{
		{"linear Fast SVM+, decades", linearPlus("fast", "linear", 1e-6, decades(-5, 5, 1))},
		{"linear Fast SVM+, decades from 1e-9", linearPlus("fast", "linear", 1e-9, decades(-9, 5, 1))},
		{"Fast SVM+ of squared slack, decades", linearPlus("fast", "poly:degree=1,offset=0", 1e-6, decades(-5, 5, 1))},
		{"SVM+, decades", linearPlus("ipm", "linear", 1e-6, decades(-5, 5, 1))},
	}
	if scale == "l1" {
		all = append(all, machine{"linear Fast SVM+, half decades from 1e-9",
			linearPlus("fast", "linear", 1e-9, decades(-9, 5, 2))})
	}
	for _, sweeps := range []int{20, 100} {
		m := machine{name: fmt.Sprintf("its coordinate descent, %d sweeps, decades", sweeps)}
		for _, c := range decades(-5, 5, 1) {
			for _, gamma := range decades(-5, 5, 1) {
				m.all = append(m.all, candidate{descent{c, gamma, sweeps}, fmt.Sprintf("C = %g, γ = %g", c, gamma)})
			}
		}
		all = append(all, m)
	}
	return all
}

func linearPlus(solver, priv string, tol float64, values []float64) (all []candidate) {
	for _, c := range values {
		for _, gamma := range values {
			config := plusMachine(c, gamma, solver, kernel.Must("linear"), kernel.Must(priv))
			config.Tolerance = cmp.Or(tol, config.Tolerance)
			all = append(all, candidate{config, fmt.Sprintf("C = %.4g, γ = %.4g", c, gamma)})
		}
	}
	return all
}

// linearPlain prints the linear SVM over decades of C, halves and tenths of them.
func linearPlain(ctx context.Context, o options, scale string) error {
	d, err := load(ctx, o.data, scale, "none")
	if err != nil {
		return err
	}
	for i, name := range []string{"decades", "half decades", "tenths of decades"} {
		steps := []int{1, 2, 10}[i]
		var all []candidate
		for _, c := range decades(-9, 5, steps) {
			config := plainMachine(c, kernel.Must("linear"))
			config.Tolerance = 1e-6
			all = append(all, candidate{config, fmt.Sprintf("C = %.4g", c)})
		}
		best, err := choose(ctx, d, all)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | SVM, %s from 1e-9 | | %v\n", scale, name, best)
		if err := check(ctx, d, best); err != nil {
			return err
		}
	}
	return nil
}

// check repeats a linear SVM with svm-train, where that is installed.
func check(ctx context.Context, d digits, best chosen) error {
	if _, err := exec.LookPath("svm-train"); err != nil {
		return nil
	}
	folder, err := os.MkdirTemp("", "mnistplus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	train, test := filepath.Join(folder, "train"), filepath.Join(folder, "test")
	if err := writeLIBSVM(train, d.train); err != nil {
		return err
	}
	if err := writeLIBSVM(test, d.test); err != nil {
		return err
	}
	c := fmt.Sprint(best.Trainer.(svm.Config).C)
	if err := exec.CommandContext(ctx, "svm-train", "-q", "-t", "0", "-c", c, "-e", "1e-6", train, train+".model").
		Run(); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "svm-predict", test, train+".model", test+".out").Output()
	fmt.Printf("| | svm-train there | | 1 | | C = %.4g | | %s | |\n", best.Trainer.(svm.Config).
		C, strings.Fields(string(out) + " - - -")[2])
	return err
}
