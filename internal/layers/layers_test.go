package layers

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	root   = "../.."
	module = "rvflplus"
)

// source is one parsed Go file that is not a test.
type source struct {
	pkg  string // path below the module
	file *ast.File
	set  *token.FileSet
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if d.IsDir() &&
			(rel == "tools" || strings.HasPrefix(d.Name(), "_") || strings.HasPrefix(d.Name(), ".") && rel != ".") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		pkg := filepath.ToSlash(filepath.Dir(rel))
		if pkg == "." {
			pkg = ""
		}
		all = append(all, source{pkg, file, set})
		return err
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("%d files: %v", len(all), err)
	}
	return all
}

func TestPackagesImportOnlyDownwards(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		own, listed := floor[s.pkg]
		seen[s.pkg] = true
		if !listed {
			t.Errorf("package %q has no floor", s.pkg)
			continue
		}
		for _, spec := range s.file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if path != module && !strings.HasPrefix(path, module+"/") {
				continue
			}
			below := strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
			other := floor[below]
			if other > own || other == own && !slices.Contains(sameFloor[s.pkg], below) {
				t.Errorf("%q on floor %d imports %q on floor %d", s.pkg, own, below, other)
			}
		}
	}
	for pkg := range floor {
		if !seen[pkg] {
			t.Errorf("package %q has a floor but no files", pkg)
		}
	}
}

// at tells which package may import what is not of the module or the standard
// library, by the beginning of its path; "" is every package.
var at = map[string]string{
	"gonum.org/v1/gonum/":                "",
	"golang.org/x/sys/cpu":               "",
	"github.com/parquet-go/parquet-go":   "dataset/parquet",
	"github.com/klauspost/compress/zstd": "dataset/parquet", // the packings of Parquet pages,
	"github.com/andybalholm/brotli":      "dataset/parquet", // which parquet-go brings along
	"github.com/pierrec/lz4/v4":          "dataset/parquet",
	"gonum.org/v1/plot":                  "internal/report",
	"github.com/jackc/pgx/v5":            "internal/postgres",
	"codeberg.org/go-pdf/fpdf":           "internal/report", // what gonum's plot writes PDF with
}

// Heavy dependencies stay where they are needed: those of the command in the
// command, plots in report, Parquet in its package, which only dataset/tablefile
// imports, and the driver of PostgreSQL in its package, which only the command
// imports.
func TestHeavyDependenciesStayWhereTheyAreNeeded(t *testing.T) {
	for _, s := range sources(t) {
		for _, spec := range s.file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if path == module+"/dataset/parquet" && s.pkg != "dataset/tablefile" ||
				path == module+"/internal/postgres" && s.pkg != "cmd/rvfl" {
				t.Errorf("%q imports %s", s.pkg, path)
			}
			external := strings.Contains(strings.SplitN(path, "/", 2)[0], ".")
			if external && !allowed(s.pkg, path) {
				t.Errorf("%q imports %s", s.pkg, path)
			}
		}
	}
}

// A program that imports the library does not hold the driver of PostgreSQL.
func TestTheLibraryHasNoDatabaseDriver(t *testing.T) {
	list := func(pkg string) string {
		c := exec.Command("go", "list", "-deps", pkg)
		c.Dir = root
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go list -deps %s: %v\n%s", pkg, err, out)
		}
		return string(out)
	}
	const driver = "github.com/jackc/pgx"
	if strings.Contains(list("."), driver) {
		t.Error("the root package depends on " + driver)
	}
	if !strings.Contains(list("./cmd/rvfl"), driver) {
		t.Error("the command does not depend on " + driver + ": the test looks for the wrong name")
	}
}

func allowed(pkg, path string) bool {
	for prefix, only := range at {
		if strings.HasPrefix(path, prefix) {
			return only == "" || pkg == only
		}
	}
	return pkg == "cmd/rvfl"
}

// Every exported name of a library package has a doc comment.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.IsExported() && f.Doc == nil && receiverExported(f) &&
				s.pkg != "cmd/rvfl" {
				t.Errorf("%s: %s has no doc comment", s.set.Position(f.Pos()), f.Name.Name)
			}
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if ts := spec.(*ast.TypeSpec); ts.Name.IsExported() && g.Doc == nil && ts.Doc == nil {
					t.Errorf("%s: %s has no doc comment", s.set.Position(ts.Pos()), ts.Name.Name)
				}
			}
		}
	}
}

func receiverExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	expr := f.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	name, ok := expr.(*ast.Ident)
	return !ok || name.IsExported()
}

// Lines of code and comments end by column 120, a tab being four columns wide; generated files may be wider.
func TestLinesEndByColumn120(t *testing.T) {
	const last, tab = 120, 4
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.Contains(text[:min(len(text), 200)], []byte("DO NOT EDIT")) {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			width := utf8.RuneCountInString(line) + (tab-1)*strings.Count(line, "\t")
			if width > last && !strings.HasPrefix(line, "//go:") {
				t.Errorf("%s:%d: the line ends at column %d", path, i+1, width)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
