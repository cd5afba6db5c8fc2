package modelfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
)

const libsvmModel = `svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho 0
label 10 9
nr_sv 1 1
SV
1 1:1
-1 1:-1
`

// A feature that no support vector has moves a point away from all of them, as in
// LIBSVM; classes are in the order of numbers.
func TestModelsOfLIBSVMSeeFeaturesTheyDoNotMention(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.model")
	if err := os.WriteFile(path, []byte(libsvmModel), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if c := m.Coder.Classes; len(c) != 2 || c[0] != "9" || c[1] != "10" || !m.Foreign() {
		t.Errorf("classes %v", c)
	}
	near := &dataset.Table{Rows: 1, Columns: []dataset.Column{{Name: "f1", Numbers: []float64{1}}}}
	far := &dataset.Table{Rows: 1, Columns: append(near.Columns, dataset.Column{Name: "f2", Numbers: []float64{5}})}
	a, err := m.Predict(ctx, near, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := m.Widened(far.Names()).Predict(ctx, far, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x, y := a.Scores.Data[1], b.Scores.Data[1]; a.Class(0) != "10" || !(x > 0.8) || !(y > 0 && y < 1e-5) {
		t.Errorf("scores %v near and %v far, class %s", x, y, a.Class(0))
	}
	if err := Save(ctx, filepath.Join(t.TempDir(), "m.rvfl"), m, false); !errors.Is(err, fault.Usage) {
		t.Errorf("saved in the other format: %v", err)
	}
}

func TestLabelsOfClasses(t *testing.T) {
	for _, c := range []struct {
		classes []string
		want    int
	}{{[]string{"-3", "7"}, 7}, {[]string{"1", "yes"}, 2}, {[]string{"1.5", "2"}, 2}, {[]string{"1", "99999999999"}, 2},
		{[]string{"+1", "2"}, 2}} {
		if got := classLabels(c.classes); len(got) != 2 || got[1] != c.want {
			t.Errorf("%v: labels %v", c.classes, got)
		}
	}
}
