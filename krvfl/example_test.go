package krvfl_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/kernel"
	"rvflplus/krvfl"
	"rvflplus/learn"
)

// Two classes as ±1; the second feature is known in training only.
func ExampleConfig_Train() {
	p := learn.Problem{
		X:    mat.NewDense(4, 1, []float64{-2, -1, 1, 2}),
		Priv: mat.NewDense(4, 1, []float64{0.1, 0.2, 0.2, 0.1}),
		Y:    mat.NewDense(4, 1, []float64{-1, -1, 1, 1}),
	}
	config := krvfl.DefaultConfig()
	config.C, config.Gamma, config.Kernel = 10, 100, kernel.Must("rbf:width=4")
	config.Correction, config.Center = learn.Additive, false
	model, _, err := config.Train(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	out := mat.NewDense(2, 1, nil)
	model.PredictTo(out, mat.NewDense(2, 1, []float64{-1.5, 0.5}))
	fmt.Printf("%.2f %.2f\n", out.At(0, 0), out.At(1, 0))
	// Output: -1.03 0.49
}
