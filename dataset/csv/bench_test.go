package csv

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"testing"

	"rvflplus/dataset"
)

const benchmarkBytes = 100 << 20

// numbers writes rows of 20 numbers with a header.
func numbers(w io.Writer, size int, format func(buf []byte, r *rand.Rand) []byte) {
	random := rand.New(rand.NewPCG(1, 2))
	row := []byte(nil)
	for i := range 20 {
		row = fmt.Appendf(row, "c%d,", i)
	}
	for written := 0; written < size; written += len(row) {
		row[len(row)-1] = '\n'
		_, _ = w.Write(row)
		row = row[:0]
		for range 20 {
			row = append(format(row, random), ',')
		}
	}
}

func long(buf []byte, r *rand.Rand) []byte {
	return strconv.AppendFloat(buf, r.NormFloat64(), 'e', 16, 64)
}

func short(buf []byte, r *rand.Rand) []byte {
	return strconv.AppendFloat(buf, r.NormFloat64(), 'f', 2, 64)
}

func word(buf []byte, r *rand.Rand) []byte { return fmt.Appendf(buf, "word %d", r.IntN(100)) }

func quotedWord(buf []byte, r *rand.Rand) []byte { return fmt.Appendf(buf, "%q", word(nil, r)) }

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name   string
		format func([]byte, *rand.Rand) []byte
	}{{"digits17", long}, {"short", short}, {"words", word}, {"quoted", quotedWord}} {
		b.Run(c.name, func(b *testing.B) {
			var text bytes.Buffer
			numbers(&text, benchmarkBytes, c.format)
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				r, err := NewReader(bytes.NewReader(text.Bytes()), Options{Name: "t.csv"})
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range r.Blocks(context.Background(), make([]dataset.ReadAs, 20)) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for _, c := range []struct {
		name   string
		format func([]byte, *rand.Rand) []byte
	}{{"digits17", long}, {"short", short}, {"words", word}} {
		b.Run(c.name, func(b *testing.B) {
			var text bytes.Buffer
			numbers(&text, benchmarkBytes/4, c.format)
			table, err := read(text.String(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			outline, _ := outlineOf(table)
			text.Reset()
			for b.Loop() {
				text.Reset()
				one := func(yield func(*dataset.Table, error) bool) { yield(table, nil) }
				if err := Write(context.Background(), &text, outline, one, Options{}); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(text.Len()))
			}
		})
	}
}
