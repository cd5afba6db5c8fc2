package ensemble_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rvflplus/ensemble"
	"rvflplus/learn"
)

// Three networks of five enhancement nodes each, averaged; leave-one-out is exact.
func ExampleConfig_Train() {
	p := learn.Problem{
		X:           mat.NewDense(5, 1, []float64{-2, -1, 0, 1, 2}),
		Y:           mat.NewDense(5, 1, []float64{-4, -2, 0, 2, 4}),
		LeaveOneOut: learn.Always,
	}
	config := ensemble.DefaultConfig()
	config.Members, config.Network.Hidden, config.Network.C = 3, 5, 100
	model, report, err := config.Train(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	out := mat.NewDense(1, 1, nil)
	model.PredictTo(out, mat.NewDense(1, 1, []float64{0.5}))
	fmt.Printf("%.2f, left out %.2f\n", out.At(0, 0), report.LeaveOneOut.At(3, 0))
	// Output: 1.01, left out 2.01
}
