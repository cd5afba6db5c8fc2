package main

import (
	"math"
	"testing"

	"rvflplus/blas"
	"rvflplus/internal/metric"
	"rvflplus/internal/report"
)

// The area under the steps that are drawn is the average precision.
func TestPrecisionStepsHaveTheAreaThatIsTold(t *testing.T) {
	r := metric.Classified{Truth: []int{1, 0, 1, 0, 0, 1, 1, 0}, Predicted: make([]int, 8), Values: blas.New(8, 2)}
	for i, v := range []float64{0.9, 0.8, 0.7, 0.7, 0.6, 0.5, 0.2, 0.1} {
		r.Values.Data[2*i+1] = v
	}
	sweep := r.Sweep(1)
	line := precisionSteps(0, sweep)
	area := 0.0
	for i := 1; i < len(line.X); i++ {
		area += (line.X[i] - line.X[i-1]) * line.Y[i]
	}
	if math.Abs(area-sweep.AveragePrecision()) > 1e-12 || line.X[0] != 0 || line.X[len(line.X)-1] != 1 {
		t.Errorf("area %v from %v to %v, average precision %v", area, line.X[0], line.X[len(line.X)-1],
			sweep.AveragePrecision())
	}
}

// A curve has no more points than can be told apart.
func TestCurvesAreThinned(t *testing.T) {
	var l report.ChartLine
	for i := range 1_000_000 {
		addPoint(&l, float64(i)/1e6, float64(i)/1e6)
	}
	endAt(&l, 1, 1)
	if n := len(l.X); n > 1100 || n < 900 || l.X[n-1] != 1 {
		t.Errorf("%d points, the last at %v", n, l.X[n-1])
	}
}
