package svm_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/kernel"
	"rvflplus/learn"
	"rvflplus/svm"
)

// Two classes as ±1; the duality gap tells how far from the optimum the fit is.
func ExampleConfig_Train() {
	p := learn.Problem{
		X: mat.NewDense(4, 1, []float64{-2, -1, 1, 2}),
		Y: mat.NewDense(4, 1, []float64{-1, -1, 1, 1}),
	}
	config := svm.DefaultConfig()
	config.C, config.Kernel = 10, kernel.Must("linear")
	model, report, err := config.Train(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	out := mat.NewDense(2, 1, nil)
	model.PredictTo(out, mat.NewDense(2, 1, []float64{-1.5, 0.5}))
	fmt.Printf("%.2f %.2f, %d support vectors, gap %.3f\n", out.At(0, 0), out.At(1, 0), report.Size, report.Optimum.Gap)
	// Output: -1.50 0.50, 2 support vectors, gap 0.000
}
