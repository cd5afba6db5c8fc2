package oracle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Vectors is one file of testdata/lupi: a problem with privileged information and the reference's answers. The README
// there describes the fields.
type Vectors struct {
	Name                 string
	Gamma, C, C2, Lambda float64

	Y, Omega, Priv, Omega2 Rows
	H                      Rows
	HPriv                  Rows `json:"h_priv"`

	Additive, Projected, Labelled Rows
	LeaveTwoOut                   []Rows `json:"leave_two_out"`
	OfY                           Rows   `json:"of_y"`
	OfTeacher                     Rows   `json:"of_teacher"`
	Distilled                     Rows

	Primal         struct{ W, Loo Rows }
	PrimalLabelled struct{ W, Loo Rows } `json:"primal_labelled"`

	Stack struct {
		Members []Rows
		Weights []float64
		Loo     Rows
	}
	Shrunk struct {
		Kappa, Z float64
		Loo      Rows
	}
}

// ReadVectors returns the files of testdata/lupi.
func ReadVectors(t testing.TB) []Vectors {
	t.Helper()
	_, source, _, _ := runtime.Caller(0)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(source), "..", "..", "testdata", "lupi", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in testdata/lupi (%v)", err)
	}
	var all []Vectors
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v := Vectors{Name: filepath.Base(file)}
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, v)
	}
	return all
}
