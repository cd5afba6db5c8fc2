package csv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/tabletest"
)

// empty is a text of rows whose cells are all empty.
func empty(rows, columns int) io.Reader {
	row := append(bytes.Repeat([]byte(","), columns-1), '\n')
	parts := make([]io.Reader, rows)
	for i := range parts {
		parts[i] = bytes.NewReader(row)
	}
	return io.MultiReader(parts...)
}

// A column takes some hundred bytes in each chunk that is parsed, and a cell of it
// but one byte of the file.
func TestWideFilesStream(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const rows, columns = 16, 1 << 20 // two chunks
	r, err := NewReader(empty(rows, columns), Options{Name: "t", NoHeader: true})
	if err != nil {
		t.Fatal(err)
	}
	got, peak := 0, uint64(0)
	for block, err := range r.Blocks(context.Background(), make([]dataset.ReadAs, columns)) {
		if err != nil {
			t.Fatal(err)
		}
		got += block.Rows
		runtime.GC()
		peak = max(peak, tabletest.Heap())
	}
	t.Logf("at most %d MB live", peak>>20)
	if got != rows || peak > 600<<20 {
		t.Errorf("%d rows, want %d; %d MB live", got, rows, peak>>20)
	}
}

func TestMemoryOfWideFilesIsChecked(t *testing.T) {
	const columns = 1 << 18
	r, err := NewReader(empty(3, columns), Options{Name: "t", NoHeader: true})
	if err != nil {
		t.Fatal(err)
	}
	tabletest.LimitMemory(t, columns*columnBytes/2)
	for block, err := range r.Blocks(context.Background(), make([]dataset.ReadAs, columns)) {
		if !errors.Is(err, fault.Resource) {
			t.Fatalf("%v, %v", block.Rows, err)
		}
	}
}

// Chunks that are parsed already are not handed out after the caller cancelled.
func TestCancellingAfterTheLastChunkIsCut(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	text := bytes.Repeat([]byte("1\n"), 2000)
	r, err := newReader(bytes.NewReader(text), Options{Name: "t", NoHeader: true}, 1024)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	blocks := 0
	for _, err = range r.Blocks(ctx, make([]dataset.ReadAs, 1)) {
		blocks++
		cancel()
	}
	if !errors.Is(err, context.Canceled) || blocks != 2 {
		t.Errorf("%d blocks, the last with %v", blocks, err)
	}
}
