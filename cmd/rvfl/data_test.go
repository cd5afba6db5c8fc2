package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rvflplus/fault"
	"rvflplus/internal/fetch"
	"rvflplus/internal/registry"
)

// One table, in every format that can hold it, trains the same model, bit for bit.
func TestEveryFormatTrainsTheSameModel(t *testing.T) {
	for _, c := range []struct {
		names, formats, flags []string
		kinds                 int // of the second column: categories, or numbers
	}{
		{
			[]string{"x1", "kind", "lab", "class"},
			[]string{"csv", "tsv", "csv.gz", "arff", "npz", "npz.gz", "parquet"},
			[]string{"-y", "class", "-p", "lab"}, 3,
		},
		{
			[]string{"f1", "f2", "f3", "target"},
			[]string{"csv", "libsvm", "libsvm.gz", "arff", "npz", "parquet"},
			[]string{"-y", "target", "-p", "f3", "--task", "regress"}, 0,
		},
		{
			[]string{"c1", "c2", "c3", "c4"},
			[]string{"csv", "npy", "npy.gz", "parquet"},
			[]string{"-y", "c4", "-p", "3:3", "--task", "regress"}, 0,
		},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "in.csv"), []byte(mixedTable(c.names, c.kinds)), 0o666); err != nil {
			t.Fatal(err)
		}
		var want []byte
		for _, format := range c.formats {
			file := "d." + format
			output(t, dir, "data", "convert", "in.csv", file)
			got := trained(t, dir, append([]string{file, "-m", "rvfl+", "--hidden", "20"}, c.flags...)...)
			if want == nil {
				want = got
			}
			if string(got) != string(want) {
				t.Errorf("%s trains another model than %s", file, c.formats[0])
			}
		}
	}
}

// mixedTable is a table of four columns. With kinds the second holds categories,
// and the last classes.
func mixedTable(names []string, kinds int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(names, ","))
	for i := range 60 {
		x, z := r.NormFloat64(), r.NormFloat64()
		if kinds == 0 {
			fmt.Fprintf(&b, "%v,%v,%v,%v\n", x, r.ExpFloat64(), z, x+z)
			continue
		}
		fmt.Fprintf(&b, "%v,level %d,%v,class %c\n", x, i*7%kinds, z, 'b'-rune(i%2))
	}
	return b.String()
}

