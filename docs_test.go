package rvflplus_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"rvflplus/activation"
	"rvflplus/kernel"
)

// The tables in docs/ show the formulas that the code states.
func TestDocumentedFormulas(t *testing.T) {
	plain := strings.NewReplacer("&#124;", "|", "‖", "|")
	contains := func(file, name, formula string) {
		if row := "| `" + name + "` | " + formula; !strings.Contains(plain.Replace(read(t, file)), row) {
			t.Errorf("%s has no row %s", file, row)
		}
	}
	for _, name := range activation.Names() {
		formula, _ := activation.Formula(name)
		contains("docs/rvfl.md", name, formula)
	}
	for _, name := range kernel.Names() {
		contains("docs/krvfl.md", name, kernel.Formula(name))
	}
}

// The documents' lines end by column 120, and their links and commands name files and
// packages that exist. Tables and answers of programs may be wider.
func TestDocumentsNameWhatExists(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	packages := regexp.MustCompile(`go (?:test|run|build|vet|generate)(?: -\S+(?: [^-.\s]\S*)?)* (\./[a-z/_]+|\.)`)
	for _, file := range documents(t) {
		text := read(t, file)
		fence := ""
		for i, line := range strings.Split(text, "\n") {
			if mark, ok := strings.CutPrefix(line, "```"); ok {
				if fence != "" {
					fence = ""
				} else if fence = mark; fence == "" {
					fence = "answer"
				}
			}
			if n := utf8.RuneCountInString(line); n > 120 && fence != "answer" && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d has %d columns", file, i+1, n)
			}
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			checkLink(t, file, m[1])
		}
		for _, m := range packages.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(strings.TrimSuffix(m[1], "/...")); err != nil {
				t.Errorf("%s: %s: %v", file, m[0], err)
			}
		}
	}
}

// documents returns the Markdown files that people write.
func documents(t *testing.T) []string {
	files := []string{"README.md", "CONTRIBUTING.md", "bench/README.md"}
	err := filepath.WalkDir("docs", func(path string, d fs.DirEntry, err error) error {
		if d.IsDir() && path == filepath.Join("docs", "results") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// checkLink checks the target of a link in a file, and the heading that it names.
func checkLink(t *testing.T, file, target string) {
	if strings.HasPrefix(target, "https://") {
		return
	}
	path, anchor, _ := strings.Cut(target, "#")
	if path = filepath.Join(filepath.Dir(file), path); strings.HasPrefix(target, "#") {
		path = file
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("%s links to %s: %v", file, target, err)
		return
	}
	if anchor == "" {
		return
	}
	// A heading's anchor is its text in small letters, blanks as hyphens, without signs.
	drop := regexp.MustCompile(`[^\pL\pN _-]`)
	for _, line := range strings.Split(read(t, path), "\n") {
		heading := strings.ToLower(strings.TrimLeft(line, "# "))
		if strings.HasPrefix(line, "#") && strings.ReplaceAll(drop.ReplaceAllString(heading, ""), " ", "-") == anchor {
			return
		}
	}
	t.Errorf("%s links to %s: no such heading", file, target)
}

// Every package stands in the table of docs/architecture.md.
func TestPackagesAreDocumented(t *testing.T) {
	list, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	table := read(t, "docs/architecture.md")
	for _, path := range strings.Fields(string(list)) {
		name := strings.TrimPrefix(strings.TrimPrefix(path, "rvflplus"), "/")
		switch name {
		case "", "internal/layers", "internal/oracle", "internal/realdata": // the root package; what only tests use
			continue
		}
		if !strings.Contains(table, "`"+name+"`") {
			t.Errorf("docs/architecture.md does not name %s", name)
		}
	}
}

// The Go code of the README compiles.
func TestReadmeCode(t *testing.T) {
	_, code, found := strings.Cut(read(t, "README.md"), "```go\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed {
		t.Fatal("README.md has no Go code")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	program := "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n\t\"rvflplus\"\n)\n\n" +
		"func main() {\n\tctx := context.Background()\n" +
		code + "}\n\nfunc check(err error) {\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n"
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	place, err := filepath.Abs("cmd/readme/main.go")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {place: source}})
	if err != nil {
		t.Fatal(err)
	}
	replace := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(replace, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", replace, "-o", os.DevNull, "./cmd/readme")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, program)
	}
}

func read(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
