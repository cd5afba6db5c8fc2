package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rvflplus/internal/realdata"
)

// The configuration and the bar are those measured before the work began.
func TestMNISTPlus(t *testing.T) {
	file := func(name string) string { return realdata.File(t, "mnist-plus/"+name+".txt") }
	dir := t.TempDir()
	output(t, dir, "train", file("train_features"), "--no-header", "--target-data", file("train_labels"),
		"--priv-data", file("train_PFfeatures"), "-m", "krvfl+", "--scale", "l1",
		"--C", "3", "--gamma", "5000", "--width", "0.028", "--priv-width", "0.028", "-o", "m.rvfl")
	got := output(t, dir, "eval", "m.rvfl", file("test_features"), "--no-header",
		"--target-data", file("test_labels"), "--json")
	if accuracy := number(t, got, "metrics", "accuracy"); accuracy < 0.93 {
		t.Errorf("accuracy %.4f on the test rows, want at least 0.93", accuracy)
	}
	if rows := number(t, got, "rows"); rows != 1866 {
		t.Errorf("%v rows", rows)
	}
}

func TestIrisWithPrivilegedPetals(t *testing.T) {
	iris := realdata.File(t, "uci/iris/iris.data")
	got := output(t, t.TempDir(), "train", iris, "--no-header", "-y", "c5", "-p", "3:4", "-m", "krvfl+", "--json")
	if loo := number(t, got, "loo", "metrics", "accuracy"); loo < 0.75 || loo > 0.85 {
		t.Errorf("leave-one-out accuracy %.3f; from sepals alone it should be near 0.77", loo)
	}
	all := output(t, t.TempDir(), "train", iris, "--no-header", "-y", "c5", "-m", "krvfl", "--json")
	if loo := number(t, all, "loo", "metrics", "accuracy"); loo < 0.94 {
		t.Errorf("leave-one-out accuracy %.3f with all columns normal", loo)
	}
}

func TestShuttleTrainsInLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	train := realdata.File(t, "uci/statlog-shuttle/shuttle.trn.gz")
	test := realdata.File(t, "uci/statlog-shuttle/shuttle.tst")
	dir := t.TempDir()
	layout := []string{"--sep", "space", "--no-header"}
	c, peak := watched(t, dir, append([]string{"train", train, "-y", "c10", "-p", "6:9", "-m", "rvfl+",
		"--tune=false", "--gamma", "1e5", "--hidden", "500", "-o", "m.rvfl", "--json"}, layout...)...)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if used := peak(); used > 170e6 { // the nodes of all rows take 174 MB in each space
		t.Errorf("training held %.0f MB, want at most 170", used/1e6)
	} else {
		t.Logf("training 43,500 rows with 500 enhancement nodes in each space held %.0f MB", used/1e6)
	}
	if !strings.Contains(string(out), `"solver":"primal"`) || number(t, string(out), "rows") != 43500 {
		t.Errorf("unexpected answer %s", out)
	}
	got := output(t, dir, append([]string{"eval", "m.rvfl", test, "--json"}, layout...)...)
	t.Logf("test accuracy %.4f", number(t, got, "metrics", "accuracy"))
	if accuracy := number(t, got, "metrics", "accuracy"); accuracy < 0.95 {
		t.Errorf("accuracy %.4f on the test rows", accuracy)
	}
}

