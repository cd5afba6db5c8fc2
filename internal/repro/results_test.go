package repro

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rvflplus/fault"
)

// resultsDir holds the committed results.
var resultsDir = filepath.Join("..", "..", "docs", "results")

// resultNames returns the names of the committed results of tables, figures and gains. Other commands' answers beside
// them have other names.
func resultNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, kind := range []string{"table", "figure", "gains", "readings"} {
		files, err := filepath.Glob(filepath.Join(resultsDir, kind+"*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
		}
	}
	for _, name := range Names() {
		if !slices.Contains(names, name) {
			t.Fatalf("docs/results has no %s.json", name)
		}
	}
	return names
}

// readResult reads a committed result and concludes it with today's code.
func readResult(t *testing.T, name string) *Result {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(resultsDir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	r := new(Result)
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// The committed results are what this program concludes from their trials: the Markdown, JSON and pictures are written
// again from the JSON alone, and are the same byte for byte. With -update they are written anew.
func TestResultsFollowFromTheirTrials(t *testing.T) {
	for _, name := range resultNames(t) {
		r := readResult(t, name)
		writers := map[string]func(io.Writer) error{
			".md": func(w io.Writer) error { return r.WriteMarkdown(w, r.Run.Command) }, ".json": r.writeJSON,
		}
		if name == r.Experiment.Name { // other splits beside it have no pictures
			for _, p := range r.pictures() {
				writers[p.suffix(".svg")] = p.drawing.WriteSVG
			}
		}
		for suffix, write := range writers {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			compareFile(t, filepath.Join(resultsDir, name+suffix), b.Bytes())
		}
	}
}

// compareFile compares a file with what it should hold; with -update it writes the file.
func compareFile(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what follows from its trials or results: go test ./internal/repro -update; %s",
			filepath.Base(path), firstDifference(string(got), string(want)))
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) {
			return "one of them ends early"
		}
		if a[i] != b[i] {
			return fmt.Sprintf("line %d:\n%s\n%s", i+1, a[i], b[i])
		}
	}
	return "none"
}

// A text that is no result of this program is an error of the data, and leaves the result as it was.
func TestNoResult(t *testing.T) {
	for _, text := range []string{
		`[]`, `{}`, `{"table": "all"}`, `{"table": "table4", "rows": [1]}`, `{"table": "figure2", "rows": ["x"]}`,
		`{"table": "table4", "rows": [{"protocol": "ours", "dataset": "Iris", "method": "no such"}]}`,
		`{"table": "table4", "rows": [{"protocol": "ours", "dataset": "Iris", "method": "KRVFL",
			"kernel": "Gaussian kernel", "trials": [{"settings": {"kind": "none"}}]}]}`,
		`{"table": "table3", "rows": [{"dataset": "none"}]}`, `{"table": "table3", "rows": [{"train": "x"}]}`,
	} {
		var r Result
		if err := r.UnmarshalJSON([]byte(text)); !errors.Is(err, fault.Data) || r.Experiment != nil {
			t.Errorf("%s: %v, %+v", text, err, r)
		}
	}
}
