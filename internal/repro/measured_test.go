package repro

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Documents tell the findings of docs/results/gains.json as they are: a block of lines <!-- measured: SUBJECT --> is
// followed by the findings of these subjects, up to <!-- end -->. No other number of gains stands in these documents.
func TestDocumentsTellWhatWasMeasured(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	var kept struct{ Findings []string }
	text, err := os.ReadFile(filepath.Join(docs, "results", "gains.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`((?:<!-- measured: [^\n]+ -->\n)+)((?s:.*?))<!-- end -->`)
	subject := regexp.MustCompile(`<!-- measured: ([^\n]+) -->`)
	for name, want := range map[string]int{"methods.md": 10, "ensembles.md": 5, "../README.md": 2} {
		path, found := filepath.Join(docs, name), 0
		old, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		renewed := block.ReplaceAllStringFunc(string(old), func(b string) string {
			markers := block.FindStringSubmatch(b)[1]
			out := markers
			for _, m := range subject.FindAllStringSubmatch(markers, -1) {
				found++
				out += "\n" + item(measured(t, kept.Findings, m[1])) + "\n"
			}
			return out + "\n<!-- end -->"
		})
		if found < want {
			t.Errorf("%s tells %d findings, want %d", name, found, want)
		}
		if *update {
			if err := os.WriteFile(path, []byte(renewed), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if renewed != string(old) {
			t.Errorf("docs/%s does not tell what was measured: go test ./internal/repro -run Measured -update", name)
		}
	}
}

// measured returns the finding of a subject.
func measured(t *testing.T, findings []string, subject string) string {
	t.Helper()
	for _, f := range findings {
		if strings.HasPrefix(f, subject+": ") {
			return f
		}
	}
	t.Errorf("nothing was measured of %q", subject)
	return ""
}

// item writes a text as an item of a Markdown list.
func item(text string) string {
	var b strings.Builder
	wrapped(&b, "- ", "Measured: "+text, 120)
	return strings.TrimSuffix(b.String(), "\n")
}
