package repro

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// writtenReadings is what the tests read of docs/results/readings.json.
type writtenReadings struct {
	Metric    string
	Findings  []string
	Nearest   []Nearest
	Protocols []struct{ Name string }
	Run       struct{ Seconds float64 }
}

func readReadingsOf(t *testing.T, name string) writtenReadings {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "results", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var out writtenReadings
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// nearest.json is what docs/results/readings.json and readings-regression.json say.
func TestMeasuredReadingsAreThoseOfTheDocuments(t *testing.T) {
	var file struct {
		Generator string         `json:"generator"`
		Readings  []readReadings `json:"readings"`
	}
	file.Generator = "go test ./internal/repro -run MeasuredReadings -update"
	for _, e := range []*Experiment{readingsOfClassifications(), readingsOfRegressions()} {
		written := readReadingsOf(t, e.Name)
		file.Readings = append(file.Readings, readReadings{
			Experiment: e.Name, Table: e.Numbers, First: written.Protocols[0].Name, Nearest: written.Nearest,
		})
		if want := len(e.Datasets) * len(e.Methods); len(written.Nearest) != want {
			t.Errorf("%s has %d nearest readings, want %d", e.Name, len(written.Nearest), want)
		}
	}
	want, err := json.MarshalIndent(file, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("nearest.json", append(want, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(nearestText) != string(want)+"\n" {
		t.Errorf("nearest.json is not what was measured: %s", file.Generator)
	}
}

// Remarks name the nearest reading of the cells for which readings were measured, and of no others.
func TestRemarksNameTheNearestReading(t *testing.T) {
	for _, of := range measuredReadings() {
		for _, n := range of.Nearest {
			text := nearestReading(of.Table, n.Dataset, n.Method)
			e := Experiment{Metric: map[string]string{"table4": accuracy, "table6": rmse}[of.Table]}
			own := n.Reading == of.First
			named := strings.Contains(text, n.Words) && strings.Contains(text, " has "+e.number(n.Value)+" ")
			if !strings.HasPrefix(text, notKnown+"; ") || named == own || !strings.Contains(text, of.Experiment+".md") {
				t.Errorf("%s, %s: %q", n.Dataset, n.Method, text)
			}
		}
	}
	for _, absent := range [][3]string{
		{"table4", "Iris", "SVM"}, {"table7", "Iris", "KRVFL+"}, {"table4", "Shuttle", "KRVFL+"},
	} {
		if text := nearestReading(absent[0], absent[1], absent[2]); text != notKnown {
			t.Errorf("%v: %q", absent, text)
		}
	}
}

// docs/reproduction.md tells the readings as docs/results has them: <!-- readings: NAME nearest --> is followed by a
// table of the nearest readings of an experiment, <!-- readings: NAME findings --> by its findings, both up to
// <!-- end -->.
func TestDocumentsTellTheReadings(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "reproduction.md")
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(<!-- readings: (\S+) (nearest|findings) -->\n)(?s:.*?)<!-- end -->`)
	blocks := 0
	renewed := block.ReplaceAllStringFunc(string(old), func(b string) string {
		blocks++
		part := block.FindStringSubmatch(b)
		written := readReadingsOf(t, part[2])
		if part[3] == "nearest" {
			return part[1] + "\n" + written.rows() + "\n<!-- end -->"
		}
		var items strings.Builder
		time := fmt.Sprintf("The command `rvfl repro %s` took %s s in all.", part[2], seconds(written.Run.Seconds))
		for _, f := range append(written.Findings, time) {
			wrapped(&items, "- ", f, 120)
		}
		return part[1] + "\n" + items.String() + "\n<!-- end -->"
	})
	if blocks != 4 {
		t.Errorf("%d blocks of readings, want 4", blocks)
	}
	if *update {
		if err := os.WriteFile(path, []byte(renewed), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if renewed != string(old) {
		t.Error("docs/reproduction.md tells other readings: go test ./internal/repro -run TellTheReadings -update")
	}
}

// rows is a Markdown table with a line for each data set: the paper's number, the nearest reading, its mean, and
// how many readings are within two standard errors, for each method.
func (w writtenReadings) rows() string {
	e, near := Experiment{Metric: w.Metric}, w.Nearest
	var methods, datasets []string
	at := map[string]Nearest{}
	for _, n := range near {
		if !slices.Contains(methods, n.Method) {
			methods = append(methods, n.Method)
		}
		if !slices.Contains(datasets, n.Dataset) {
			datasets = append(datasets, n.Dataset)
		}
		at[n.Method+n.Dataset] = n
	}
	head, rule := "| data |", "|---|"
	for _, m := range methods {
		head += fmt.Sprintf(" %s: paper | nearest reading | mean ± sd | within |", m)
		rule += "---:|---|---:|---:|"
	}
	out := head + "\n" + rule + "\n"
	for _, d := range datasets {
		out += "| " + d + " |"
		for _, m := range methods {
			n := at[m+d]
			out += fmt.Sprintf(" %s | %s | %s | %d of %d |", e.number(n.Paper), n.Reading, e.spread(n.Value, *n.SD),
				n.Within, n.Readings)
		}
		out += "\n"
	}
	return out
}
