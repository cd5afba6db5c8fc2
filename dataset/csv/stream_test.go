package csv

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/tabletest"
)

// bigFile writes a file of numbers of about the given size and returns its rows.
func bigFile(t *testing.T, path string, megabytes int) (rows int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var text bytes.Buffer
	numbers(&text, 4<<20, long)
	header := bytes.IndexByte(text.Bytes(), '\n') + 1
	perPiece := bytes.Count(text.Bytes(), newline) - 1
	piece := text.Bytes()
	for written := 0; written < megabytes<<20; written += len(piece) {
		if _, err := f.Write(piece); err != nil {
			t.Fatal(err)
		}
		rows += perPiece
		piece = text.Bytes()[header:]
	}
	return rows
}

// A file larger than memory can be read and written: RVFL_BIG_CSV_MB makes the file
// larger, the bound stays.
func TestBigFilesStream(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	megabytes := 48
	if text := os.Getenv("RVFL_BIG_CSV_MB"); text != "" {
		var err error
		if megabytes, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "big.csv")
	want := bigFile(t, path, megabytes)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := NewReader(f, Options{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	rows, peak := 0, uint64(0)
	for block, err := range r.Blocks(context.Background(), make([]dataset.ReadAs, 20)) {
		if err != nil {
			t.Fatal(err)
		}
		rows += block.Rows
		peak = max(peak, tabletest.Heap())
	}
	t.Logf("%d MB: %d rows, at most %d MB of heap", megabytes, rows, peak>>20)
	if rows != want || peak > 40<<20 {
		t.Errorf("%d rows, want %d; %d bytes of heap", rows, want, peak)
	}
}
