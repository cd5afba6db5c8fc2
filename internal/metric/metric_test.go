package metric

import (
	"math"
	"reflect"
	"testing"

	"rvflplus/blas"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-14 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The expected numbers are scikit-learn 1.2.1's on the same labels.
func TestClassify(t *testing.T) {
	truth, predicted := []int{0, 0, 0, 1, 1, 2}, []int{0, 0, 1, 1, 0, 0}
	got := Classify(truth, predicted, nil)
	near(t, "accuracy", got.Accuracy, 0.5)
	near(t, "balanced accuracy", got.BalancedAccuracy, 7.0/18)
	near(t, "F1", got.F1, (4.0/7+0.5+0)/3)
	near(t, "log loss", SoftmaxLogLoss(truth, blas.New(6, 3), nil), math.Log(3))
}

func TestClassTheModelDoesNotKnow(t *testing.T) {
	got := Classify([]int{2}, []int{0}, nil)
	near(t, "log loss", SoftmaxLogLoss([]int{2}, blas.New(1, 2), nil), 52*math.Ln2)
	near(t, "accuracy", got.Accuracy, 0)
	near(t, "F1", got.F1, 0)
}

func TestHugeScoresStayFinite(t *testing.T) {
	scores := blas.Matrix{Rows: 1, Cols: 2, Stride: 2, Data: []float64{1e300, -1e300}}
	near(t, "right", SoftmaxLogLoss([]int{0}, scores, nil), 0)
	near(t, "wrong", SoftmaxLogLoss([]int{1}, scores, nil), 52*math.Ln2)
}

func TestRegress(t *testing.T) {
	truth := blas.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{0, 5, 2, 5}}
	predicted := blas.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: []float64{1, 5, 2, 6}}
	all, each := Regress(truth, predicted, nil)
	near(t, "RMSE", all.RMSE, math.Sqrt(2.0/4))
	near(t, "MAE", all.MAE, 0.5)
	near(t, "R2 of the first", each[0].R2, 0.5)
	near(t, "R2 of the constant", each[1].R2, 0)
	near(t, "R2", all.R2, 0.25)
	_, exact := Regress(truth, truth, nil)
	near(t, "R2 of an exact constant", exact[1].R2, 1)
}

func TestNoRows(t *testing.T) {
	if all, _ := Regress(blas.New(0, 1), blas.New(0, 1), nil); all != (Regression{}) {
		t.Error(all)
	}
	if got := Classify(nil, nil, nil); !reflect.DeepEqual(got, Classification{}) {
		t.Error(got)
	}
}

func TestLogLossOfProbabilities(t *testing.T) {
	p := blas.Matrix{Rows: 3, Cols: 2, Stride: 2, Data: []float64{0.25, 0.75, 0.5, 0.5, 1, 0}}
	want := (math.Log(4) + math.Log(2) + 52*math.Ln2) / 3
	if got := LogLoss([]int{0, 1, 1}, p, nil); math.Abs(got-want) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A class that is never predicted has a probability of 0, or one too small for a number: it counts as 2⁻⁵², as one that
// the model does not know.
func TestClassNeverPredicted(t *testing.T) {
	for name, scores := range map[string][]float64{
		"far below": {800, 0, 0, 800}, "huge": {1e308, -1e308, -1e308, 1e308}, "small": {40, 0, 0, 40},
	} {
		m := blas.Matrix{Rows: 2, Cols: 2, Stride: 2, Data: scores}
		near(t, name, SoftmaxLogLoss([]int{1, 0}, m, nil), 52*math.Ln2)
		near(t, name+", unknown", SoftmaxLogLoss([]int{2, 5}, m, nil), 52*math.Ln2)
	}
	p := blas.Matrix{Rows: 3, Cols: 3, Stride: 3, Data: []float64{1, 0, 0, 1, 1e-300, 0, 0.5, 0.5, 0}}
	near(t, "probabilities", LogLoss([]int{2, 1, 3}, p, nil), 52*math.Ln2)
}

// The mean of the rows' errors is 1 - R²; of two targets each counts in its own unit.
func TestRowErrors(t *testing.T) {
	truth := blas.Matrix{Rows: 4, Cols: 2, Stride: 2, Data: []float64{1, 100, 2, 300, 4, 200, 5, 500}}
	predicted := blas.Matrix{Rows: 4, Cols: 2, Stride: 3, Data: []float64{1, 150, 0, 3, 250, 0, 4, 200, 0, 6, 400, 0}}
	got := RowErrors(truth, predicted)
	all, _ := Regress(truth, predicted, nil)
	near(t, "the mean", mean(got), 1-all.R2)
	near(t, "row 2", got[1], (1/2.5+2500/21875.0)/2)
	constant := blas.Matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float64{7, 7}}
	other := blas.Matrix{Rows: 2, Cols: 1, Stride: 1, Data: []float64{7, 9}}
	near(t, "a constant target", RowErrors(constant, other)[1], 4)
}
