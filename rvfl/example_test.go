package rvfl_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/learn"
	"rvflplus/rvfl"
)

// y = x + (what only the privileged feature explains).
func ExampleConfig_Train() {
	const n = 40
	p := learn.Problem{X: mat.NewDense(n, 1, nil), Priv: mat.NewDense(n, 1, nil), Y: mat.NewDense(n, 1, nil),
		LeaveOneOut: learn.Always}
	for i := range n {
		x, known := float64(i)/10-1.95, float64(i%3-1) // features with mean 0
		p.X.Set(i, 0, x)
		p.Priv.Set(i, 0, known)
		p.Y.Set(i, 0, x+known)
	}
	config := rvfl.DefaultConfig()
	config.C, config.Gamma, config.Hidden, config.Correction = 1000, 1, 20, learn.Additive
	model, report, err := config.Train(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	out := mat.NewDense(1, 1, nil)
	model.PredictTo(out, mat.NewDense(1, 1, []float64{0.5}))
	fmt.Printf("f(0.5) = %.1f, solved in the %s form; left out, x = 1.05 gets %.1f\n", out.At(0, 0), report.Solver,
		report.LeaveOneOut.At(30, 0))
	// Output: f(0.5) = 0.4, solved in the dual form; left out, x = 1.05 gets 0.9
}

func ExampleConfig_Validate() {
	config := rvfl.DefaultConfig()
	config.Gamma = -1
	fmt.Println(config.Validate())
	// Output: gamma must be a finite number > 0, got -1
}
