package svm

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// sparse reads rows of LIBSVM text of three features.
func sparse(t testing.TB, name string) (x *mat.Dense, y []float64) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(data)), "\n")
	x = mat.NewDense(len(rows), 3, nil)
	for i, line := range rows {
		words := strings.Fields(line)
		v, _ := strconv.ParseFloat(words[0], 64)
		y = append(y, v)
		for _, w := range words[1:] {
			if e, ok := parseEntry(w); ok {
				x.Set(i, e.column, e.value)
			}
		}
	}
	return x, y
}

func readModel(t testing.TB, name string, features int) (learn.Model, []int) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, labels, err := ReadLIBSVM(f, name, features)
	if err != nil {
		t.Fatal(err)
	}
	return m, labels
}

// labelled predicts as svm-predict does.
func labelled(m learn.Model, labels []int, x *mat.Dense) []float64 {
	out := predict(m, x)
	c, ok := m.(*Classifier)
	if !ok {
		return out.RawMatrix().Data
	}
	var v []float64
	for _, class := range c.Decide(out) {
		v = append(v, float64(labels[class]))
	}
	return v
}

var libsvmModels = map[string]string{"rbf": "classes", "poly": "classes", "linear": "classes", "prob": "classes",
	"svr": "numbers", "nu": "numbers"}

func TestLIBSVMModelsPredictWhatSVMPredictDoes(t *testing.T) {
	for name, data := range libsvmModels {
		x, _ := sparse(t, data+".txt")
		m, labels := readModel(t, name+".model", 0)
		for i, v := range labelled(m, labels, x) {
			if want := referenceOutputs(t, name)[i]; math.Abs(v-want) > 2e-5*(1+math.Abs(want)) {
				t.Errorf("%s: row %d is %v, svm-predict says %v", name, i+1, v, want)
				break
			}
		}
	}
}

// referenceOutputs reads the first word of each line that svm-predict wrote.
func referenceOutputs(t *testing.T, name string) []float64 {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name + ".out")
	if err != nil {
		t.Fatal(err)
	}
	var out []float64
	for line := range strings.Lines(string(data)) {
		if word := strings.Fields(line)[0]; word != "labels" {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, v)
		}
	}
	return out
}

func TestLIBSVMProbabilities(t *testing.T) {
	x, _ := sparse(t, "classes.txt")
	m, labels := readModel(t, "prob.model", 0)
	got := mat.NewDense(60, 3, nil)
	m.(*Classifier).Probabilities(got, x)
	data, err := os.ReadFile("testdata/prob.out")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(data)), "\n")
	header := strings.Fields(rows[0])[1:]
	for i, line := range rows[1:] {
		for j, word := range strings.Fields(line)[1:] {
			label, _ := strconv.Atoi(header[j])
			want, _ := strconv.ParseFloat(word, 64)
			if v := got.At(i, slices.Index(labels, label)); math.Abs(v-want) > 1e-4 {
				t.Fatalf("row %d, label %d: %v, svm-predict says %v", i+1, label, v, want)
			}
		}
	}
}

// Trained here with the options of generate.sh, the objective's solution is the
// one that svm-train wrote.
func TestTrainingGivesSVMTrainsModel(t *testing.T) {
	x, y := sparse(t, "classes.txt")
	labels := []int{-2, 3, 7}
	hot := mat.NewDense(60, 3, nil)
	for i, v := range y {
		hot.Set(i, slices.Index(labels, int(v)), 1)
	}
	for name, c := range map[string]Config{
		"rbf":    with(func(c *Config) { c.C, c.Kernel = 2, kernel.Must("rbf:width=2.5") }),
		"linear": with(func(c *Config) { c.Kernel, c.ClassWeight = kernel.Must("linear"), []float64{1, 1, 3} }),
	} {
		c.Tolerance = 1e-9
		m, _ := train(t, c, learn.Problem{X: x, Y: hot})
		theirs, theirLabels := readModel(t, name+".model", 0)
		got, want := m.(*Classifier).Decisions(x), theirs.(*Classifier).Decisions(x)
		near(t, name, got.RawMatrix().Data, want.RawMatrix().Data, 1e-5)
		if !slices.Equal(labelled(m, labels, x), labelled(theirs, theirLabels, x)) {
			t.Errorf("%s: other classes", name)
		}
	}
	x, y = sparse(t, "numbers.txt")
	m, _ := train(t, withRegression(func(c *RegressionConfig) {
		c.C, c.Epsilon, c.Kernel, c.Tolerance = 5, 0.05, kernel.Must("rbf:width=3.3333333333333335"), 1e-9
	}), learn.Problem{X: x, Y: mat.NewDense(60, 1, y)})
	theirs, _ := readModel(t, "svr.model", 0)
	near(t, "svr", predict(m, x).RawMatrix().Data, predict(theirs, x).RawMatrix().Data, 1e-6)
}

