package atomicfile

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"rvflplus/fault"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// onlyHolds fails unless dir holds the one file with the given contents.
func onlyHolds(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("the file holds %q, want %q (%v)", got, want, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

func TestWriteReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, s := range []string{"old", "new"} {
		if err := Write(context.Background(), path, text(s)); err != nil {
			t.Fatal(err)
		}
		onlyHolds(t, path, s)
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := Write(context.Background(), path, text("old")); err != nil {
		t.Fatal(err)
	}
	failing := func(w io.Writer) error { return errors.Join(text("half")(w), syscall.ENOSPC) }
	if err := Write(context.Background(), path, failing); !errors.Is(err, fault.Resource) {
		t.Errorf("full disk: %v", err)
	}
	onlyHolds(t, path, "old")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Write(ctx, path, text("new")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	onlyHolds(t, path, "old")
}

func TestWhereNothingCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "none", "a")} {
		if err := Write(context.Background(), path, text("x")); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
