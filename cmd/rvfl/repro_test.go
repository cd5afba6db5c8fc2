package main

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rvflplus/internal/realdata"
)

var update = flag.Bool("update", false, "write testdata/quick.json and the README's walk-through anew")

// quickAnswer is what TestQuickReproduction reads of rvfl repro all --quick --json.
type quickAnswer []struct {
	Table string
	Rows  []struct {
		Protocol, Dataset, Method, Kernel, Activation, Stopped string
		Accuracy, RMSE, Value                                  *float64
		X, Y                                                   float64
		Trials                                                 []struct{ Value float64 }
	}
}

// Every table and figure runs, and its numbers are those of testdata/quick.json: an
// accuracy within two points, an RMSE within two percent.
func TestQuickReproduction(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some ten seconds")
	}
	folder := filepath.Dir(filepath.Dir(filepath.Dir(realdata.File(t, "uci/iris/iris.data"))))
	dir := t.TempDir()
	text := output(t, dir, "repro", "all", "--quick", "--json", "--cells", "cells", "--data-dir", folder)
	var answer quickAnswer
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatal(err)
	}
	got := quickNumbers(t, answer)
	if *update {
		golden, _ := json.MarshalIndent(got, "", "\t")
		if err := os.WriteFile("testdata/quick.json", append(golden, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile("testdata/quick.json")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{}
	if err := json.Unmarshal(golden, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != len(got) {
		t.Errorf("%d numbers, testdata/quick.json has %d", len(got), len(want))
	}
	for name, w := range want {
		allowed := 2.0
		if strings.HasPrefix(name, "table6") || strings.HasPrefix(name, "table8") {
			allowed = 0.02 * w
		}
		if g, there := got[name]; !there || !(math.Abs(g-w) <= allowed) {
			t.Errorf("%s: %g, want %g", name, g, w)
		}
	}
}

// quickNumbers returns the numbers by name. Only a data set that is not there may stop
// a row.
func quickNumbers(t *testing.T, answer quickAnswer) map[string]float64 {
	out := map[string]float64{}
	for _, table := range answer {
		if len(table.Rows) == 0 {
			t.Errorf("%s is empty", table.Table)
		}
		for _, r := range table.Rows {
			name := strings.Join([]string{table.Table, r.Protocol, r.Dataset, r.Method, r.Kernel + r.Activation}, ", ")
			switch {
			case r.Stopped != "" && r.Dataset != "SCM1D":
				t.Errorf("%s stopped: %s", name, r.Stopped)
			case r.Accuracy != nil:
				out[name] = *r.Accuracy
			case r.RMSE != nil && r.Dataset != "SCM1D":
				out[name] = *r.RMSE
			case r.Value != nil:
				x, _ := json.Marshal([]float64{r.X, r.Y})
				out[name+string(x)] = *r.Value
			}
		}
	}
	return out
}