// bigTable writes short cells, which take several times as much memory as text.
func bigTable(t *testing.T, path string, rows int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	const columns = 20
	for i := range columns {
		fmt.Fprintf(w, "x%d,", i)
	}
	fmt.Fprintln(w, "k")
	for i := range rows {
		for j := range columns {
			_ = w.WriteByte('0' + byte((i*7+j*j)%10))
			_ = w.WriteByte(',')
		}
		fmt.Fprintf(w, "%c\n", 'a'+rune(i%5))
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// A table larger than the memory that is used passes through.
func TestConversionStreams(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	const rows = 300_000 // 50 MB as numbers
	bigTable(t, filepath.Join(dir, "big.csv"), rows)
	collected := 0.0 // bytes held where the table is collected, as .npz must be
	for _, args := range [][]string{
		{"convert", "big.csv", "big.npz"},
		{"convert", "big.csv", "big.parquet"},
		{"convert", "big.parquet", "big.arff", "-y", "k"},
		{"split", "big.arff", "a.csv", "b.parquet", "--train", "0.5", "--stratify", "k"},
		{"show", "big.csv", "-y", "k", "--plot", "big.svg"},
	} {
		c, peak := watched(t, dir, append([]string{"data"}, args...)...)
		c.Env = append(c.Env, "GOGC=25", "GOMAXPROCS=2")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		t.Logf("%v held %.0f MB", args, peak()/1e6)
		if collected == 0 {
			collected = peak()
		} else if peak() > 0.75*collected {
			t.Errorf("%v held %.0f MB, beside %.0f MB for the whole table", args, peak()/1e6, collected/1e6)
		}
	}
	if got := output(t, dir, "data", "show", "a.csv", "--json"); number(t, got, "rows") != rows/2 {
		t.Errorf("%s", got)
	}
}

// Ctrl-C ends data verbs at once and leaves nothing behind.
func TestInterruptedDataVerbs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir, temporary := t.TempDir(), t.TempDir()
	bigTable(t, filepath.Join(dir, "big.csv"), 400_000)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	writing := func(io.Writer) { waitFor(t, filepath.Join(dir, ".rvfl-*.tmp")) }
	for _, c := range []struct {
		args  []string
		ready func(stdin io.Writer)
	}{
		{[]string{"convert", "big.csv", "x.csv.gz"}, writing},
		{[]string{"split", "big.csv", "x.parquet", "x.arff", "--train", "0.5"}, writing},
		// Copying standard input, which never ends.
		{[]string{"convert", "-", "x.npz"}, func(stdin io.Writer) { fill(t, stdin, "a,b\n1,2\n") }},
		// Waiting for the first bytes of a pipe: its writer is there once its reader is.
		{[]string{"convert", "pipe", "x.npz", "--format", "npy"}, func(io.Writer) {
			pipe, err := os.OpenFile(filepath.Join(dir, "pipe"), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { pipe.Close() })
		}},
	} {
		command := command(dir, append([]string{"data"}, c.args...)...)
		command.Env = append(command.Env, "TMPDIR="+temporary)
		stdin, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		interrupted(t, command, os.Interrupt, func() { c.ready(stdin) })
	}
	left, _ := os.ReadDir(dir)
	copies, _ := os.ReadDir(temporary)
	if len(left) != 2 || len(copies) != 0 {
		t.Errorf("left behind: %v, %v", left, copies)
	}
}

// published is an entry of one file that a server sends.
func published(t *testing.T, text, sum string) (registry.Entry, *int) {
	t.Helper()
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	file := registry.File{
		URL: server.URL + "/a.csv", Path: "x/a.csv", Sum: fetch.Sum{SHA256: sum},
		Header: true, Columns: []string{"a", "y"},
	}
	return registry.Entry{
		Name: "x", Rows: 1, Features: []string{"a"}, Normal: 1, Targets: []string{"y"},
		Blocks: []registry.Block{{Rows: 1, Files: []registry.File{file}}},
	}, &requests
}

func TestFetch(t *testing.T) {
	ctx := context.Background()
	text := "a,y\n1,2\n"
	sum := sha256.Sum256([]byte(text))
	e, requests := published(t, text, hex.EncodeToString(sum[:]))
	to, told := t.TempDir(), 0
	for run := range 2 {
		f := fetching{to: to, folders: []string{to}, progress: func(name string, done, total int) { told = done }}
		if err := f.all(ctx, []registry.Entry{e}); err != nil {
			t.Fatal(err)
		}
		got := f.done[0].Files[0]
		if got.Fetched != (run == 0) || got.Bytes != int64(len(text)) || got.Path != filepath.Join(to, "x", "a.csv") {
			t.Errorf("run %d: %+v", run, got)
		}
	}
	if *requests != 1 || told != len(text) {
		t.Errorf("%d requests, %d bytes told", *requests, told)
	}
	set, err := registry.Loader{Folders: []string{to}}.Load(ctx, e, "")
	if err != nil || set.Table.Columns[1].Numbers[0] != 2 {
		t.Errorf("%v", err)
	}

	// Another file of that name in a folder that comes first.
	before := t.TempDir()
	err = os.MkdirAll(filepath.Join(before, "x"), 0o777)
	if err := errors.Join(err, os.WriteFile(filepath.Join(before, "x", "a.csv"), []byte("b"), 0o666)); err != nil {
		t.Fatal(err)
	}
	f := fetching{to: to, folders: []string{before, to}}
	err = f.all(ctx, []registry.Entry{e})
	if err != nil || len(f.notes) != 1 || !strings.Contains(f.notes[0], before) {
		t.Errorf("%v, notes %q", err, f.notes)
	}
}

func TestFetchRefusesOtherBytes(t *testing.T) {
	e, _ := published(t, "something else", strings.Repeat("0", 64))
	to := t.TempDir()
	f := fetching{to: to, folders: []string{to}}
	err := f.all(context.Background(), []registry.Entry{e})
	if !errors.Is(err, fault.Data) || len(f.done) != 0 {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(to, "x", "a.csv.rejected")); err != nil {
		t.Error(err)
	}
	if e.Available([]string{to}) {
		t.Error("it counts as there")
	}
}

// The page on data sets shows what the command says.
func TestDocumentedPaperTables(t *testing.T) {
	page, err := os.ReadFile("../../docs/datasets.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```\n"+output(t, t.TempDir(), "data", "list", "--paper")+"```") {
		t.Error("docs/datasets.md shows other tables than rvfl data list --paper")
	}
}
