// Package realdata finds the public data sets that tests use. They are never
// committed; RVFL_DATA names the folder they are in.
package realdata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// File returns the path of a data file; RVFL_DATA may be relative to the module's
// root. Without RVFL_DATA the test is skipped, except in CI, where it fails.
func File(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("RVFL_DATA")
	if dir == "" && os.Getenv("CI") == "" {
		t.Skipf("set RVFL_DATA to the folder of public data sets to test on %s", name)
	}
	_, here, _, _ := runtime.Caller(0)
	path := filepath.Join(dir, name)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(here), "..", "..", path)
	}
	if _, err := os.Stat(path); dir == "" || err != nil {
		t.Fatalf("RVFL_DATA=%q has no %s", dir, name)
	}
	return path
}
