package registry

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/fetch"
	"rvflplus/internal/roles"
)

// toy is an entry of two blocks with an extra table, all written below folder.
func toy(t *testing.T, folder string) Entry {
	t.Helper()
	write := func(path, text string) fetch.Sum {
		full := filepath.Join(folder, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o777),
			os.WriteFile(full, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(text))
		return fetch.Sum{SHA256: hex.EncodeToString(sum[:])}
	}
	file := func(path, text string, columns ...string) File {
		return File{Path: path, Sum: write(path, text), Columns: columns}
	}
	skipping := file("t/extra.data", ";; a\n;; b\n1,11,110,7\n", "id", "y", "a", "b")
	skipping.Skip, skipping.Columns[0] = 2, ""
	return Entry{
		Name: "toy", Rows: 5, Task: "classification",
		Features: []string{"a", "b", "p"}, Normal: 2, Targets: []string{"y"},
		Group: []Interval{{"low", 0, 9}, {"high", 10, 20}},
		Blocks: []Block{
			{Rows: 2, Files: []File{file("t/x.data", "5,1,10\n15,2,20\n", "y", "a", "b"),
				file("t/p.data", "100\n200\n", "p")}},
			{Rows: 3, Files: []File{file("t/z.data", "7,3,30\n17,4,40\n9,5,50\n", "y", "a", "b")}},
		},
		Parts:   []Part{{"first", 0, 2}, {"second", 2, 5}},
		Default: "first",
		Extra:   []Extra{{"extra", Block{Rows: 1, Files: []File{skipping}}}},
	}
}

func show(t *dataset.Table) string {
	var b strings.Builder
	b.WriteString(strings.Join(t.Names(), " "))
	for row := range t.Rows {
		b.WriteString(" |")
		for i := range t.Columns {
			b.WriteString(" " + t.Columns[i].Text(row))
		}
	}
	return b.String()
}

func TestLoadParts(t *testing.T) {
	folder := t.TempDir()
	e := toy(t, folder)
	l := Loader{Folders: []string{t.TempDir(), folder}}
	for part, want := range map[string]string{
		"":       "a b p y | 1 10 100 low | 2 20 200 high",
		"first":  "a b p y | 1 10 100 low | 2 20 200 high",
		"second": "a b p y | 3 30  low | 4 40  high | 5 50  low",
		"all":    "a b p y | 1 10 100 low | 2 20 200 high | 3 30  low | 4 40  high | 5 50  low",
		"extra":  "a b p y | 110 7  high",
	} {
		set, err := l.Load(context.Background(), e, part)
		if err != nil {
			t.Fatalf("%s: %v", part, err)
		}
		if got := show(set.Table); got != want {
			t.Errorf("%s: %s, want %s", part, got, want)
		}
		if err := set.Table.Check(); err != nil {
			t.Errorf("%s: %v", part, err)
		}
		data, err := roles.Sources{Main: set.Table.Source()}.Load(context.Background(), set.Selection)
		if err != nil || !slices.Equal(data.Roles.Normal, []int{0, 1}) || !slices.Equal(data.Roles.Priv, []int{2}) ||
			!slices.Equal(data.Roles.Target, []int{3}) || show(data.Table) != want {
			t.Errorf("%s as a source: %+v, %v", part, data, err)
		}
	}
}

func TestPlaces(t *testing.T) {
	folder := t.TempDir()
	e := toy(t, folder)
	for part, want := range map[string]string{
		"second": `@toy:second: row 2, column "a"`,
		"all":    `@toy: row 2, column "a"`,
	} {
		set, err := Loader{Folders: []string{folder}}.Load(context.Background(), e, part)
		if err != nil || set.Table.Columns[0].Place(1) != want {
			t.Errorf("%s: %q, %v", part, set.Table.Columns[0].Place(1), err)
		}
	}
	set, err := Loader{Folders: []string{folder}}.Load(context.Background(), e, "extra")
	if want := filepath.Join(folder, "t/extra.data") + `:3: column 3 ("a")`; err != nil ||
		set.Table.Columns[0].Place(0) != want {
		t.Errorf("%q, want %q, %v", set.Table.Columns[0].Place(0), want, err)
	}
}

