package registry

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/realdata"
	"rvflplus/internal/roles"
)

// manifest is what was written down of the files when they were collected.
type manifest struct {
	Files []struct {
		File             string
		Rows, Attributes int
		Classes          map[string]int
		Targets          []string `json:"target_names"`
		Unpacked         string   `json:"sha256_uncompressed"`
		Stored           string   `json:"sha256_stored"`
		BytesStored      int64    `json:"bytes_stored"`
		Page             string   `json:"publisher_page"`
		Licence          string   `json:"licence"`
	}
}

func realLoader(t *testing.T) (Loader, manifest) {
	t.Helper()
	path := realdata.File(t, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return Loader{Folders: []string{filepath.Dir(path)}}, m
}

// without lists what the manifest has beside the files of the registry, and why.
var without = map[string]string{
	"uci/statlog-shuttle/shuttle.trn.gz": "shuttle.trn.Z in another packing",
	"mulan/scm20d-test.arff.gz":          "rows 7464 to 8966 of scm20d",
	"mnist-plus/train_YYfeatures.txt":    "not used by the paper",
	"mnist-plus/mnist_plus.mat":          "the text files once more",
	"mnist/t10k-images-idx3-ubyte.gz":    "MNIST",
	"mnist/t10k-labels-idx1-ubyte.gz":    "MNIST",
}

func TestManifest(t *testing.T) {
	_, m := realLoader(t)
	type owned struct {
		Entry
		File
	}
	files := map[string]owned{}
	for _, e := range Entries() {
		for _, f := range e.Files() {
			files[f.Path] = owned{e, f}
		}
	}
	for _, want := range m.Files {
		path := want.File
		packed := path == "mulan/scm20d.arff.gz" || path == "mulan/partial/scm1d-test.csv.gz" // published unpacked
		if packed {
			path = strings.TrimSuffix(path, ".gz")
		}
		got, there := files[path]
		delete(files, path)
		if !there {
			if without[path] == "" {
				t.Errorf("no entry has %s", path)
			}
			continue
		}
		if got.SHA256() != want.Unpacked || got.Size > 0 && !packed &&
			(got.Size != want.BytesStored || got.Sum.SHA256 != want.Stored) {
			t.Errorf("%s: %s, %+v of %d bytes", path, got.SHA256(), got.Sum, got.Size)
		}
		if got.Page != want.Page || got.Licence != want.Licence {
			t.Errorf("%s: page %s, licence %s", path, got.Page, got.Licence)
		}
	}
	delete(files, "mulan/scm1d.arff")
	for path := range files {
		t.Errorf("%s is not in the manifest", path)
	}
}

// Every data set has the rows, attributes and classes that were counted by others.
func TestRealData(t *testing.T) {
	l, m := realLoader(t)
	for _, e := range Entries() {
		if e.Name == "scm1d" {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			set, err := l.Load(context.Background(), e, All)
			if err != nil {
				t.Fatal(err)
			}
			if set.Table.Rows != e.Rows || len(set.Table.Columns) != len(e.Features)+len(e.Targets) {
				t.Errorf("%d rows, %d columns", set.Table.Rows, len(set.Table.Columns))
			}
			if target := &set.Table.Columns[len(e.Features)]; e.Classes != nil &&
				!maps.Equal(counts(target), classCounts(e)) {
				t.Errorf("classes %v, want %v", counts(target), e.Classes)
			}
			if _, err := roles.Assign(set.Table, set.Selection); err != nil {
				t.Error(err)
			}
			checkMissing(t, e, set.Table)
			if !e.Available(l.Folders) {
				t.Error("it is not available")
			}
		})
	}
	for _, c := range []struct{ reference, file string }{
		{"iris", "uci/iris/iris.data"}, {"iris:bezdek", "uci/iris/bezdekIris.data"}, {"glass", "uci/glass/glass.data"},
		{"abalone", "uci/abalone/abalone.data"}, {"wine", "uci/wine/wine.data"},
		{"wine-red", "uci/wine-quality/winequality-red.csv"}, {"wine-white", "uci/wine-quality/winequality-white.csv"},
		{"shuttle", "uci/statlog-shuttle/shuttle.trn.Z"}, {"shuttle:test", "uci/statlog-shuttle/shuttle.tst"},
		{"segment", "uci/image-segmentation/segmentation.data"},
		{"segment:test", "uci/image-segmentation/segmentation.test"},
		{"parkinsons", "uci/parkinsons/parkinsons.data"}, {"andro", "mulan/andro.arff"}, {"edm", "mulan/edm.arff"},
		{"slump", "mulan/slump.arff"}, {"scm20d", "mulan/scm20d.arff.gz"}, {"scm20d:test", "mulan/scm20d-test.arff.gz"},
		{"mnist+", "mnist-plus/train_labels.txt"}, {"mnist+:validation", "mnist-plus/val_labels.txt"},
		{"mnist+:test", "mnist-plus/test_labels.txt"},
	} {
		checkAgainst(t, l, m, c.reference, c.file)
	}
}

