package repro

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"rvflplus/fault"
)

var update = flag.Bool("update", false, "write testdata, docs/results and the documents' blocks anew")

func text(t *testing.T, r *Result, width int) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteText(&b, width); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func markdown(t *testing.T, r *Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteMarkdown(&b, "rvfl repro table4"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The made-up table looks as it did when somebody last looked at it.
func TestMadeUpTableLooksTheSame(t *testing.T) {
	for name, got := range map[string]string{"madeup.txt": text(t, madeUp(), 100), "madeup.md": markdown(t, madeUp())} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs (go test ./internal/repro -update writes it anew):\n%s", name, got)
		}
	}
}

func TestTextFitsTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 100, 200} {
		for _, r := range everything() {
			for _, line := range strings.Split(text(t, r, width), "\n") {
				if n := utf8.RuneCountInString(line); n > width {
					t.Errorf("%s: %d characters of %d: %s", r.Experiment.Name, n, width, line)
				}
			}
		}
	}
	// Nothing is lost when columns go below one another.
	narrow, wide := text(t, madeUp(), 60), text(t, madeUp(), 300)
	if strings.Count(narrow, "±") != strings.Count(wide, "±") {
		t.Error("a narrow terminal shows other cells than a wide one")
	}
}

func TestMarkdownTablesAreEven(t *testing.T) {
	bars := regexp.MustCompile(`(^|[^\\])\|`)
	for _, r := range everything() {
		columns, tables := 0, 0
		for _, line := range strings.Split(markdown(t, r), "\n") {
			if !strings.HasPrefix(line, "|") {
				columns = 0
				continue
			}
			n := len(bars.FindAllString(line, -1))
			if columns == 0 {
				columns, tables = n, tables+1
			}
			if n != columns {
				t.Errorf("%s: %d bars, not %d: %s", r.Experiment.Name, n, columns, line)
			}
		}
		if tables == 0 {
			t.Errorf("%s has no table", r.Experiment.Name)
		}
	}
}

