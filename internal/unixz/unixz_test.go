package unixz

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"rvflplus/internal/realdata"
)

// compress writes what compress(1) would: every code as soon as its text ends,
// width changes at a group's end. clearAt empties the dictionary after so many codes.
func compress(data []byte, limit int, block bool, clearAt int) []byte {
	flags := byte(limit)
	first := 256
	if block {
		flags |= 0x80
		first = 257
	}
	w := &groups{out: []byte{0x1F, 0x9D, flags}}
	codes := map[int]int{} // of a text's code but for its last byte, times 256, and that byte
	free, width, sent := first, 9, 0
	emit := func(code int) {
		w.code(code, width)
		sent++
	}
	text := -1       // the code of the text that is not yet sent
	grow := func() { // the reader learns one code later
		if free > 1<<width && width < limit {
			w.pad(width)
			width++
		}
	}
	for _, b := range data {
		if text < 0 {
			text = int(b)
			continue
		}
		next := text<<8 | int(b)
		if code, known := codes[next]; known {
			text = code
			continue
		}
		emit(text)
		if free < 1<<limit {
			codes[next] = free
			free++
		}
		grow()
		text = int(b)
		if block && clearAt > 0 && sent%clearAt == 0 {
			emit(text)
			if free == 1<<width && width < limit { // the reader learned from that code
				w.pad(width)
				width++
			}
			text = -1
			w.code(256, width)
			w.pad(width)
			clear(codes)
			free, width = first, 9
		}
	}
	if text >= 0 {
		emit(text)
	}
	return w.bytes()
}

// groups packs codes, lowest bit first.
type groups struct {
	out   []byte
	codes int // of the group that is being filled
	acc   uint64
	n     int
}

func (g *groups) code(code, width int) {
	g.acc |= uint64(code) << g.n
	for g.n += width; g.n >= 8; g.n -= 8 {
		g.out = append(g.out, byte(g.acc))
		g.acc >>= 8
	}
	g.codes = (g.codes + 1) % 8
}

func (g *groups) pad(width int) {
	for g.codes != 0 {
		g.code(0, width)
	}
}

func (g *groups) bytes() []byte {
	if g.n > 0 {
		return append(g.out, byte(g.acc))
	}
	return g.out
}

func decompress(data []byte) ([]byte, error) {
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func texts() map[string][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 70_000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	var words strings.Builder
	for words.Len() < 60_000 {
		fmt.Fprintf(&words, "%d %d\n", rng.IntN(1000), rng.IntN(30))
	}
	return map[string][]byte{
		"empty": nil,
		"one":   {7},
		"runs":  bytes.Repeat([]byte{0}, 100_000),
		"noise": noise,
		"words": []byte(words.String()),
	}
}

func TestReadsWhatWasCompressed(t *testing.T) {
	for name, text := range texts() {
		for limit := minBits; limit <= maxBits; limit++ {
			for _, block := range []bool{false, true} {
				for _, clearAt := range []int{0, 7, 300, 5000} {
					got, err := decompress(compress(text, limit, block, clearAt))
					if err != nil || !bytes.Equal(got, text) {
						t.Fatalf("%s, %d bits, block mode %v, emptied after %d: %d bytes of %d, %v", name, limit, block,
							clearAt, len(got), len(text), err)
					}
				}
			}
		}
	}
}

// cubes is the text of the files in testdata, which testdata/make.sh had
// compress(1) write.
func cubes() []byte {
	var text bytes.Buffer
	for i := range 6000 {
		fmt.Fprintln(&text, i, i*i*i%9973)
	}
	for i := range 3000 {
		for j := range 9 {
			text.WriteByte(byte(97 + (i*i+7*i*j*j+j*j*j)%23))
		}
		text.WriteByte('\n')
	}
	return text.Bytes()
}

func TestReadsFilesOfCompress(t *testing.T) {
	for _, limit := range []int{10, 12, 16} {
		data, err := os.ReadFile(fmt.Sprintf("testdata/cubes%d.Z", limit))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decompress(data); err != nil || !bytes.Equal(got, cubes()) {
			t.Errorf("%d bits: %d bytes, %v", limit, len(got), err)
		}
	}
}

// The sum is that of the output of "gzip -dc".
func TestReadsShuttle(t *testing.T) {
	data, err := os.ReadFile(realdata.File(t, "uci/statlog-shuttle/shuttle.trn.Z"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := decompress(data)
	if sum := fmt.Sprintf("%x", sha256.Sum256(got)); err != nil || len(got) != 1153518 ||
		sum != "87b24ee9fb5137e1d417659cf905d84d0e15342bbaa60770f1ae83da1a38200a" {
		t.Errorf("%d bytes, SHA-256 %s, %v", len(got), sum, err)
	}
}

func TestDamagedFiles(t *testing.T) {
	good := compress(texts()["words"], 16, true, 0)
	for name, data := range map[string][]byte{
		"empty file":    nil,
		"gzip":          {0x1F, 0x8B, 8, 0},
		"8 bits":        {0x1F, 0x9D, 0x88},
		"17 bits":       {0x1F, 0x9D, 0x91},
		"reserved bits": {0x1F, 0x9D, 0xB0},
	} {
		if _, err := NewReader(bytes.NewReader(data)); !errors.Is(err, ErrHeader) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// 100 and 300 as the first codes: 300 cannot be known yet.
	if _, err := decompress([]byte{0x1F, 0x9D, 0x90, 100, 300 << 1 & 0xFF, 300 >> 7}); err == nil ||
		!strings.Contains(err.Error(), "code 300") {
		t.Errorf("a code that is not defined: %v", err)
	}
	// Cut within its last byte of codes, the file's last code is lost in part.
	cut := good[:len(good)/2]
	for cut[len(cut)-1] == 0 {
		cut = cut[:len(cut)-1]
	}
	found := 0
	for drop := range 16 {
		if _, err := decompress(cut[:len(cut)-drop]); errors.Is(err, io.ErrUnexpectedEOF) {
			found++
		}
	}
	if found < 8 {
		t.Errorf("%d of 16 cut files were noticed", found)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range texts() {
		text = text[:min(len(text), 2000)]
		f.Add(compress(text, 9, true, 100))
		f.Add(compress(text, 12, false, 0))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		n, _ := io.Copy(io.Discard, r)
		// A code has at least 9 bits and stands for at most 64 KiB.
		if limit := int64(len(data)) * 8 / 9 << maxBits; n > limit {
			t.Errorf("%d bytes out of %d", n, len(data))
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := texts()["words"]
	data := compress(text, 16, true, 0)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(data))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			b.Fatal(err)
		}
	}
}
