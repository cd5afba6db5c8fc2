package metric

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"rvflplus/blas"
)

// vectors holds what testdata/vectors.py wrote.
type vectors struct {
	Classes []struct {
		Name             string
		Truth            []int
		Values           [][]float64
		Probable         bool
		Weight           []float64
		Accuracy         float64
		BalancedAccuracy float64 `json:"balanced_accuracy"`
		F1               float64
		Confusion        [][]float64
		Precision        []float64
		Recall           []float64
		ClassF1          []float64 `json:"class_f1"`
		ClassROC         []float64 `json:"class_roc_auc"`
		ClassPR          []float64 `json:"class_pr_auc"`
		ROCAUC           float64   `json:"roc_auc"`
		PRAUC            float64   `json:"pr_auc"`
		LogLoss          float64   `json:"log_loss"`
		Brier            float64
	}
	Numbers []struct {
		Truth, Predicted [][]float64
		Weight           []float64
		RMSE, MAE, R2    float64
	}
}

func read(t *testing.T) (v vectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil || len(v.Classes) < 7 || len(v.Numbers) < 3 {
		t.Fatalf("%d and %d cases (%v)", len(v.Classes), len(v.Numbers), err)
	}
	return v
}

func matrix(rows [][]float64) blas.Matrix {
	m := blas.New(len(rows), len(rows[0]))
	for i, row := range rows {
		copy(blas.Row(m, i), row)
	}
	return m
}

// closeTo compares a score with scikit-learn's.
func closeTo(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-12 {
		t.Errorf("%s is %v, scikit-learn has %v", what, got, want)
	}
}

// All scores are scikit-learn's, with ties among the values, with weights of rows and without.
func TestScoresAreScikitLearns(t *testing.T) {
	v := read(t)
	for _, c := range v.Classes {
		r := Classified{Truth: c.Truth, Values: matrix(c.Values), Probable: c.Probable, Weight: c.Weight}
		var names []string
		for k := range r.Values.Cols {
			names = append(names, strconv.Itoa(k))
		}
		for i := range c.Truth {
			best := 0
			for k, value := range c.Values[i] {
				if value > c.Values[i][best] {
					best = k
				}
			}
			r.Predicted = append(r.Predicted, best)
		}
		got := Describe(r, names)
		closeTo(t, c.Name+": accuracy", &got.Accuracy, c.Accuracy)
		closeTo(t, c.Name+": balanced accuracy", &got.BalancedAccuracy, c.BalancedAccuracy)
		closeTo(t, c.Name+": F1", &got.F1, c.F1)
		closeTo(t, c.Name+": ROC AUC", got.ROCAUC, c.ROCAUC)
		closeTo(t, c.Name+": PR AUC", got.PRAUC, c.PRAUC)
		if area := r.ROCAUC(); math.Abs(area-c.ROCAUC) > 1e-12 {
			t.Errorf("%s: ROC AUC alone is %v, want %v", c.Name, area, c.ROCAUC)
		}
		for k, name := range names {
			own := got.PerClass[name]
			closeTo(t, c.Name+": precision of "+name, own.Precision, c.Precision[k])
			closeTo(t, c.Name+": recall of "+name, own.Recall, c.Recall[k])
			closeTo(t, c.Name+": F1 of "+name, own.F1, c.ClassF1[k])
			closeTo(t, c.Name+": ROC AUC of "+name, own.ROCAUC, c.ClassROC[k])
			closeTo(t, c.Name+": PR AUC of "+name, own.PRAUC, c.ClassPR[k])
			for j := range names {
				closeTo(t, c.Name+": confusion", &got.Confusion[k][j], c.Confusion[k][j])
			}
		}
		if !c.Probable {
			if got.LogLoss != nil || got.Brier != nil || got.LogLossReason == "" {
				t.Errorf("%s: log loss %v, Brier score %v of scores", c.Name, got.LogLoss, got.Brier)
			}
			continue
		}
		closeTo(t, c.Name+": log loss", got.LogLoss, c.LogLoss)
		closeTo(t, c.Name+": Brier score", got.Brier, c.Brier)
	}
	for _, n := range v.Numbers {
		got, _ := Regress(matrix(n.Truth), matrix(n.Predicted), n.Weight)
		// scikit-learn 1.2 averages squared errors over entries, as Regress does.
		closeTo(t, "MAE", &got.MAE, n.MAE)
		closeTo(t, "RMSE", &got.RMSE, n.RMSE)
		closeTo(t, "R²", &got.R2, n.R2)
	}
}

