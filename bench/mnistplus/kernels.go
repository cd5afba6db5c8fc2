package main

import (
	"context"
	"fmt"

	"rvflplus/kernel"
	"rvflplus/svm"
	"rvflplus/svmplus"
)

var (
	widths     = []float64{0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.06, 0.1}
	privWidths = []float64{0.01, 0.1, 1}
	prices     = decades(-1, 3, 1) // C
	weights    = decades(-3, 2, 1) // γ
)

// kernels compares machines with Gaussian kernels on rows divided by their L1 norm.
func kernels(ctx context.Context, o options) error {
	d, err := load(ctx, o.data, "l1", "l1")
	if err != nil {
		return err
	}
	fmt.Print("\n| machine | " + heading + "|---|---:|---:|---|---:|---:|---:|\n")
	for _, m := range []machine{{"SVM", gaussian()}, {"Fast SVM+", gaussianPlus("fast")},
		{"SVM+, gSMO", gaussianPlus("gsmo")}} {
		best, err := choose(ctx, d, m.all)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %v\n", m.name, best)
	}
	return nil
}

func gaussian() (all []candidate) {
	for _, width := range widths {
		for _, c := range decades(-1, 5, 2) {
			all = append(all, candidate{plainMachine(c, rbf(width)), fmt.Sprintf("width %g, C = %.4g", width, c)})
		}
	}
	return all
}

func gaussianPlus(solver string) (all []candidate) {
	for _, width := range widths {
		for _, priv := range privWidths {
			for _, c := range prices {
				for _, gamma := range weights {
					all = append(all, candidate{
						plusMachine(c, gamma, solver, rbf(width), rbf(priv)),
						fmt.Sprintf("widths %g, %g, C = %g, γ = %g", width, priv, c, gamma),
					})
				}
			}
		}
	}
	return all
}

func rbf(width float64) kernel.Spec {
	return kernel.Spec{{Name: "rbf", Params: map[string]float64{"width": width}}}
}

func plainMachine(c float64, k kernel.Spec) svm.Config {
	config := svm.DefaultConfig()
	config.C, config.Kernel = c, k
	return config
}

func plusMachine(c, gamma float64, solver string, normal, priv kernel.Spec) svmplus.Config {
	config := svmplus.DefaultConfig()
	config.C, config.Gamma, config.Solver, config.Kernel, config.PrivKernel = c, gamma, solver, normal, priv
	return config
}
