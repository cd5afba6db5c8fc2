package main

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"rvflplus"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/realdata"
	"rvflplus/internal/registry"
	"rvflplus/internal/search"
	"rvflplus/learn"
)

const root = "../.."

// kept returns the results beside the documents.
func kept(t *testing.T) *results {
	t.Helper()
	r, err := readResults(filepath.Join(root, filepath.FromSlash(keptFile)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The kept results are of all tables, methods and splits and of no others, and every loss is the mean of its rows.
func TestKeptResultsAreComplete(t *testing.T) {
	r := kept(t)
	v, err := r.compare()
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for i, table := range tables {
		want += table.splits() * len(methods())
		for _, of := range v.cells[i] {
			for s, c := range of {
				drawn, err := table.rows(s, v.about[i].Rows)
				if err != nil {
					t.Fatal(err)
				}
				losses, err := c.unpack(table.task, len(drawn.Test))
				if err != nil {
					t.Fatal(err)
				}
				near(t, c.key(), stat.Mean(losses, nil), c.Loss, 1e-9+2e-3*c.Loss) // rows have 3 digits
				if c.Train <= 0 || c.Predict <= 0 {
					t.Errorf("%s took %v and %v seconds", c.key(), c.Train, c.Predict)
				}
			}
		}
	}
	if len(r.Cells) != want || len(tables) != 25 {
		t.Errorf("%d cells of %d tables, want %d of 25", len(r.Cells), len(tables), want)
	}
	for _, table := range tables {
		if table.train < 33 || table.train > 5000 {
			t.Errorf("%s has %d training rows", table.name, table.train)
		}
	}
}

// The rows that were measured are those of the public data.
func TestKeptResultsAreOfThePublicRows(t *testing.T) {
	folder := filepath.Dir(filepath.Dir(realdata.File(t, "uci/iris/iris.data")))
	b := &bench{folder: t.TempDir()}
	v, err := kept(t).compare()
	if err != nil {
		t.Fatal(err)
	}
	loader := registry.Loader{Folders: []string{filepath.Dir(folder)}}
	for i, table := range tables {
		if table.entry == "" {
			continue // scikit-learn writes it
		}
		if err := b.prepareTable(context.Background(), table, loader); err != nil {
			t.Fatal(err)
		}
		d := description{}
		if err := readJSON(b.path(table.name+".json"), &d); err != nil {
			t.Fatal(err)
		}
		if d.About != v.about[i] {
			t.Errorf("%+v, kept is %+v", d.About, v.about[i])
		}
		for s, split := range d.Splits {
			if got := v.cells[i][0][s].Data; got != split.Data {
				t.Errorf("%s, split %d: the results are of %s, the rows are %s", table.name, s, got, split.Data)
			}
			if common := slices.ContainsFunc(split.Train, func(row int) bool {
				return slices.Contains(split.Test, row)
			}); common || len(split.Train) != table.train || len(split.Test) > mostTested {
				t.Errorf("%s, split %d: %d and %d rows, in common: %v", table.name, s, len(split.Train),
					len(split.Test), common)
			}
		}
	}
}

// The document, the picture and the kept file are what -report makes of the kept results.
func TestDocumentTellsWhatWasMeasured(t *testing.T) {
	copied := t.TempDir()
	files := []string{keptFile, pictureFile, documentFile}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(copied, filepath.FromSlash(name)), string(text))
	}
	if err := (&bench{folder: t.TempDir()}).report(context.Background(), copied); err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if read(t, filepath.Join(copied, name)) != read(t, filepath.Join(root, name)) {
			t.Errorf("%s is not what go run ./bench/rivals -report writes", name)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// A document with a block that nothing was measured of, and one that lacks a block, are refused.
func TestDocumentNeedsItsBlocks(t *testing.T) {
	v, err := kept(t).compare()
	if err != nil {
		t.Fatal(err)
	}
	document := read(t, filepath.Join(root, documentFile))
	for change, want := range map[string]string{
		"measured: loss -->": `nothing was measured of "loss"`, "measured: losses-->": `has no block "losses"`,
	} {
		_, err := v.renew(strings.Replace(document, "measured: losses -->", change, 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", change, err)
		}
	}
}

// A report takes the folder's cells where they are of the same rows, and keeps the others.
func TestReportTakesNewCells(t *testing.T) {
	b := &bench{folder: t.TempDir()}
	r := kept(t)
	before := len(r.Cells)
	d := describe(t, b, r)
	improved, others := *r.Cells[0], *r.Cells[1]
	second := others.Loss
	improved.Loss, others.Loss, others.Data = 0.123, 0.123, "other rows"
	for _, c := range []*cell{&improved, &others} {
		if err := b.writeCell(context.Background(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.collect(r); err != nil {
		t.Fatal(err)
	}
	if len(r.Cells) != before || r.Cells[0].Loss != 0.123 || r.Cells[1].Loss != second {
		t.Errorf("%d cells of %d; %+v; %+v", len(r.Cells), before, r.Cells[0], r.Cells[1])
	}
	d.Splits[0].Data = "rows that nobody measured"
	if err := writeJSON(context.Background(), b.path(d.Name+".json"), d); err != nil {
		t.Fatal(err)
	}
	if err := b.collect(r); err != nil {
		t.Fatal(err)
	}
	if want := before - len(methods()); len(r.Cells) != want {
		t.Errorf("%d cells, want %d without those of other rows", len(r.Cells), want)
	}
	if _, err := r.compare(); err == nil || !strings.Contains(err.Error(), "iris, split 0: no result of auto") {
		t.Errorf("a comparison without results: %v", err)
	}
}

// describe writes the description of the first table into the folder, as of the rows of the results.
func describe(t *testing.T, b *bench, r *results) description {
	t.Helper()
	d := description{Name: tables[0].name, About: r.Tables[0], Splits: make([]rows, tables[0].splits())}
	for _, c := range r.Cells {
		if c.Table == d.Name {
			d.Splits[c.Split].Data = c.Data
		}
	}
	if err := os.Mkdir(b.path(cellFolder), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := writeJSON(context.Background(), b.path(d.Name+".json"), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// NumPy packs these losses to the same bytes: see packed in rivals.py.
func TestPack(t *testing.T) {
	errors := []float64{1, 0, 0, 1, 0, 0, 0, 0, 0, 1}
	squares := []float64{0.1, 0, 2.5, 1e-9, 12345}
	for task, c := range map[string]struct {
		losses    []float64
		want      string
		tolerance float64
	}{
		classification: {errors, "9040", 0},
		regression:     {squares, "cd3d000020408930" + "4146", 0.004},
	} {
		packed := &cell{Losses: pack(task, c.losses)}
		if got := hex.EncodeToString(packed.Losses); got != c.want {
			t.Errorf("%s: %s, want %s", task, got, c.want)
		}
		back, err := packed.unpack(task, len(c.losses))
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range c.losses {
			near(t, task, back[i], v, c.tolerance*v)
		}
		if _, err := packed.unpack(task, 20); err == nil {
			t.Error("losses of other rows are taken")
		}
	}
}

// auto is what the library, and with it the command, trains where nothing is given.
func TestAutoIsTrainingWithoutSettings(t *testing.T) {
	ctx := context.Background()
	d := description{Name: "toy", Task: regression, Targets: []string{"y"}}
	b := &bench{folder: t.TempDir()}
	var text strings.Builder
	text.WriteString("a,b,y\n")
	for i := range 60 {
		x := float64(i*i%61) / 61
		text.WriteString(strings.Join([]string{number(x), number(float64(i*7%13) / 13), number(x * x)}, ",") + "\n")
	}
	write(t, b.path("toy.csv"), text.String())
	all := rows{Train: make([]int, 60), Test: []int{3, 4}}
	for i := range all.Train {
		all.Train[i] = i
	}
	d.Splits = []rows{all}
	train, _, err := b.read(ctx, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config(auto, regression)
	if err != nil {
		t.Fatal(err)
	}
	m, err := search.Train(ctx, train, c, pipeline.Options{LeaveOneOut: learn.WhenCheap})
	if err != nil {
		t.Fatal(err)
	}
	p, err := m.Predict(ctx, train.Table, nil)
	if err != nil {
		t.Fatal(err)
	}
	table, err := rvflplus.OpenTable(ctx, b.path("toy.csv"), rvflplus.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	library, err := rvflplus.Train(ctx, table, rvflplus.Columns{Target: "y"}, rvflplus.DefaultConfig(),
		rvflplus.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := library.Predict(ctx, table, rvflplus.PredictOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		if p.Outputs.At(i, 0) != want.Value(i, 0) {
			t.Fatalf("row %d: %v, the library has %v", i, p.Outputs.At(i, 0), want.Value(i, 0))
		}
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func TestWrongFlags(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "nothing to do"},
		{[]string{"-ours", "krvfl+"}, `-ours must be all, or of auto, krvfl, got "krvfl+"`},
		{[]string{"-rivals", "trees"}, `got "trees"`},
		{[]string{"-ours", "auto", "-tables", "iris,tulips"}, `got "tulips"`},
		{[]string{"-report", "-splits", "-1"}, "-splits must be >= 0"},
		{[]string{"-report", "more"}, `got ["more"]`},
	} {
		if err := run(context.Background(), c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.args, err, c.want)
		}
	}
}
