package modelfile

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Each released format keeps its model files in testdata. This adds those of a new format, and of a new model to the
// oldest format that can hold it; it never overwrites one:
// go test ./internal/modelfile -run TestOlderFormats -update
var update = flag.Bool("update", false, "add the model files of the current format to testdata")

func TestOlderFormatsStayReadable(t *testing.T) {
	if *update {
		write(t)
	}
	files, err := filepath.Glob("testdata/format-*/*.rvfl")
	if err != nil || len(files) < 5 {
		t.Fatalf("only %d model files in testdata (%v)", len(files), err)
	}
	for _, file := range files {
		m, err := Load(file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var want []float64
		text, err := os.ReadFile(file + ".json")
		if err == nil {
			err = json.Unmarshal(text, &want)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := outputs(t, m)
		if len(got) != len(want) {
			t.Errorf("%s: %d outputs, want %d", file, len(got), len(want))
			continue
		}
		for i, v := range got {
			if !(math.Abs(v-want[i]) <= 1e-11*(1+math.Abs(want[i]))) {
				t.Errorf("%s: output %d is %v, was %v when the file was written", file, i, v, want[i])
				break
			}
		}
	}
}

func write(t *testing.T) {
	for name, m := range models(t) {
		version := versionOf(m.Config, &m.Schema, preparation{m.Normal, m.Priv})
		dir := filepath.Join("testdata", "format-"+versions[version])
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name+".rvfl")
		if _, err := os.Stat(path); err == nil {
			continue // older files are kept as they are
		}
		if err := Save(ctx, path, m, true); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(outputs(t, m))
		if err == nil {
			err = os.WriteFile(path+".json", text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
