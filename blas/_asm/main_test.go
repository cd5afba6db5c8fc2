package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestCommittedFilesAreWhatThisGenerates compares all but the first line, which
// names the output.
func TestCommittedFilesAreWhatThisGenerates(t *testing.T) {
	dir := t.TempDir()
	assembly, stubs := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.go")
	c := exec.Command("go", "run", ".", "-out", assembly, "-stubs", stubs, "-pkg", "kernel")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for generated, committed := range map[string]string{
		assembly: "../internal/kernel/kernel_amd64.s",
		stubs:    "../internal/kernel/kernel_amd64.go",
	} {
		if got, want := body(t, generated), body(t, committed); !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator makes; run go generate ./blas/internal/kernel", committed)
		}
	}
}

func body(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte("\n"))
	return rest
}