// checkMissing: privileged cells are missing outside MNIST+'s training rows, no
// others.
func checkMissing(t *testing.T, e Entry, table *dataset.Table) {
	t.Helper()
	for i := range table.Columns {
		want := -1
		if e.Name == "mnist+" && i >= e.Normal && i < len(e.Features) {
			want = 100
		}
		if got := table.Columns[i].FirstMissing(); got != want {
			t.Errorf("column %s: row %d is the first without a value, want %d", table.Columns[i].Name, got, want)
		}
	}
}

// checkAgainst compares a part with what the manifest says of a file.
func checkAgainst(t *testing.T, l Loader, m manifest, reference, file string) {
	t.Helper()
	e, part, err := Find(reference)
	if err != nil {
		t.Fatal(err)
	}
	set, err := l.Load(context.Background(), e, part)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range m.Files {
		if want.File != file {
			continue
		}
		features := len(set.Table.Columns) - len(e.Targets)
		if set.Table.Rows != want.Rows || features != want.Attributes && e.Name != "mnist+" {
			t.Errorf("%s: %d rows and %d attributes, want %d and %d", reference, set.Table.Rows, features, want.Rows,
				want.Attributes)
		}
		for i, name := range want.Targets {
			if got := set.Table.Columns[features+i].Name; got != name {
				t.Errorf("%s: target %d is %s, want %s", reference, i+1, got, name)
			}
		}
		classes := map[string]int{}
		for name, n := range want.Classes {
			if short, grouped := grouping[name]; grouped {
				name = short
			}
			if n > 0 {
				classes[name] = n
			}
		}
		if want.Classes != nil && !maps.Equal(counts(&set.Table.Columns[features]), classes) {
			t.Errorf("%s: classes %v, want %v", reference, counts(&set.Table.Columns[features]), classes)
		}
		return
	}
	t.Errorf("the manifest has no %s", file)
}

// grouping gives our names of Abalone's classes.
var grouping = map[string]string{"rings 1-8": "1-8", "rings 9-10": "9-10", "rings 11-29": "11+"}

// Single values, read off the files by eye: the target is last wherever it stood.
func TestRealValues(t *testing.T) {
	l, _ := realLoader(t)
	for _, c := range []struct {
		reference, column, text string
		row                     int
	}{
		{"iris", "petal_width", "0.1", 34},
		{"iris:bezdek", "petal_width", "0.2", 34},
		{"glass", "RI", "1.52101", 0},
		{"glass", "Fe", "0", 0},
		{"abalone", "sex", "F", 2},
		{"abalone", "rings", "11+", 0},
		{"abalone", "rings", "1-8", 1},
		{"abalone", "height", "0", 1257},
		{"abalone", "height", "0", 3996},
		{"wine", "alcohol", "14.23", 0},
		{"wine", "proline", "1065", 0},
		{"wine", "class", "1", 0},
		{"wine-red", "fixed acidity", "7.4", 0},
		{"wine-red", "quality", "5", 0},
		{"shuttle:test", "time", "55", 0},
		{"shuttle:test", "a3", "81", 0},
		{"segment", "class", "BRICKFACE", 0},
		{"segment", "REGION-CENTROID-COL", "140", 0},
		{"segment", "HUE-MEAN", "-1.1218182", 0},
		{"parkinsons", "MDVP:Fo(Hz)", "119.992", 0},
		{"parkinsons", "status", "1", 0},
		{"parkinsons", "PPE", "0.284654", 0},
		{"andro", "Window0-Att0", "11.84", 0},
		{"andro", "Target_6", "3.74", 0},
		{"slump", "Compressive_Strength_Mpa", "34.99", 0},
		{"mnist+", "pf1", "2", 0},
		{"mnist+", "digit", "5", 0},
	} {
		e, part, _ := Find(c.reference)
		set, err := l.Load(context.Background(), e, part)
		if err != nil {
			t.Fatal(err)
		}
		if got := set.Table.Find(c.column).Text(c.row); got != c.text {
			t.Errorf("%s, row %d, %s: %s, want %s", c.reference, c.row+1, c.column, got, c.text)
		}
	}
}

// The names are those that the files give, where they give any.
func TestRealNames(t *testing.T) {
	l, _ := realLoader(t)
	var files []File
	for _, e := range Entries() {
		for _, f := range e.Files() {
			if (f.Header || f.Format == ARFF) && e.Name != "scm1d" {
				files = append(files, f)
			}
		}
	}
	for _, f := range files {
		names := namesIn(t, l, f)
		for i, want := range f.Columns {
			if want != "" && names[i] != want {
				t.Fatalf("%s: column %d is %s, not %s", f.Path, i+1, names[i], want)
			}
		}
	}
	if len(files) != 8 {
		t.Errorf("%d files with names", len(files))
	}
}

func namesIn(t *testing.T, l Loader, f File) []string {
	t.Helper()
	path, found := f.Locate(l.Folders)
	if !found {
		t.Fatalf("there is no %s", f.Path)
	}
	file, err := inputfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	src, err := l.source(f, file, path)
	if err != nil {
		t.Fatal(err)
	}
	return dataset.FieldNames(src.Fields())
}