func TestWrittenModelsAreReadBack(t *testing.T) {
	for name := range libsvmModels {
		m, labels := readModel(t, name+".model", 3)
		var first, second bytes.Buffer
		if err := WriteLIBSVM(&first, m, labels); err != nil {
			t.Fatal(err)
		}
		again, labelsAgain, err := ReadLIBSVM(bytes.NewReader(first.Bytes()), "written", 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := WriteLIBSVM(&second, again, labelsAgain); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: written twice, two texts (%v)", name, err)
		}
		x, _ := sparse(t, "classes.txt")
		near(t, name, predict(again, x).RawMatrix().Data, predict(m, x).RawMatrix().Data, 1e-13)
	}
	many, _ := train(t, DefaultRegressionConfig(), learn.Problem{X: mat.NewDense(3, 1, []float64{1, 2, 3}),
		Y: mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 7})})
	odd, _ := train(t, with(func(c *Config) { c.Kernel = kernel.Must("laplacian") }), blobs(20, true))
	for _, m := range []learn.Model{many, odd, nil} {
		if err := WriteLIBSVM(&bytes.Buffer{}, m, nil); !errors.Is(err, fault.Usage) {
			t.Errorf("error %v", err)
		}
	}
}

func TestBadLIBSVMModels(t *testing.T) {
	good, err := os.ReadFile("testdata/rbf.model")
	if err != nil {
		t.Fatal(err)
	}
	for old, changed := range map[string]string{
		"c_svc": "one_class", "kernel_type rbf": "kernel_type sigmoid", "gamma 0.4": "gamma -1",
		"nr_class 3": "nr_class 1000000000", "nr_class": "nr_klass",
		"total_sv": "total_sv 1", "rho ": "rho 1 ", "label 3 -2": "label 3 3", "nr_sv ": "nr_sv 1 ",
		"nr_sv": "nr_sv x", "SV\n": "", "SV": "SV\n0.5", "1:": "0:", "2:": "9:", "3:": "3:nan", "3": "99999999999:1 ",
		"\n": "\n\n",
	} {
		text := strings.Replace(string(good), old, changed, 1)
		if _, _, err := ReadLIBSVM(strings.NewReader(text), "bad.model", 3); !errors.Is(err, fault.Data) ||
			!strings.HasPrefix(err.Error(), "bad.model:") {
			t.Errorf("%q for %q: %v", changed, old, err)
		}
	}
	if _, _, err := ReadLIBSVM(bytes.NewReader(good), "m", 2); !errors.Is(err, fault.Data) {
		t.Errorf("too few features: %v", err)
	}
}

func TestErrorsOfLIBSVMModelsNameThePlace(t *testing.T) {
	head := "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 2\nnr_sv 1 1\nSV\n"
	for vectors, want := range map[string]string{
		"1 1:0.5 \n-1 1:0.25 \n":    "",
		"1 1:0.5 \n-1 1:0.2":        "m:10:9: the file ends within a line",
		"0.125 1:2 2 \n-1 1:0.25\n": `m:9:11: "2" is not index:value`,
		"1 1:0.5 \nx1 1:0.25 \n":    `m:10:1: "x1" is not a finite`,
	} {
		_, _, err := ReadLIBSVM(strings.NewReader(head+vectors), "m", 0)
		if want == "" && err != nil || want != "" && (!errors.Is(err, fault.Data) ||
			!strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%q: %v", vectors, err)
		}
	}
}

func FuzzReadLIBSVM(f *testing.F) {
	for name := range libsvmModels {
		data, err := os.ReadFile("testdata/" + name + ".model")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, labels, err := ReadLIBSVM(bytes.NewReader(data), "fuzz", 0)
		if err != nil {
			if !errors.Is(err, fault.Data) && !errors.Is(err, fault.Resource) {
				t.Fatal(err)
			}
			return
		}
		n, _ := m.Dims()
		if n > 1000 {
			return
		}
		labelled(m, labels, mat.NewDense(2, n, nil))
		if err := WriteLIBSVM(&bytes.Buffer{}, m, labels); err != nil {
			t.Fatal(err)
		}
	})
}