// decode reads the JSON of a result as any other program would.
func decode(t *testing.T, r *Result) map[string]any {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestJSONOfATable(t *testing.T) {
	r := madeUp()
	answer := decode(t, r)
	if answer["table"] != "table4" || answer["protocol"] != "both" {
		t.Errorf("%v, %v", answer["table"], answer["protocol"])
	}
	rows := answer["rows"].([]any)
	if len(rows) != len(r.Cells) {
		t.Fatalf("%d rows of %d cells", len(rows), len(r.Cells))
	}
	at := func(row int) map[string]any { return rows[row].(map[string]any) }
	fields(t, at(0), map[string]any{
		"protocol": "published", "dataset": "Iris", "method": "KRVFL+", "kernel": "Gaussian kernel",
		"accuracy": 77.5, "sd": 0.25, "seconds": 0.001, "tune_seconds": 0.75, "differs": false,
		"best": false, "added": false,
	})
	paper := at(0)["paper"].(map[string]any)
	fields(t, paper, map[string]any{"accuracy": 77.25, "seconds": 0.001})
	if len(paper) != 2 {
		t.Errorf("paper %v", paper)
	}
	fields(t, at(1), map[string]any{"activation": "Sigmoid function"})
	fields(t, at(2), map[string]any{"limit": 600.0, "sd": nil})
	if _, there := at(2)["accuracy"]; there || at(2)["stopped"] == "" {
		t.Errorf("stopped %v", at(2))
	}
	fields(t, at(3), map[string]any{"paper": nil, "added": true, "best": true})
	if n := len(at(3)["trials"].([]any)); n != 3 {
		t.Errorf("%d trials", n)
	}
	rmse := decode(t, madeUpSingle())["rows"].([]any)[0].(map[string]any)
	fields(t, rmse, map[string]any{"rmse": 77.5, "accuracy": nil})
}

// fields checks values of a JSON object; nil is for null or nothing.
func fields(t *testing.T, got, want map[string]any) {
	t.Helper()
	for key, v := range want {
		if got[key] != v {
			t.Errorf("%s is %v, not %v", key, got[key], v)
		}
	}
}

func TestJSONOfFiguresAndStatistics(t *testing.T) {
	point := decode(t, madeUpMap())["rows"].([]any)[3].(map[string]any)
	if point["x"] != 1.0 || point["y"] != 1000.0 || point["value"] != 81.0 {
		t.Errorf("point %v", point)
	}
	if point := decode(t, madeUpCurve())["rows"].([]any)[0].(map[string]any); point["y"] != nil {
		t.Errorf("a curve has y: %v", point)
	}
	edm := decode(t, statistics())["rows"].([]any)[1].(map[string]any)
	if edm["dataset"] != "EDM" || edm["train"] != 100.0 || edm["paper"].(map[string]any)["train"] != 140.0 ||
		len(edm["differences"].([]any)) != 2 {
		t.Errorf("statistics %v", edm)
	}
}

func TestCSVReadsBack(t *testing.T) {
	for _, r := range everything() {
		var b bytes.Buffer
		if err := r.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if want := 1 + len(r.Cells) + len(r.Points) + len(r.Statistics); len(rows) != want {
			t.Errorf("%s: %d lines, not %d", r.Experiment.Name, len(rows), want)
		}
		if r.Experiment.Name != "table4" {
			continue
		}
		at := func(row int, name string) string { return rows[row][slices.Index(rows[0], name)] }
		if at(1, "mean") != "77.5" || at(1, "values") != "77.25 77.5 77.75" || at(1, "paper") != "77.25" ||
			at(3, "mean") != "" || at(3, "sd") != "" || at(3, "limit") != "600" {
			t.Errorf("lines %v\n%v", rows[1], rows[3])
		}
	}
}

func page(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := WritePage(&b, everything()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPageStandsAlone(t *testing.T) {
	page := page(t)
	if external := regexp.MustCompile(`src=|href="[^#]|@import|url\(|<script|<link`).FindString(page); external != "" {
		t.Errorf("the page refers to something else: %s", external)
	}
	if strings.Contains(page, "<none>") {
		t.Error("a title is not escaped")
	}
	for _, link := range regexp.MustCompile(`href="#(\w+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `id="`+link[1]+`"`) {
			t.Errorf("nothing is at #%s", link[1])
		}
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(page, "<svg"); n != len(everything()) {
		t.Errorf("%d pictures of %d results", n, len(everything()))
	}
}

func TestNowhereIsNaN(t *testing.T) {
	wrong := regexp.MustCompile(`NaN|[+-]Inf\b|\bnan\b`)
	if found := wrong.FindString(page(t)); found != "" {
		t.Errorf("the page has %s", found)
	}
	dir := t.TempDir()
	if err := WriteReport(t.Context(), dir, "rvfl repro all", everything()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1+4*len(everything()) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := wrong.Find(text); found != nil {
			t.Errorf("%s has %s", filepath.Base(file), found)
		}
	}
	further := t.TempDir()
	if err := WriteReport(t.Context(), further, "rvfl repro all", everything(), ".png", ".pdf"); err != nil {
		t.Fatal(err)
	}
	if more, err := filepath.Glob(filepath.Join(further, "*")); err != nil || len(more) != 1+6*len(everything()) {
		t.Errorf("%d files with pictures in three formats, %v", len(more), err)
	}
	for _, r := range everything() {
		if found := wrong.FindString(text(t, r, 80)); found != "" {
			t.Errorf("the text of %s has %s", r.Experiment.Name, found)
		}
	}
}

// What was measured nowhere has neither a mark nor a share in the findings.
func TestNothingMeasured(t *testing.T) {
	r := madeUp()
	for _, c := range r.Cells {
		c.Trials, c.Stopped = nil, "no data"
	}
	r.Conclude()
	got := text(t, r, 80)
	if strings.Contains(got, "†  ") || strings.Contains(got, "*") && !strings.Contains(got, "with *") {
		t.Error(got)
	}
	if len(r.Findings) != 0 {
		t.Errorf("findings %q", r.Findings)
	}
	empty := &Result{Experiment: &Experiment{Name: "table4"}, Protocol: "both"}
	empty.Conclude()
	if text(t, empty, 80) == "" || markdown(t, empty) == "" || len(decode(t, empty)["rows"].([]any)) != 0 ||
		empty.pictures() != nil {
		t.Error("an empty result is written wrongly")
	}
}

func TestReportIntoAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := WriteReport(t.Context(), file, "", everything()); err == nil {
		t.Error("a file was taken for a folder")
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0.00034: "0.00034", 0.0123: "0.012", 1.26: "1.3", 12.3: "12",
		436.1: "436", 1.2e-7: "1.2e-07", 0: "0", math.Inf(1): none} {
		if got := seconds(v); got != want {
			t.Errorf("%g s is %s, not %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{1e-5: "0.00001", 100000: "100000", 1.7782794: "1.778", 0.025: "0.025"} {
		if got := setting(v); got != want {
			t.Errorf("the setting %g is %s, not %s", v, got, want)
		}
	}
}

// What is wrong with the folder of a report is said before hours of work, and nothing is
// made.
func TestFolderOfAReport(t *testing.T) {
	dir := t.TempDir()
	file, full := filepath.Join(dir, "file"), filepath.Join(dir, "full")
	err := errors.Join(os.WriteFile(file, nil, 0o666), os.MkdirAll(filepath.Join(full, PageName), 0o777))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, filepath.Join(file, "below"), full} {
		if err := CheckReport(bad); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	good := filepath.Join(dir, "a", "b")
	if err := CheckReport(good); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(good)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is there: %v", err)
	}
}
