package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

var errSize = errors.New("the page unpacks to another size than it says")

// inflate unpacks data into exactly size bytes, which the caller has bounded; no
// more are ever allocated, whatever data would unpack to.
func inflate(codec format.CompressionCodec, data []byte, size int) (out []byte, err error) {
	defer recovered(&err)
	switch codec {
	case format.Uncompressed:
		return data, nil
	case format.Snappy:
		if n, _ := binary.Uvarint(data); n != uint64(size) {
			return nil, errSize
		}
		out, err = parquet.Snappy.Decode(nil, data)
	case format.Gzip:
		z, failure := gzip.NewReader(bytes.NewReader(data))
		if failure != nil {
			return nil, failure
		}
		return readExactly(z, size)
	case format.Brotli:
		return readExactly(brotli.NewReader(bytes.NewReader(data)), size)
	case format.Zstd:
		out, err = zstandard().DecodeAll(data, make([]byte, 0, size))
	case format.Lz4Raw:
		out = make([]byte, size)
		n, failure := lz4.UncompressBlock(data, out)
		out, err = out[:max(n, 0)], failure
	default:
		return nil, fmt.Errorf("compression %s is not read", codec)
	}
	if err == nil && len(out) != size {
		err = errSize
	}
	return out, err
}

var zstandard = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil,
		zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})

func readExactly(r io.Reader, size int) ([]byte, error) {
	out := make([]byte, size)
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, err
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 {
		return nil, errSize
	} else if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return out, nil
}
