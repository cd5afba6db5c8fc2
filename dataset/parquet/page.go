package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/parquet-go/parquet-go/format"

	"rvflplus/internal/memory"
)

// Bounds of a page. Writers close pages at some MiB.
const (
	maxPage       = 64 << 20 // bytes, unpacked
	maxPageRows   = 8 << 20
	maxDictionary = 4 << 20 // distinct values
	maxEmpty      = 1000    // pages without rows after each other
	maxPageHeader = 8 << 20 // it may hold the smallest and largest text
)

// chunk is the pages of one column in one row group.
type chunk struct {
	*column
	file    io.ReaderAt
	codec   format.CompressionCodec
	at, end int64 // of the bytes to read
	left    int64 // rows of pages to read
	dict    *dictionary
	taken   float64 // bytes of memory since they were last checked
}

// rows are the cells of a data page.
type rows struct {
	n       int
	present []uint8 // 0 for a missing cell; nil if none is missing
	*cells          // the values of the others
}

func (c *column) chunkOf(file io.ReaderAt, g *group) (*chunk, error) {
	meta := &g.chunks[c.chunk]
	switch {
	case meta.FilePath != "":
		return nil, fmt.Errorf("its cells are in another file, %q", meta.FilePath)
	case meta.MetaData.Type != c.physical:
		return nil, fmt.Errorf("type %s, but %s in the schema", meta.MetaData.Type, c.physical)
	}
	at := meta.MetaData.DataPageOffset
	if d := meta.MetaData.DictionaryPageOffset; d > 0 && d < at {
		at = d
	}
	if at < 4 || at > g.end {
		return nil, fmt.Errorf("pages at byte %d of %d", at, g.end)
	}
	return &chunk{column: c, file: file, codec: meta.MetaData.Codec, at: at, end: g.end, left: g.rows}, nil
}

// next reads up to the next data page that has rows.
func (c *chunk) next() (*rows, error) {
	for range maxEmpty {
		head, size, err := c.header()
		if err != nil {
			return nil, err
		}
		c.at += int64(size)
		body := make([]byte, head.CompressedPageSize)
		if err := readAt(c.file, body, c.at); err != nil {
			return nil, err
		}
		if head.CRC != 0 && crc32.ChecksumIEEE(body) != uint32(head.CRC) {
			return nil, errors.New("the checksum does not fit: the file is damaged")
		}
		page, err := c.decode(head, body)
		if err != nil {
			return nil, err
		}
		c.at += int64(len(body))
		if page != nil && page.n > 0 {
			c.left -= int64(page.n)
			return page, nil
		}
	}
	return nil, fmt.Errorf("%d pages without rows", maxEmpty)
}

// header reads the header of the page at c.at, which is of size bytes.
func (c *chunk) header() (*format.PageHeader, int, error) {
	for window := int64(512); ; window *= 8 {
		data := make([]byte, min(window, c.end-c.at))
		if err := readAt(c.file, data, c.at); err != nil {
			return nil, 0, err
		}
		size, structs, err := skim(data)
		if errors.Is(err, io.ErrUnexpectedEOF) && int64(len(data)) == window && window < maxPageHeader {
			continue
		}
		if err == nil && structs > 0 {
			err = errMalformed
		}
		head := new(format.PageHeader)
		if err == nil {
			err = decode(data[:size], head)
		}
		if err == nil {
			err = c.checkHeader(head, c.end-c.at-int64(size))
		}
		return head, size, err
	}
}

