package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rvflplus/fault"
	"rvflplus/internal/fetch"
	"rvflplus/internal/roles"
)

var (
	hex64 = regexp.MustCompile(`^[0-9a-f]{64}$`)
	hex40 = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

func TestEntries(t *testing.T) {
	var names []string
	for _, e := range Entries() {
		names = append(names, e.Name)
		if e.Title == "" || e.Page == "" || e.Licence == "" || e.Citation == "" || len(e.Errata) == 0 {
			t.Errorf("%s: something is not said", e.Name)
		}
		checkShape(t, e)
		checkRoles(t, e)
		for _, f := range e.Files() {
			checkFile(t, e, f)
		}
	}
	want := strings.Fields("abalone andro edm glass iris mnist+ parkinsons scm1d scm1d-test scm20d segment shuttle " +
		"slump wine wine-red wine-white")
	if !slices.Equal(names, want) {
		t.Errorf("entries %v, want %v", names, want)
	}
}

func checkShape(t *testing.T, e Entry) {
	t.Helper()
	rows, ofClasses, parts := 0, 0, 0
	for _, b := range e.Blocks {
		rows += b.Rows
	}
	for _, c := range e.Classes {
		ofClasses += c.Rows
	}
	for _, p := range e.Parts {
		if p.From != parts {
			t.Errorf("%s: part %s begins at row %d, the one before ends at %d", e.Name, p.Name, p.From, parts)
		}
		parts = p.To
	}
	if rows != e.Rows || parts != 0 && parts != rows {
		t.Errorf("%s: %d rows, %d in blocks, %d in parts", e.Name, e.Rows, rows, parts)
	}
	if sum := e.Split.Train + e.Split.Validation + e.Split.Test; sum != e.Rows && e.Name != "parkinsons" {
		t.Errorf("%s: %d rows, %d in the split", e.Name, e.Rows, sum)
	}
	classes := e.Task == "classification"
	if classes != (ofClasses == e.Rows) || classes != (len(e.Targets) == 1) || e.Task != "classification" &&
		e.Task != "regression" {
		t.Errorf("%s: %s with %d targets and %d rows in classes", e.Name, e.Task, len(e.Targets), ofClasses)
	}
	if e.checkPart(e.Default) != nil {
		t.Errorf("%s has no part %q", e.Name, e.Default)
	}
}

func checkRoles(t *testing.T, e Entry) {
	t.Helper()
	columns := slices.Concat(e.Features, e.Targets)
	if distinct := slices.Compact(slices.Sorted(slices.Values(columns))); len(distinct) != len(columns) {
		t.Errorf("%s: two columns have the same name", e.Name)
	}
	roles, err := roles.Resolve(e.Selection(), columns)
	n := len(e.Features)
	if err != nil || !slices.Equal(roles.Normal, numbers(0, e.Normal)) ||
		!slices.Equal(roles.Priv, numbers(e.Normal, n)) ||
		!slices.Equal(roles.Target, numbers(n, len(columns))) {
		t.Errorf("%s: roles %+v, %v", e.Name, roles, err)
	}
}

func checkFile(t *testing.T, e Entry, f File) {
	t.Helper()
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "https" || strings.HasPrefix(f.Path, "/") || strings.Contains(f.Path, "..") {
		t.Errorf("%s: %s, %s", e.Name, f.URL, f.Path)
	}
	for _, sum := range []string{f.Sum.SHA256, f.Unpacked} {
		if sum != "" && !hex64.MatchString(sum) {
			t.Errorf("%s: SHA-256 %q", f.Path, sum)
		}
	}
	known := f.Sum.SHA256 != "" && f.Size > 0
	if !known && (!hex40.MatchString(f.Sum.Git) || !strings.HasPrefix(f.Path, "mulan/scm")) {
		t.Errorf("%s: sum %+v of %d bytes", f.Path, f.Sum, f.Size)
	}
	for _, name := range f.Columns {
		if name != "" && !slices.Contains(e.Features, name) && !slices.Contains(e.Targets, name) {
			t.Errorf("%s: column %q is neither feature nor target", f.Path, name)
		}
	}
}

// The sizes of tables 3 and 5, which the halves follow.
func TestHalves(t *testing.T) {
	want := map[string][2]int{
		"iris": {2, 2}, "glass": {5, 4}, "abalone": {4, 4}, "wine": {7, 6}, "wine-red": {6, 5}, "wine-white": {6, 5},
		"shuttle": {5, 4}, "segment": {11, 8}, "andro": {15, 15}, "edm": {8, 8}, "slump": {4, 3}, "scm1d": {140, 140},
		"scm1d-test": {140, 140}, "scm20d": {31, 30}, "mnist+": {100, 21}, "parkinsons": {11, 11},
	}
	for _, e := range Entries() {
		if got := [2]int{e.Normal, e.Privileged()}; got != want[e.Name] {
			t.Errorf("%s: %v normal and privileged features, want %v", e.Name, got, want[e.Name])
		}
	}
}

// The differences that a reading of the data found.
func TestPaperDifferences(t *testing.T) {
	want := map[string][]Difference{
		"mnist+":   {{"validation rows", 4000, 4002}},
		"glass":    {{"classes", 5, 6}},
		"wine-red": {{"classes", 3, 6}},
		"edm":      {{"training rows", 140, 100}, {"test rows", 74, 54}},
	}
	tables := map[int]int{}
	for _, r := range Paper() {
		tables[r.Table]++
		if got := r.Differences(); !slices.Equal(got, want[r.Entry]) {
			t.Errorf("%s differs by %v, want %v", r.Problem, got, want[r.Entry])
		} else if len(got) > 0 && r.Remark == "" {
			t.Errorf("%s differs without a remark", r.Problem)
		}
	}
	if !maps.Equal(tables, map[int]int{0: 1, 3: 8, 5: 5}) {
		t.Errorf("rows of tables %v", tables)
	}
}

func TestFind(t *testing.T) {
	for reference, want := range map[string]string{"iris": "", "iris:bezdek": "bezdek", "mnist+:test": "test",
		"shuttle:all": "all"} {
		e, part, err := Find(reference)
		if err != nil || part != want || !strings.HasPrefix(reference, e.Name) {
			t.Errorf("%s: %s %q, %v", reference, e.Name, part, err)
		}
	}
	for reference, hint := range map[string]string{
		"irsi": `"iris"`, "": "abalone, andro", "iris:": "", "wine-rde": `"wine-red"`, "iris:test": "all, bezdek",
		"x:y:z": "iris",
	} {
		_, _, err := Find(reference)
		if hint == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if !errors.Is(err, fault.Usage) || !strings.Contains(fault.HintOf(err), hint) {
			t.Errorf("%q: %v (%s)", reference, err, fault.HintOf(err))
		}
	}
}

func TestSummary(t *testing.T) {
	e, _, _ := Find("iris")
	text, err := json.Marshal(e.Summary(true))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"name": "iris", "rows": 150.0, "features": 2.0, "privileged": 2.0, "task": "classification", "classes": 3.0,
		"url":     "https://archive.ics.uci.edu/ml/machine-learning-databases/iris/iris.data",
		"sha256":  "6f608b71a7317216319b4d27b4d9bc84e6abd734eda7872b71a458569e2656c0",
		"licence": "CC BY 4.0 (as published by UCI)", "available": true,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if _, there := got["targets"]; there || got["citation"] == "" {
		t.Errorf("%s", text)
	}
	scm, _, _ := Find("scm1d")
	if s := scm.Summary(false); s.SHA256 != "" || s.Files[0].GitObject != "949342bac49be5f52c4a3b03068ff7e13b9b8e82" ||
		s.Targets != 16 || s.Classes != 0 {
		t.Errorf("%+v", s)
	}
}

func TestDownloads(t *testing.T) {
	e, _, _ := Find("shuttle")
	var downloads []fetch.File
	for _, f := range e.Files() {
		downloads = append(downloads, f.Download("cache"))
	}
	got := fmt.Sprint(downloads)
	want := fmt.Sprint([]fetch.File{
		{URL: uciFiles + "statlog/shuttle/shuttle.trn.Z", Path: "cache/uci/statlog-shuttle/shuttle.trn.Z",
			Sum: fetch.Sum{SHA256: "ffd2cbf221d4982ccc77c674621c23291447f3fd9484c00d8078858965e0e7ed"}, Size: 319869},
		{URL: uciFiles + "statlog/shuttle/shuttle.tst", Path: "cache/uci/statlog-shuttle/shuttle.tst",
			Sum: fetch.Sum{SHA256: "f776934a628d9b94c482cb058a76ddaa63823e0f74aec065813c9dff3b89d661"}, Size: 384257},
	})
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
