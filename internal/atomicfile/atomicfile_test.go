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

func TestLinksAndModesAreKept(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	dangling, later := filepath.Join(dir, "dangling"), filepath.Join(dir, "later")
	if err := errors.Join(os.Symlink(path, link), os.Symlink("later", dangling),
		Write(context.Background(), dangling, text("x"))); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(later); err != nil || !info.Mode().IsRegular() {
		t.Errorf("a link to nothing is not followed: %v", err)
	}
	if err := errors.Join(Check(link), Write(context.Background(), link, text("new"))); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	info, errStat := os.Stat(path)
	if err != nil || errStat != nil || string(got) != "new" || info.Mode().Perm() != 0o600 {
		t.Errorf("the link's target holds %q, mode %v (%v, %v)", got, info.Mode(), err, errStat)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
}

func TestPipesAreWrittenDirectly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		data, _ := os.ReadFile(path)
		got <- string(data)
	}()
	if err := Write(context.Background(), path, text("through")); err != nil {
		t.Fatal(err)
	}
	if s := <-got; s != "through" {
		t.Errorf("read %q", s)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v, %v", info, err)
	}
}

func TestWhereNothingCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "none", "a")} {
		if err := Write(context.Background(), path, text("x")); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestTemporaryLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f, err := Temporary()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4)
	if _, err := f.ReadAt(got, 0); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	if err := RemoveFile(f); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSame(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, err := range []error{os.Mkdir("sub", 0o777), os.MkdirAll("far/deep", 0o777), os.Symlink("far/deep", "link"),
		os.Symlink("new", "ahead"), os.WriteFile("there", nil, 0o666), os.Symlink("there", "too")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"new", "./new", true}, {"new", filepath.Join(dir, "new"), true}, {"new", "sub/../new", true},
		{"new", "ahead", true},
		{"there", "too", true}, {"link/new", "far/deep/new", true}, {"link/../new", "far/new", true},
		{"link/../new", "new", false}, {"new", "newer", false}, {"new", "sub/new", false}, {"there", "new", false},
	} {
		if got := Same(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