func TestOtherLayoutsOfTheDataSets(t *testing.T) {
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"uci/wine/wine.data":                   {"--no-header", "-y", "c1", "-p", "8:14"},
		"uci/wine-quality/winequality-red.csv": {"-y", "quality", "-p", "sulphates,alcohol,pH"},
		"uci/abalone/abalone.data": {
			"--no-header", "-y", "c9", "-p", "5:8", "--task", "regress", "--hidden", "50",
		},
		"uci/glass/glass.data":           {"--no-header", "--id", "c1", "-y", "c11", "-p", "6:10"},
		"uci/parkinsons/parkinsons.data": {"--id", "name", "-y", "status", "-p", "MDVP:Jitter(%),Shimmer:*"},
		"mulan/partial/scm1d-test.csv.gz": {
			"-y", "MTLp2,LBL", "-p", "2:50", "--drop", "datetime,ds,ds_2,datetime_encoded", "--hidden", "20",
		},
		"uci/image-segmentation/segmentation.data": nil, // its preamble is no table: an error, not a model
	} {
		path := realdata.File(t, name)
		if args == nil {
			c := command(dir, "train", path, "-y", "c1")
			if err := c.Run(); err == nil || c.ProcessState.ExitCode() != 3 {
				t.Errorf("%s: %v, want exit code 3", name, err)
			}
			continue
		}
		out := output(t, dir, append([]string{"train", path, "--tune=false", "--json"}, args...)...)
		if number(t, out, "rows") < 100 || number(t, out, "privileged") < 2 {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// The objectives are what svm-train of libsvm-tools 3.24 prints for the same
// standardised rows, C, width and tolerance (bench/libsvm).
func TestSupportVectorMachinesReachLIBSVMsObjective(t *testing.T) {
	for name, c := range map[string]struct {
		flags []string
		want  float64
	}{
		"uci/wine/wine.data":       {[]string{"-y", "c1", "-m", "svm", "--C", "10"}, 52.730018},
		"uci/abalone/abalone.data": {[]string{"-y", "c9", "-m", "svr", "--C", "10"}, 55066.1344},
	} {
		flags := append([]string{"train", realdata.File(t, name)}, c.flags...)
		flags = append(flags, "--no-header", "--tune=false", "--tol", "1e-6", "--json")
		got := output(t, t.TempDir(), flags...)
		objective, gap := number(t, got, "train", "objective"), number(t, got, "train", "gap")
		if math.Abs(objective-c.want) > 1e-6*c.want || gap > 1e-5*c.want {
			t.Errorf("%s: objective %v with gap %v, want %v", name, objective, gap, c.want)
		}
	}
}

// folder is the folder of public data sets.
func folder(t *testing.T) string { return filepath.Dir(realdata.File(t, "manifest.json")) }

// The rows and columns are those that the data sets' own description counts.
func TestShowPublicDataSets(t *testing.T) {
	data := folder(t)
	for name, want := range map[string]struct{ rows, features, privileged, classes int }{
		"iris": {150, 2, 2, 3}, "iris:bezdek": {150, 2, 2, 3}, "glass": {214, 5, 4, 6}, "abalone": {4177, 4, 4, 3},
		"wine": {178, 7, 6, 3}, "wine-red": {1599, 6, 5, 6}, "wine-white": {4898, 6, 5, 7}, "shuttle": {58000, 5, 4, 7},
		"shuttle:train": {43500, 5, 4, 7}, "shuttle:test": {14500, 5, 4, 7},
		"segment": {210, 11, 8, 7}, "segment:test": {2100, 11, 8, 7},
		"parkinsons": {195, 11, 11, 2}, "mnist+": {5968, 100, 21, 2}, "mnist+:validation": {4002, 100, 21, 2},
		"andro": {49, 15, 15, 0}, "edm": {154, 8, 8, 0}, "slump": {103, 4, 3, 0},
		"scm20d": {8966, 31, 30, 0}, "scm20d:test": {1503, 31, 30, 0},
	} {
		got := output(t, t.TempDir(), "data", "show", name, "--data-dir", data, "--json")
		var v struct {
			Rows, Features, Privileged int
			Classes                    map[string]int
			Targets                    []string
			Available                  bool
		}
		if err := json.Unmarshal([]byte(got), &v); err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, n := range v.Classes {
			total += n
		}
		if v.Rows != want.rows || v.Features != want.features || v.Privileged != want.privileged ||
			len(v.Classes) != want.classes || !v.Available {
			t.Errorf("%s: %+v", name, v)
		}
		if want.classes > 0 && (total != want.rows || len(v.Targets) != 1) || want.classes == 0 && len(v.Targets) < 2 {
			t.Errorf("%s: %d rows in classes, targets %v", name, total, v.Targets)
		}
	}
}

// A name brings the roles and the task along; the model is that of the file.
func TestTrainByName(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	output(t, dir, "data", "convert", "@iris", "iris.parquet", "--data-dir", data)
	file := trained(t, dir, "iris.parquet", "-y", "class", "-p", "petal_*", "-m", "krvfl+")
	if name := trained(t, dir, "@iris", "--data-dir", data, "-m", "krvfl+"); string(file) != string(name) {
		t.Error("@iris trains another model than its file")
	}
	for _, c := range []struct {
		args       string
		kind, task string
		privileged float64
	}{
		{"@wine --tune", "stack", "classification", 6},
		{"@edm --tune", "stack", "regression", 8},
		{"@wine", "rvfl+", "classification", 6},
		{"@wine -p alcohol,ash", "rvfl+", "classification", 2},
		{"@wine -m rvfl", "rvfl", "classification", 0},
		{"@wine-red --task regress", "rvfl+", "regression", 5},
		{"@edm", "rvfl+", "regression", 8},
		{"@edm -y DGap", "rvfl+", "classification", 8}, // -1, 0 and 1
		{"@mnist+", "rvfl+", "classification", 21},
		{"@parkinsons -y PPE", "rvfl+", "regression", 10},
	} {
		args := []string{"train", "--data-dir", data, "--hidden", "5", "--tune=false", "--json"}
		args = append(args, strings.Fields(c.args)...)
		got := output(t, dir, args...)
		if !strings.Contains(got, `"kind":"`+c.kind+`"`) || !strings.Contains(got, `"task":"`+c.task+`"`) ||
			number(t, got, "privileged") != c.privileged {
			t.Errorf("%s: %.300s", c.args, got)
		}
	}
	output(t, dir, "train", "@shuttle", "--data-dir", data, "--hidden", "50", "--tune=false", "-o", "s.rvfl")
	got := output(t, dir, "eval", "s.rvfl", "@shuttle:test", "--data-dir", data, "--json")
	if number(t, got, "rows") != 14500 || number(t, got, "metrics", "accuracy") < 0.95 {
		t.Errorf("%s", got)
	}
}

// Every data set passes through the formats that can hold it.
func TestConvertPublicDataSets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	data, dir := folder(t), t.TempDir()
	for _, name := range []string{
		"iris", "glass", "abalone", "wine", "wine-red", "wine-white", "shuttle", "segment", "parkinsons",
		"andro", "edm", "slump", "scm20d", "mnist+",
	} {
		output(t, dir, "data", "convert", "@"+name, "a.csv", "--data-dir", data)
		output(t, dir, "data", "convert", "a.csv", "a.parquet")
		output(t, dir, "data", "convert", "a.parquet", "a.arff")
		output(t, dir, "data", "convert", "a.arff", "a.npz")
		output(t, dir, "data", "convert", "a.npz", "b.csv")
		a, errA := os.ReadFile(filepath.Join(dir, "a.csv"))
		b, errB := os.ReadFile(filepath.Join(dir, "b.csv"))
		if errA != nil || errB != nil || string(a) != string(b) {
			t.Errorf("%s: the table changed (%v, %v)", name, errA, errB)
		}
	}
}

// The warning of a ruined regression names a remedy that was tried, and the remedy keeps the promise.
func TestTheRemedyOfARuinedRegressionWorks(t *testing.T) {
	data, dir := folder(t), t.TempDir()
	train := func(args ...string) (r2 float64, warnings string) {
		text := output(t, dir, append([]string{"train", "@slump", "--data-dir", data, "-m", "rvfl+", "--tune=false",
			"--json"}, args...)...)
		var answer struct {
			Warnings []string `json:"warnings"`
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		return number(t, text, "loo", "metrics", "r2"), strings.Join(answer.Warnings, "\n")
	}
	ruined, warning := train("--correction", "paper", "--gamma", "1000")
	remedied, none := train("--correction", "projected", "--gamma", "1000")
	promise := fmt.Sprintf("--correction projected has R² %.3g on the same rows", remedied)
	if !(ruined < -10) || !(remedied > 0.6) || !strings.Contains(warning, promise) || none != "" {
		t.Errorf("R² %g with the warning %q, then %g with %q", ruined, warning, remedied, none)
	}
}