// What is not defined is nil: the areas of one class, the precision of a class that nobody predicts, the recall of one
// that does not occur. A class that the model does not know has rows in the confusion matrix, but no areas.
func TestWhatIsNotDefined(t *testing.T) {
	r := Classified{Truth: []int{0, 0, 3}, Predicted: []int{0, 1, 0}, Values: blas.New(3, 3), Probable: true}
	got := Describe(r, []string{"a", "b", "c", "strange"})
	a, b, c, strange := got.PerClass["a"], got.PerClass["b"], got.PerClass["c"], got.PerClass["strange"]
	if b.Recall != nil || *b.Precision != 0 || c.Precision != nil || c.Recall != nil || c.F1 != nil ||
		b.ROCAUC != nil || c.PRAUC != nil || strange.ROCAUC != nil || *strange.Recall != 0 || strange.Rows != 1 {
		t.Errorf("%+v", got.PerClass)
	}
	near(t, "ROC AUC of equal values", *a.ROCAUC, 0.5)
	near(t, "PR AUC of equal values", *a.PRAUC, 2.0/3)
	near(t, "ROC AUC", *got.ROCAUC, 0.5)
	near(t, "a row of the strange class", got.Confusion[3][0], 1)
	near(t, "Brier score of probabilities 0", *got.Brier, 1)
	if one := Describe(Classified{Truth: []int{0}, Predicted: []int{0}, Values: blas.New(1, 2)},
		[]string{"a", "b"}); one.ROCAUC != nil || one.PRAUC != nil {
		t.Errorf("areas of one class: %v, %v", one.ROCAUC, one.PRAUC)
	}
	if none := Describe(Classified{Values: blas.New(0, 2)}, []string{"a", "b"}); none.PerClass != nil {
		t.Errorf("scores without rows: %+v", none)
	}
	many := make([]string, MostConfused+1)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	wide := Describe(Classified{Truth: []int{0}, Predicted: []int{0}, Values: blas.New(1, len(many))}, many)
	if wide.Confusion != nil || len(wide.PerClass) != len(many) {
		t.Errorf("%d classes have a confusion matrix of %d rows", len(many), len(wide.Confusion))
	}
}

// Means leave out what is not defined.
func TestMeanOfScores(t *testing.T) {
	area := 0.5
	got := Mean([]Classification{{Accuracy: 1, F1: 0.5, ROCAUC: &area}, {Accuracy: 0, BalancedAccuracy: 1}})
	near(t, "accuracy", got.Accuracy, 0.5)
	near(t, "balanced accuracy", got.BalancedAccuracy, 0.5)
	near(t, "F1", got.F1, 0.25)
	if got.ROCAUC == nil || *got.ROCAUC != 0.5 || got.PRAUC != nil || got.LogLoss != nil {
		t.Errorf("%+v", got)
	}
}

// A row of weight 2 counts as two rows.
func TestWeightsCountRows(t *testing.T) {
	r := Classified{Truth: []int{0, 1, 1, 0}, Predicted: []int{0, 1, 0, 1}, Probable: true,
		Weight: []float64{1, 2, 3, 1}, Values: matrix([][]float64{{0.9, 0.1}, {0.2, 0.8}, {0.6, 0.4}, {0.4, 0.6}})}
	var rows Classified
	var values [][]float64
	for i, w := range r.Weight {
		for range int(w) {
			rows.Truth, rows.Predicted = append(rows.Truth, r.Truth[i]), append(rows.Predicted, r.Predicted[i])
			values = append(values, blas.Row(r.Values, i))
		}
	}
	rows.Values, rows.Probable = matrix(values), true
	names := []string{"a", "b"}
	a, b := Describe(r, names), Describe(rows, names)
	near(t, "accuracy", a.Accuracy, b.Accuracy)
	near(t, "F1", a.F1, b.F1)
	near(t, "ROC AUC", *a.ROCAUC, *b.ROCAUC)
	near(t, "PR AUC", *a.PRAUC, *b.PRAUC)
	near(t, "Brier score", *a.Brier, *b.Brier)
	near(t, "log loss", *a.LogLoss, *b.LogLoss)
	for i, bin := range r.Calibration(1, 5) {
		other := rows.Calibration(1, 5)[i]
		near(t, "mean of a bin", bin.Mean, other.Mean)
		near(t, "share of a bin", bin.Share, other.Share)
		near(t, "rows of a bin", bin.Rows, other.Rows)
	}
}
