package open

import (
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
)

func write(t *testing.T, name, text string, zip bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !zip {
		_, err = f.WriteString(text)
	} else {
		z := gzip.NewWriter(f)
		_, err = z.Write([]byte(text))
		err = errors.Join(err, z.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func read(path string, o Options) (*dataset.Table, error) {
	f, err := File(context.Background(), path, o)
	if err != nil {
		return nil, err
	}
	table, err := dataset.Collect(context.Background(), f, make([]dataset.Want, len(f.Fields())))
	return table, errors.Join(err, f.Close())
}

func TestPlainAndCompressed(t *testing.T) {
	for name, zip := range map[string]bool{"a.csv": false, "a.csv.gz": true} {
		table, err := read(write(t, name, "a,b\n1,2\n", zip), Options{})
		if err != nil || table.Rows != 1 || len(table.Columns) != 2 {
			t.Errorf("%s: %v, %v", name, table, err)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	whole := write(t, "b.csv.gz", "a,b\n1,2\n", true)
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"missing":     filepath.Join(t.TempDir(), "none.csv"),
		"folder":      t.TempDir(),
		"not gzip":    write(t, "c.csv.gz", "a,b\n", false),
		"cut off":     write(t, "d.csv.gz", string(data[:len(data)-6]), false),
		"unzipped as": write(t, "e.csv", string(data), false),
	} {
		if _, err := read(path, Options{}); !errors.Is(err, fault.Data) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
