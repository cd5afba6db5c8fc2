package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The files in the repository are those that the table of hyper-parameters gives.
func TestFilesAreUpToDate(t *testing.T) {
	for path, make := range outputs {
		want, err := make()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go generate in the root of the module", path)
		}
	}
}
