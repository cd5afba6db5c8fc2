package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/memory"
)

// entry is a tensor's description in the header.
type entry struct {
	Dtype   string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

const (
	metadataKey    = "__metadata__"
	sumKey         = "sha256"
	metadataSumKey = "metadata_sha256"
)

// metadataSum returns the SHA-256 of all metadata but itself: each key and value
// in order of key, every text preceded by its length in bytes and a blank.
func metadataSum(metadata map[string]string) string {
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if key == metadataSumKey {
			continue
		}
		for _, text := range []string{key, metadata[key]} {
			fmt.Fprintf(sum, "%d %s", len(text), text)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// writeTensors writes a safetensors file: the length of the header, the header
// padded with blanks to 8 bytes, the tensors in order of name. SHA-256 sums of the
// tensor bytes and of the metadata are added. The same input gives the same bytes.
func writeTensors(w io.Writer, tensors []kind.Tensor, metadata map[string]string) error {
	slices.SortFunc(tensors, func(a, b kind.Tensor) int { return strings.Compare(a.Name, b.Name) })
	sum := sha256.New()
	header := map[string]any{metadataKey: metadata}
	var at int64
	for _, t := range tensors {
		if err := writeData(sum, t); err != nil {
			return err
		}
		end := at + 8*int64(t.Rows.Rows)*int64(t.Rows.Cols)
		header[t.Name] = entry{"F64", t.Shape, [2]int64{at, end}}
		at = end
	}
	metadata[sumKey] = hex.EncodeToString(sum.Sum(nil))
	metadata[metadataSumKey] = metadataSum(metadata)
	text, err := encodeJSON(header)
	if err != nil {
		return err
	}
	text = append(text, bytes.Repeat([]byte(" "), (8-len(text)%8)%8)...)
	if err := binary.Write(w, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, t := range tensors {
		if err := writeData(w, t); err != nil {
			return err
		}
	}
	return nil
}

// encodeJSON marshals with sorted keys and without HTML escapes.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

func writeData(w io.Writer, t kind.Tensor) error {
	buffer := make([]byte, 8*t.Rows.Cols)
	for i := range t.Rows.Rows {
		for j, v := range blas.Row(t.Rows, i) {
			binary.LittleEndian.PutUint64(buffer[8*j:], math.Float64bits(v))
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
	}
	return nil
}

// maxHeader bounds what the length field of a hostile file can make us allocate.
const maxHeader = 256 << 20

// UnknownSize is the size of a stream, for Decode.
const UnknownSize = -1

// readTensors reads what writeTensors wrote, from a file of size bytes or a stream of UnknownSize. It trusts nothing:
// every size is checked against the file before memory is taken; of a stream, memory is taken as its bytes come in.
func readTensors(r io.Reader, size int64) (map[string]kind.Tensor, map[string]string, error) {
	header, length, err := readHeader(r, size)
	if err != nil {
		return nil, nil, err
	}
	metadata := map[string]string{}
	if err := json.Unmarshal(header[metadataKey], &metadata); err != nil {
		return nil, nil, bad("the header has no usable %s", metadataKey)
	}
	if got := metadataSum(metadata); got != metadata[metadataSumKey] {
		return nil, nil, bad("the metadata's SHA-256 is %s, the header says %q: the file is damaged", got,
			metadata[metadataSumKey])
	}
	data := size - 8 - length
	if size == UnknownSize {
		data = UnknownSize
	}
	entries, err := orderedEntries(header, data)
	if err != nil {
		return nil, nil, err
	}
	var described int64
	if len(entries) > 0 {
		described = entries[len(entries)-1].Offsets[1]
	}
	if err := memory.Check(float64(8+length+described), "the model", "use a machine with more memory"); err != nil {
		return nil, nil, err
	}
	sum := sha256.New()
	tensors := map[string]kind.Tensor{}
	for _, e := range entries {
		t, err := readData(io.TeeReader(r, sum), e, size != UnknownSize)
		if err != nil {
			return nil, nil, err
		}
		tensors[e.name] = t
	}
	if size == UnknownSize {
		if _, err := io.ReadFull(r, make([]byte, 1)); !errors.Is(err, io.EOF) {
			return nil, nil, bad("the file goes on after the %d bytes of tensors that its header describes", described)
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != metadata[sumKey] {
		return nil, nil, bad("the tensors' SHA-256 is %s, the header says %q: the file is damaged", got,
			metadata[sumKey])
	}
	return tensors, metadata, nil
}

func bad(format string, args ...any) error {
	return fault.New(fault.Data, format, args...)
}

func notAModel(why string) error {
	return fault.New(fault.Data, "not a model file: %s", why).
		WithHint("models are written by rvfl train -o; the order of arguments is MODEL DATA")
}

// truncated is the error for a file that ends too early, as a copy does that was interrupted or ran out of disk.
func truncated(format string, args ...any) error {
	return fault.New(fault.Data, "the model file is truncated: "+format, args...).
		WithHint("copy it again, or train the model again")
}

func readHeader(r io.Reader, size int64) (map[string]json.RawMessage, int64, error) {
	var length uint64
	if size == 0 {
		return nil, 0, notAModel("it is empty")
	}
	if size > 0 && size < 8 || binary.Read(r, binary.LittleEndian, &length) != nil {
		return nil, 0, notAModel("it is too short")
	}
	if length > maxHeader {
		return nil, 0, notAModel("it does not begin with the length of a header")
	}
	text, err := io.ReadAll(io.LimitReader(r, int64(length)))
	if err != nil {
		return nil, 0, bad("the header is not readable: %w", err)
	}
	if len(text) < int(length) {
		if !bytes.HasPrefix(text, []byte("{")) {
			return nil, 0, notAModel("it does not begin with the length of a header")
		}
		return nil, 0, truncated("it ends after %d of the %d bytes of its header", len(text), length)
	}
	header := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, 0, notAModel("its header is not a JSON object")
	}
	return header, int64(length), nil
}

type namedEntry struct {
	name string
	entry
}

// orderedEntries returns the tensors' descriptions in file order: float64, shapes
// that fit their bytes, one after the other, filling the data bytes of a file; those of a
// stream are not known.
func orderedEntries(header map[string]json.RawMessage, data int64) ([]namedEntry, error) {
	var entries []namedEntry
	for name, text := range header {
		if name == metadataKey {
			continue
		}
		e := namedEntry{name: name}
		if err := json.Unmarshal(text, &e.entry); err != nil {
			return nil, bad("tensor %q: %v", name, err)
		}
		if err := e.check(); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b namedEntry) int {
		if a.Offsets != b.Offsets {
			return int(max(-1, min(1, a.Offsets[0]-b.Offsets[0]+a.Offsets[1]-b.Offsets[1])))
		}
		return strings.Compare(a.name, b.name)
	})
	var at int64
	for _, e := range entries {
		if e.Offsets[0] != at {
			return nil, bad("tensor %q stands at bytes %d to %d, expected to begin at %d", e.name, e.Offsets[0],
				e.Offsets[1], at)
		}
		at = e.Offsets[1]
	}
	switch {
	case data >= 0 && at > data:
		return nil, truncated("it has %d of the %d bytes of tensors that its header describes", data, at)
	case data >= 0 && at < data:
		return nil, bad("the file has %d bytes of tensors, its header describes %d", data, at)
	}
	return entries, nil
}

// maxDim bounds one dimension, so that products of two do not overflow.
const maxDim = 1 << 31

func (e namedEntry) check() error {
	if e.Dtype != "F64" || len(e.Shape) < 1 || len(e.Shape) > 2 {
		return bad("tensor %q is %q of %d dimensions, expected F64 of one or two", e.name, e.Dtype, len(e.Shape))
	}
	count := int64(1)
	for _, d := range e.Shape {
		if d < 0 || d > maxDim {
			return bad("tensor %q has a dimension of %d", e.name, d)
		}
		count *= int64(d)
	}
	if e.Offsets[0] < 0 || e.Offsets[1] < e.Offsets[0] || count > math.MaxInt64/8 ||
		e.Offsets[1]-e.Offsets[0] != 8*count {
		return bad("tensor %q of shape %v cannot stand at bytes %d to %d", e.name, e.Shape, e.Offsets[0], e.Offsets[1])
	}
	return nil
}

// readPiece is the number of numbers that are read at a time.
const readPiece = 1 << 13

// readData reads a tensor. Where its size could not be checked, memory grows with what is read.
func readData(r io.Reader, e namedEntry, checked bool) (kind.Tensor, error) {
	t := kind.Tensor{Name: e.name, Shape: e.Shape}
	rows, cols := 1, e.Shape[0]
	if len(e.Shape) == 2 {
		rows, cols = e.Shape[0], e.Shape[1]
	}
	if (rows == 0 || cols == 0) && rows+cols > 1<<20 {
		return t, bad("tensor %q has shape %v", e.name, e.Shape)
	}
	count := rows * cols
	data := make([]float64, 0, min(count, readPiece))
	if checked {
		data = blas.New(rows, cols).Data[:0]
	}
	buffer := make([]byte, 8*min(count, readPiece))
	for len(data) < count {
		piece := buffer[:8*min(count-len(data), readPiece)]
		if _, err := io.ReadFull(r, piece); err != nil {
			return t, truncated("it ends in tensor %q", e.name)
		}
		for ; len(piece) > 0; piece = piece[8:] {
			v := math.Float64frombits(binary.LittleEndian.Uint64(piece))
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return t, bad("tensor %q holds %v", e.name, v)
			}
			data = append(data, v)
		}
	}
	t.Rows = blas.Matrix{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}
	return t, nil
}
