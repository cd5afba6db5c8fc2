package repro

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rvflplus/fault"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"1/1": {1, 1}, "2/3": {2, 3}, "10000/10000": {10000, 10000}} {
		if got, err := ParseShard(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "0/3", "4/3", "-1/3", "1/0", "1/3/2", "a/b", "1/10001", "1,3", " 1/3"} {
		if got, err := ParseShard(text); !errors.Is(err, fault.Usage) || !strings.Contains(err.Error(), "i/n") {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// onShards are options for tables that share cells, among them figures.
func onShards() Options {
	o := onGenerated()
	o.Datasets, o.Methods, o.Draws, o.Trials = []string{"iris", "mnist+"}, []string{"KRVFL+", "RVFL"}, 2, 2
	return o
}

var shardedTables = []string{"table2", "figure3a", "table4", "readings"}

// Three machines fill what one machine fills, each cell once; merged, their folders give the result of one machine.
func TestShardsGiveTheWhole(t *testing.T) {
	o := onShards()
	o.Cells = t.TempDir()
	whole := runOf(t, o, shardedTables...)
	files := keptFiles(t, o)
	all, folders := 0, []string{}
	for part := range 3 {
		o.Cells, o.Shard = t.TempDir(), Shard{part + 1, 3}
		results := runOf(t, o, shardedTables...)
		some := len(keptFiles(t, o))
		if all += some; some == 0 || some > len(files)/2 {
			t.Errorf("shard %s fills %d of %d cells", o.Shard, some, len(files))
		}
		folders = append(folders, o.Cells)
		checkLeft(t, results, o.Shard)
	}
	if all != len(files) {
		t.Errorf("the shards fill %d cells, one machine %d", all, len(files))
	}
	o.Cells, o.Shard = filepath.Join(t.TempDir(), "merged"), Shard{}
	if notes, err := Merge(t.Context(), o.Cells, folders); err != nil || notes != nil {
		t.Fatalf("merging: %q, %v", notes, err)
	}
	o.Loader = &generatedData{absent: []string{"iris", "mnist+"}}
	merged := runOf(t, o, shardedTables...)
	if got := values(merged); len(got) < 50 || !slices.Equal(got, values(whole)) {
		t.Errorf("merged %v, whole %v", got, values(whole))
	}
	for i := range merged {
		if left := merged[i].Run.Left; left != 0 || !slices.Equal(merged[i].Findings, whole[i].Findings) {
			t.Errorf("%s: %d cells are left, findings %q", merged[i].Experiment.Name, left, merged[i].Findings)
		}
	}
}

// checkLeft tests that cells without trials are said to be left to another shard, and how many they are.
func checkLeft(t *testing.T, results []*Result, own Shard) {
	t.Helper()
	for _, r := range results {
		left := 0
		for _, c := range r.Cells {
			if len(c.Trials) > 0 {
				continue
			}
			left++
			other, told := strings.CutPrefix(c.Stopped, "left to the machine with shard ")
			if !told || other == own.String() {
				t.Errorf("shard %s, %s: %q", own, r.Experiment.Name, c.Stopped)
			}
		}
		if r.Experiment.Sweep != nil && len(r.Points) == 0 {
			left++
		}
		if r.Run.Left != left || r.Run.Shard != own.String() {
			t.Errorf("shard %s, %s: %d cells left, %d are empty", own, r.Experiment.Name, r.Run.Left, left)
		}
		if text := text(t, r, 100); !strings.Contains(text, "shard "+own.String()) {
			t.Errorf("%s does not say that it is a shard:\n%s", r.Experiment.Name, text)
		}
	}
}

// The division depends on neither the machine's speed nor what is kept, and dear cells are spread.
func TestShardsAreDividedByCost(t *testing.T) {
	o := Options{Protocol: "both", Shard: Shard{1, 4}}
	plans, err := o.plan(ofPaper())
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(o)
	first := r.divide(plans)
	load, seen := make([]float64, 4), map[string]bool{}
	for _, p := range plans {
		for _, j := range p.jobs {
			name := r.shardKey(j)
			cost := j.cost(j.trials(10))
			if !(cost > 0) {
				t.Errorf("%s, %s costs %g", j.dataset.Name, j.method.Name, cost)
			}
			if !seen[name] {
				seen[name] = true
				load[first[name]-1] += cost
			}
		}
	}
	if len(first) != len(seen) || slices.Max(load) > 1.2*slices.Min(load) {
		t.Errorf("%d cells of %d; loads %v", len(first), len(seen), load)
	}
	slices.Reverse(plans)
	if again := r.divide(plans); !maps.Equal(again, first) {
		t.Error("in another order the division is another one")
	}
}

// mergeOf merges folders into a new one and returns it.
func mergeOf(t *testing.T, from ...string) (cells string, notes []string, err error) {
	t.Helper()
	cells = filepath.Join(t.TempDir(), "cells")
	notes, err = Merge(t.Context(), cells, from)
	return cells, notes, err
}

// Of two folders that overlap the longer cell is taken, whichever comes first; damaged files are passed over.
func TestMergeTakesTheLonger(t *testing.T) {
	o := onGenerated()
	o.Methods, o.Cells, o.Trials = []string{"RVFL"}, t.TempDir(), 3
	long := values(runOf(t, o, "table4"))
	three := o.Cells
	o.Cells, o.Trials, o.Methods = t.TempDir(), 1, []string{"KRVFL", "RVFL"}
	runOf(t, o, "table4")
	one := o.Cells
	damaged := keptFiles(t, o)[0]
	for _, order := range [][]string{{one, three}, {three, one}} {
		cells, notes, err := mergeOf(t, order...)
		if err != nil || notes != nil {
			t.Fatalf("%q, %v", notes, err)
		}
		o.Cells, o.Trials, o.Methods = cells, 3, []string{"RVFL"}
		if got := values(runOf(t, o, "table4")); len(keptFiles(t, o)) != 2 || !slices.Equal(got, long) {
			t.Errorf("%v, want %v; files %v", got, long, keptFiles(t, o))
		}
	}
	if err := errors.Join(os.WriteFile(damaged, []byte(`{"trials":[{"value":1`), 0o666),
		os.WriteFile(filepath.Join(one, "notes.json"), []byte("{}"), 0o666)); err != nil {
		t.Fatal(err)
	}
	cells, notes, err := mergeOf(t, one, three)
	o.Cells = cells
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], filepath.Base(damaged)) ||
		len(keptFiles(t, o)) == 0 {
		t.Errorf("damaged: %q, %v, %v", notes, err, keptFiles(t, o))
	}
}

