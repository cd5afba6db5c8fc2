package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// records returns the lines of a CSV answer by the names of their columns.
func records(t *testing.T, text string) []map[string]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		r := map[string]string{}
		for j, name := range rows[0] {
			r[name] = row[j]
		}
		out = append(out, r)
	}
	return out
}

// svmPredict returns what svm-predict wrote, as records does.
func svmPredict(t *testing.T, name string) []map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata/libsvm", name))
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"prediction"}
	var out []map[string]string
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if words[0] == "labels" {
			columns = append(columns[:0], "") // -b 1 predicts by probability
			for _, label := range words[1:] {
				columns = append(columns, "prob_"+label)
			}
			continue
		}
		r := map[string]string{}
		for j, name := range columns {
			r[name] = words[j]
		}
		delete(r, "")
		out = append(out, r)
	}
	return out
}

// Models of svm-train, and ours when exported, predict what svm-predict says; the
// rows have a feature that is 0 in all support vectors.
func TestLIBSVMModelsPredictWhatSVMPredictDoes(t *testing.T) {
	for _, c := range []struct {
		model, rows, want string
		tolerance         float64 // svm-predict prints probabilities with six digits
	}{
		{"theirs.model", "new-classes.libsvm", "theirs.out", 0},
		{"theirs.model", "new-classes.libsvm", "theirs.prob", 1e-5},
		{"ours.model", "new-classes.libsvm", "ours.out", 0},
		{"ours.model", "new-classes.libsvm", "ours.prob", 1e-5},
		{"theirs-svr.model", "new-numbers.libsvm", "theirs-svr.out", 1e-12},
		{"ours-svr.model", "new-numbers.libsvm", "ours-svr.out", 1e-12},
	} {
		got, want := records(t, output(t, "testdata/libsvm", "predict", c.model, c.rows)), svmPredict(t, c.want)
		if len(got) != len(want) || len(want) != 30 {
			t.Fatalf("%s: %d rows, want %d", c.want, len(got), len(want))
		}
		for i := range want {
			for name, w := range want[i] {
				a, errA := strconv.ParseFloat(got[i][name], 64)
				b, errB := strconv.ParseFloat(w, 64)
				if errA != nil || errB != nil || !(math.Abs(a-b) <= c.tolerance*max(1, math.Abs(b))) {
					t.Errorf("%s, row %d: %s is %s, svm-predict says %s", c.want, i+1, name, got[i][name], w)
				}
			}
		}
	}
}

// What is exported today is what svm-predict was given, and predicts what the model
// it comes from does.
func TestExportedModels(t *testing.T) {
	for name, rows := range map[string]string{"ours": "train-classes.libsvm", "ours-svr": "train-numbers.libsvm"} {
		written := filepath.Join(t.TempDir(), "m.model")
		output(t, "testdata/libsvm", "export", name+".rvfl", "--libsvm", written)
		got, err := os.ReadFile(written)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("testdata/libsvm/" + name + ".model")
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: another text", name)
		}
		a := output(t, "testdata/libsvm", "predict", name+".rvfl", rows)
		if b := output(t, "testdata/libsvm", "predict", written, rows); a != b {
			t.Errorf("%s: the exported model predicts otherwise", name)
		}
	}
}

// Weights of classes are svm-train's -wi, --epsilon 0 its -p 0: the same objectives,
// of which it prints six digits after the point.
func TestObjectivesAreThoseOfSVMTrain(t *testing.T) {
	for log, args := range map[string][]string{
		"weighted.log": {
			"train-classes.libsvm", "-m", "svm", "--C", "2", "--width", "2.5", "--class-weight", "7=2,3=0.5",
		},
		"tube.log": {"train-numbers.libsvm", "-m", "svr", "--kernel", "poly", "--degree", "2", "--epsilon", "0"},
	} {
		data, err := os.ReadFile("testdata/libsvm/" + log)
		if err != nil {
			t.Fatal(err)
		}
		var want float64
		for line := range strings.Lines(string(data)) {
			v, err := strconv.ParseFloat(strings.TrimSuffix(strings.Fields(line)[2], ","), 64)
			if err != nil {
				t.Fatal(err)
			}
			want -= v
		}
		args = slices.Concat([]string{"train", "--tune=false"}, args,
			[]string{"--scale", "none", "--tol", "1e-9", "--json"})
		answer := output(t, "testdata/libsvm", args...)
		if got := number(t, answer, "train", "objective"); !(math.Abs(got-want) <= 1e-6*want) {
			t.Errorf("%s: objective %v, want %v", log, got, want)
		}
		gap, kkt := number(t, answer, "train", "gap"), number(t, answer, "train", "kkt")
		if !(gap >= 0 && gap <= 1e-6*want && kkt <= 1e-9) {
			t.Errorf("%s: gap %v, violation %v", log, gap, kkt)
		}
	}
}
