package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"rvflplus/internal/atomicfile"
)

// cell is what a method reached on a split of a table.
type cell struct {
	Table   string  `json:"table"`
	Split   int     `json:"split"` // from 0
	Method  string  `json:"method"`
	Data    string  `json:"data"` // fingerprint of the rows
	Loss    float64 `json:"loss"` // of the test rows: the share of errors, or 1 - R², the mean over targets
	Train   float64 `json:"train_seconds"`
	Predict float64 `json:"predict_seconds"`
	Losses  []byte  `json:"losses"` // of every test row, see pack
	// Setting is what tuning chose, Score the accuracy or R² that it had in the rivals' cross-validation.
	Setting any     `json:"setting"`
	Score   float64 `json:"score,omitempty"`
}

// pack writes a bit a row for errors of a classification. For a regression it writes the upper half of a 32-bit number
// a row, rounded: 3 digits, which is enough for standard errors. rivals.py writes the same.
func pack(task string, losses []float64) []byte {
	if task == classification {
		out := make([]byte, (len(losses)+7)/8)
		for i, v := range losses {
			if v != 0 {
				out[i/8] |= 1 << (7 - i%8)
			}
		}
		return out
	}
	out := make([]byte, 0, 2*len(losses))
	for _, v := range losses {
		bits := uint64(math.Float32bits(float32(v))) + 0x8000
		out = binary.LittleEndian.AppendUint16(out, uint16(bits>>16))
	}
	return out
}

// unpack reads the losses of n rows.
func (c *cell) unpack(task string, n int) ([]float64, error) {
	want := 2 * n
	if task == classification {
		want = (n + 7) / 8
	}
	if len(c.Losses) != want {
		return nil, fmt.Errorf("%s, split %d, %s: %d bytes of losses, want %d of %d test rows", c.Table, c.Split,
			c.Method, len(c.Losses), want, n)
	}
	out := make([]float64, n)
	for i := range out {
		if task == classification {
			out[i] = float64(c.Losses[i/8] >> (7 - i%8) & 1)
		} else {
			out[i] = float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(c.Losses[2*i:])) << 16))
		}
	}
	return out, nil
}

// cellPath returns the file of a cell, which rivals.py names alike.
func (b *bench) cellPath(table string, split int, method string) string {
	return b.path(filepath.Join(cellFolder, fmt.Sprintf("%s.%d.%s.json", table, split, method)))
}

// cell reads a cell. There is none where the file is missing, or was measured on other rows.
func (b *bench) cell(table string, split int, method, data string) (*cell, error) {
	path := b.cellPath(table, split, method)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c := &cell{}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if c.Data != data {
		return nil, nil
	}
	return c, nil
}

func (b *bench) writeCell(ctx context.Context, c *cell) error {
	return writeJSON(ctx, b.cellPath(c.Table, c.Split, c.Method), c)
}

func writeJSON(ctx context.Context, path string, v any) error {
	return atomicfile.Write(ctx, path, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// methods are all methods, in the order of the document.
func methods() []string { return slices.Concat(ours, rivals) }