// checkHeader bounds the sizes that the header of a page claims; room bytes of the file are left for the body.
func (c *chunk) checkHeader(head *format.PageHeader, room int64) error {
	packed, size := int64(head.CompressedPageSize), int64(head.UncompressedPageSize)
	if packed < 0 || packed > room {
		return fmt.Errorf("a page of %d bytes, %d are left", packed, room)
	}
	if size < 0 || size > maxPage || packed > 2*maxPage {
		return tooMany("bytes in a page", max(packed, size), maxPage)
	}
	n, most := int64(0), int64(0) // values of the page
	switch head.Type {
	case format.DataPage:
		n, most = int64(head.DataPageHeader.V.NumValues), min(c.left, maxPageRows)
	case format.DataPageV2:
		n, most = int64(head.DataPageHeaderV2.V.NumValues), min(c.left, maxPageRows)
	case format.DictionaryPage:
		n, most = int64(head.DictionaryPageHeader.V.NumValues), maxDictionary
	}
	if n < 0 || n > most {
		return fmt.Errorf("a page of %d values, at most %d are read", n, most)
	}
	need := float64(packed + size + 32*n) // the body, its unpacked bytes, and the cells
	c.taken += need
	if c.taken > 4<<20 {
		c.taken = 0
		return memory.Check(need, "a page of a Parquet file", "write smaller pages or row groups")
	}
	return nil
}

// decode reads the body of a page; the rows are nil if it has none.
func (c *chunk) decode(head *format.PageHeader, body []byte) (*rows, error) {
	size := int(head.UncompressedPageSize)
	switch head.Type {
	case format.DataPage:
		data, err := inflate(c.codec, body, size)
		if err != nil {
			return nil, err
		}
		return c.firstVersion(&head.DataPageHeader.V, data)
	case format.DataPageV2:
		return c.secondVersion(&head.DataPageHeaderV2.V, body, size)
	case format.DictionaryPage:
		data, err := inflate(c.codec, body, size)
		if err != nil {
			return nil, err
		}
		c.dict, err = c.newDictionary(data, int(head.DictionaryPageHeader.V.NumValues))
		return nil, err
	case format.IndexPage:
		return nil, nil
	}
	return nil, fmt.Errorf("a page of unknown type %d", head.Type)
}

// firstVersion reads a page whose levels are packed with the values.
func (c *chunk) firstVersion(head *format.DataPageHeader, data []byte) (*rows, error) {
	page := &rows{n: int(head.NumValues)}
	if c.optional {
		if head.DefinitionLevelEncoding != format.RLE {
			return nil, fmt.Errorf("levels encoded as %s are not read", head.DefinitionLevelEncoding)
		}
		if len(data) < 4 {
			return nil, io.ErrUnexpectedEOF
		}
		size := int64(binary.LittleEndian.Uint32(data))
		if data = data[4:]; size > int64(len(data)) {
			return nil, io.ErrUnexpectedEOF
		}
		if err := page.setPresent(data[:size]); err != nil {
			return nil, err
		}
		data = data[size:]
	}
	return c.withCells(page, head.Encoding, data)
}

// secondVersion reads a page whose levels stand before the packed values.
func (c *chunk) secondVersion(head *format.DataPageHeaderV2, body []byte, size int) (*rows, error) {
	page := &rows{n: int(head.NumValues)}
	repetition, definition := int64(head.RepetitionLevelsByteLength), int64(head.DefinitionLevelsByteLength)
	levels := repetition + definition
	if repetition < 0 || definition < 0 || levels > int64(len(body)) || levels > int64(size) {
		return nil, errEncoding
	}
	if c.optional && (definition > 0 || head.NumNulls != 0) {
		if err := page.setPresent(body[repetition:levels]); err != nil {
			return nil, err
		}
	}
	data := body[levels:]
	if !head.IsCompressed.Valid || head.IsCompressed.V {
		if size -= int(levels); size == 0 { // some writers compress nothing where there are no values
			data = nil
		} else if unpacked, err := inflate(c.codec, data, size); err == nil {
			data = unpacked
		} else {
			return nil, err
		}
	}
	return c.withCells(page, head.Encoding, data)
}

func (p *rows) setPresent(levels []byte) error {
	p.present = make([]uint8, p.n)
	return hybrid(p.present, levels, 1)
}

func (c *chunk) withCells(page *rows, encoding format.Encoding, data []byte) (*rows, error) {
	n := page.n
	for _, present := range page.present {
		n -= int(1 - present)
	}
	var err error
	page.cells, err = c.cells(encoding, data, n, c.dict)
	return page, err
}