func TestLoadErrors(t *testing.T) {
	replace := func(folder, path, text string) {
		if err := os.WriteFile(filepath.Join(folder, path), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		change     func(folder string, e *Entry)
		part       string
		kind       fault.Kind
		text, hint string
	}{
		"missing": {func(folder string, e *Entry) { os.Remove(filepath.Join(folder, "t/z.data")) }, "", fault.Data,
			"t/z.data is not in", "rvfl data fetch toy"},
		"other bytes": {func(folder string, _ *Entry) { replace(folder, "t/p.data", "100\n201\n") }, "", fault.Data,
			"SHA-256", "rvfl data fetch toy"},
		"part": {func(string, *Entry) {}, "third", fault.Usage, `no part "third"`, "all, first, second, extra"},
		"rows": {func(_ string, e *Entry) { e.Blocks[0].Rows = 3 }, "", fault.Data, "has 2 rows, expected 3",
			""},
		"columns": {func(_ string, e *Entry) { e.Blocks[1].Files[0].Columns = []string{"y", "a"} }, "", fault.Data,
			"has 3 columns, expected 2", ""},
		"group": {func(_ string, e *Entry) { e.Group[1].From = 16 }, "", fault.Data, `"15" is in no class of toy`,
			""},
		"skip": {func(_ string, e *Entry) { e.Extra[0].Block.Files[0].Skip = 9 }, "extra", fault.Data, "EOF",
			""},
		"arff": {func(_ string, e *Entry) { e.Blocks[0].Files[0].Format = ARFF }, "", fault.Data,
			"where a line of the header must begin", "ARFF header"},
	} {
		folder := t.TempDir()
		e := toy(t, folder)
		c.change(folder, &e)
		_, err := Loader{Folders: []string{folder}}.Load(context.Background(), e, c.part)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) ||
			!strings.Contains(fault.HintOf(err), c.hint) {
			t.Errorf("%s: %v (%s)", name, err, fault.HintOf(err))
		}
	}
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Loader{Folders: []string{folder}}).Load(ctx, toy(t, folder), ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A packed file stands for the plain one; the sum is that of the contents. A packed
// bomb is refused.
func TestPackedFiles(t *testing.T) {
	folder := t.TempDir()
	e := toy(t, folder)
	pack := func(path string, contents []byte) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write(contents)
		if err := errors.Join(w.Close(), os.WriteFile(path+".gz", b.Bytes(), 0o666), os.RemoveAll(path)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "t/p.data")
	pack(path, []byte("100\n200\n"))
	l := Loader{Folders: []string{folder}}
	if _, err := l.Load(context.Background(), e, ""); err != nil {
		t.Error(err)
	}
	pack(path, bytes.Repeat([]byte("100\n200\n"), 1<<20))
	if _, err := l.Load(context.Background(), e, ""); !errors.Is(err, fault.Data) {
		t.Errorf("other contents: %v", err)
	}
}

// A file known by its git object only is checked by that.
func TestGitObject(t *testing.T) {
	folder := t.TempDir()
	e := toy(t, folder)
	f := &e.Blocks[0].Files[1]
	for object, ok := range map[string]bool{
		"8d7ad8e5f0d75a4b6a2a0ac6d3d0b7e0b4a0a8a4": false,
		gitOfP: true,
	} {
		f.Sum = fetch.Sum{Git: object}
		_, err := Loader{Folders: []string{folder}}.Load(context.Background(), e, "")
		if ok != (err == nil) || !ok && (!errors.Is(err, fault.Data) || !strings.Contains(err.Error(), "git object")) {
			t.Errorf("object %s: %v", object, err)
		}
	}
}

// gitOfP is what git hash-object says of "100\n200\n".
const gitOfP = "15c2ac3d6481215196f8686bf123d5518dc0eed3"

func TestFolders(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", "/cache")
	t.Setenv("RVFL_DATA", "")
	for _, c := range []struct {
		flag, env string
		want      []string
	}{
		{"", "", []string{"/cache/rvflplus"}},
		{dir, "/nowhere", []string{dir, "/cache/rvflplus"}},
		{"", dir, []string{dir, "/cache/rvflplus"}},
	} {
		t.Setenv("RVFL_DATA", c.env)
		if got, err := Folders(c.flag); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q, %q: %v, %v", c.flag, c.env, got, err)
		}
	}
	if _, err := Folders(filepath.Join(dir, "none")); !errors.Is(err, fault.Usage) {
		t.Error(err)
	}
}

// What cannot be had says how to get it.
func TestScm1dIsAbsent(t *testing.T) {
	e, _, _ := Find("scm1d")
	folders := []string{t.TempDir()}
	_, err := Loader{Folders: folders}.Load(context.Background(), e, "")
	if !errors.Is(err, fault.Data) || fault.HintOf(err) != "fetch it with: rvfl data fetch scm1d" ||
		e.Available(folders) {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
}

// With a file of its shape, scm1d loads: names, roles and parts fit.
func TestScm1dShape(t *testing.T) {
	e, _, _ := Find("scm1d")
	folder := t.TempDir()
	var b bytes.Buffer
	columns := slices.Concat(e.Features, e.Targets)
	b.WriteString("@relation x\n")
	for _, name := range columns {
		fmt.Fprintf(&b, "@attribute %s numeric\n", name)
	}
	b.WriteString("@data\n")
	row := strings.Repeat("1,", len(columns)-1) + "2\n"
	for range e.Rows {
		b.WriteString(row)
	}
	sum := sha256.Sum256(b.Bytes())
	e.Blocks = slices.Clone(e.Blocks)
	e.Blocks[0].Files = slices.Clone(e.Blocks[0].Files)
	e.Blocks[0].Files[0].Sum = fetch.Sum{SHA256: hex.EncodeToString(sum[:])}
	if err := errors.Join(os.Mkdir(filepath.Join(folder, "mulan"), 0o777),
		os.WriteFile(filepath.Join(folder, "mulan/scm1d.arff"), b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	set, err := Loader{Folders: []string{folder}}.Load(context.Background(), e, "test")
	if err != nil || set.Table.Rows != 1658 || len(set.Table.Columns) != 296 {
		t.Errorf("%v", err)
	}
}

func counts(c *dataset.Column) map[string]int {
	n := map[string]int{}
	for i := range max(len(c.Numbers), len(c.Codes)) {
		n[c.Text(i)]++
	}
	return n
}

func classCounts(e Entry) map[string]int {
	n := map[string]int{}
	for _, c := range e.Classes {
		n[c.Name] = c.Rows
	}
	return n
}
