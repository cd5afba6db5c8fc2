package oracle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Margin is one file of reference answers for support vector machines with the
// Gaussian kernel.
type Margin struct {
	Name             string
	X, Priv, Xtest   Rows
	Y                []float64 // ±1
	C, Gamma         float64
	Width            float64
	PrivWidth        float64   `json:"priv_width"`
	SVCAlphaY        []float64 `json:"svc_alpha_y"`
	SVCB             float64   `json:"svc_b"`
	SVCObjective     float64   `json:"svc_objective"`
	SVCTest          []float64 `json:"svc_test"`
	SVRY             []float64 `json:"svr_y"`
	SVREpsilon       float64   `json:"svr_epsilon"`
	SVRCoef          []float64 `json:"svr_coef"`
	SVRB             float64   `json:"svr_b"`
	SVRTest          []float64 `json:"svr_test"`
	PlusObjective    float64   `json:"svmplus_objective"`
	PlusAlpha        []float64 `json:"svmplus_alpha"`
	PlusBeta         []float64 `json:"svmplus_beta"`
	PlusLinear       float64   `json:"svmplus_linear_objective"`
	FastObjective    float64   `json:"fast_objective"`
	FastAlpha        []float64 `json:"fast_alpha"`
	FastTest         []float64 `json:"fast_test"`
	FastLinearKernel float64   `json:"fast_linear_kernel_objective"`
	FastLinear       float64   `json:"fast_linear_objective"`
}

// ReadMargin returns the cases of support vector machines; there must be some.
func ReadMargin(t testing.TB) []Margin {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(Folder(), "svm_*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reference answers of support vector machines in %s (%v)", Folder(), err)
	}
	var cases []Margin
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		c := Margin{Name: filepath.Base(file)}
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		cases = append(cases, c)
	}
	return cases
}

// Column returns values as a matrix of one column.
func Column(v []float64) Rows {
	var rows Rows
	for _, x := range v {
		rows = append(rows, []float64{x})
	}
	return rows
}