// Folders of which a trial has other values are refused, with both files and both values, and nothing is merged.
func TestMergeRefusesConflicts(t *testing.T) {
	o := onGenerated()
	o.Methods, o.Cells, o.Trials = []string{"KRVFL", "RVFL"}, t.TempDir(), 2
	runOf(t, o, "table4")
	one := o.Cells
	for name, change := range map[string]func(*Trial){
		"trial 2 is":              func(t *Trial) { t.Value = -1 },
		"the score of trial 2 is": func(t *Trial) { t.Score = -1 },
		"the setting of trial 2":  func(t *Trial) { t.Config.C = 12345 },
	} {
		o.Cells = t.TempDir()
		runOf(t, o, "table4")
		path := keptFiles(t, o)[1]
		var k kept
		if !k.read(path) {
			t.Fatal("not read")
		}
		change(&k.Trials[1])
		if err := k.write(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		cells, _, err := mergeOf(t, one, o.Cells)
		if !errors.Is(err, fault.Data) || !strings.Contains(err.Error(), name) ||
			!strings.Contains(err.Error(), path) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(cells); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something was merged: %v", name, err)
		}
	}
	// Times may differ.
	o.Cells = t.TempDir()
	runOf(t, o, "table4")
	path := keptFiles(t, o)[0]
	var k kept
	k.read(path)
	k.Trials[0].Seconds++
	if err := k.write(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := mergeOf(t, one, o.Cells); err != nil {
		t.Error(err)
	}
}

func TestMergeNeedsFolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{file, filepath.Join(t.TempDir(), "absent")} {
		if _, _, err := mergeOf(t, from); !errors.Is(err, fault.Usage) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", from, err)
		}
	}
	if _, err := Merge(t.Context(), file, []string{t.TempDir()}); !errors.Is(err, fault.Usage) {
		t.Errorf("into a file: %v", err)
	}
}

// The points of a figure are merged like trials.
func TestMergeOfFigures(t *testing.T) {
	o := onGenerated()
	o.Datasets, o.Cells, o.Trials = nil, t.TempDir(), 1
	figure := values(runOf(t, o, "figure3a"))
	path := keptFiles(t, o)[0]
	cells, _, err := mergeOf(t, o.Cells, o.Cells)
	if err != nil {
		t.Fatal(err)
	}
	var k, other kept
	if !k.read(path) || !other.read(filepath.Join(cells, filepath.Base(path))) || len(k.Points) != len(figure) ||
		!slices.Equal(k.Points, other.Points) {
		t.Errorf("%d points, merged %d", len(k.Points), len(other.Points))
	}
	other.Points[0].Value++
	if err := other.write(t.Context(), filepath.Join(cells, filepath.Base(path))); err != nil {
		t.Fatal(err)
	}
	if _, _, err := mergeOf(t, o.Cells, cells); !errors.Is(err, fault.Data) {
		t.Errorf("other points: %v", err)
	}
}
