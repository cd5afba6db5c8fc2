//go:build unix

package tablefile

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// pipe returns a named pipe through which a file can be read once.
func pipe(t *testing.T, path string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o666); err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer from.Close()
		to, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer to.Close()
		_, _ = io.Copy(to, from)
	}()
	return name
}
