package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"rvflplus/svm"
	"rvflplus/svmplus"
)

// linear compares linear machines with and without privileged features, each chosen
// alike, over scalings of the two spaces.
func linear(ctx context.Context, o options) error {
	fmt.Print("\n| normal space | machine | privileged space | " + heading + "|---|---|---|---:|---:|---|---:|---:|---:|\n")
	for _, scale := range []string{"l1", "none", "standard"} {
		if err := linearPlain(ctx, o, scale); err != nil {
			return err
		}
		for _, priv := range []string{"none", "l1", "standard"} {
			d, err := load(ctx, o.data, scale, priv)
			if err != nil {
				return err
			}
			for _, solver := range []string{"fast", "ipm"} {
				best, err := choose(ctx, d, linearPlus(solver))
				if err != nil {
					return err
				}
				fmt.Printf("| %s | %s | %s | %v\n", scale, map[string]string{"fast": "linear Fast SVM+", "ipm": "SVM+"}[solver], priv, best)
			}
		}
	}
	return nil
}

func linearPlus(solver string) (all []candidate) {
	for _, c := range decades(-5, 5, 1) {
		for _, gamma := range decades(-5, 5, 1) {
			all = append(all, candidate{svmplus.Config{C: c, Gamma: gamma, Solver: solver, Kernel: "linear"}, fmt.Sprintf("C = %g, γ = %g", c, gamma)})
		}
	}
	return all
}

// linearPlain prints the linear SVM over decades of C and over tenths of decades.
func linearPlain(ctx context.Context, o options, scale string) error {
	d, err := load(ctx, o.data, scale, "none")
	if err != nil {
		return err
	}
	for _, steps := range []int{1, 2, 10} {
		var all []candidate
		for _, c := range decades(-5, 5, steps) {
			all = append(all, candidate{svm.Config{C: c, Kernel: "linear", Tolerance: 1e-6}, fmt.Sprintf("C = %.4g", c)})
		}
		best, err := choose(ctx, d, all)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | SVM | | %v\n", scale, best)
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
	if err := exec.CommandContext(ctx, "svm-train", "-q", "-t", "0", "-c", c, "-e", "1e-6", train, train+".model").Run(); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "svm-predict", test, train+".model", test+".out").Output()
	fmt.Printf("| | svm-train there | | 1 | | C = %.4g | | %s | |\n", best.Trainer.(svm.Config).C, strings.Fields(string(out) + " - - -")[2])
	return err
}
