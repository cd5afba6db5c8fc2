package npy

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/memory"
)

// WriteArchive writes a table as a .npz file: for each column an array of one dimension called as the column. Numbers
// are float64, categories are texts (<U), "" where one is missing. An archive holds one column after the other, so the
// table is collected in memory first, eight bytes a number and four a category; a table that does not fit is a
// fault.Resource error.
func WriteArchive(ctx context.Context, w io.Writer, outline dataset.Outline, blocks dataset.Blocks) error {
	bytes := 8 * float64(outline.Rows) * float64(len(outline.Fields))
	if err := memory.Check(bytes, "a .npz file of this size", "write Parquet or CSV"); err != nil {
		return err
	}
	columns := make([]gathered, len(outline.Fields))
	for i, f := range outline.Fields {
		columns[i].Field = f
	}
	err := each(ctx, outline, blocks, func(block *dataset.Table) error {
		for i := range columns {
			if err := columns[i].add(&block.Columns[i], block.Rows); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for i := range columns {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := columns[i].write(z, outline.Rows); err != nil {
			return err
		}
	}
	return z.Close()
}

// gathered is a column on its way into an archive.
type gathered struct {
	dataset.Field
	bits   []uint64 // of numbers
	codes  []int32  // of categories
	levels []string
}

func (g *gathered) add(c *dataset.Column, rows int) error {
	for row := range rows {
		if g.Kind == dataset.Nominal {
			code := -1 // also of a block whose cells are all missing, which looks like one of numbers
			if !c.Missing(row) {
				if c.Codes == nil || c.Codes[row] >= len(c.Levels) {
					return fault.New(fault.Usage, "%s: the cell has no category", c.Place(row))
				}
				code = c.Codes[row]
			}
			g.codes = append(g.codes, int32(code))
			continue
		}
		bits, err := number(c, row)
		if err != nil {
			return err
		}
		g.bits = append(g.bits, bits)
	}
	if len(c.Levels) > len(g.levels) {
		g.levels = c.Levels
	}
	return nil
}

func (g *gathered) write(z *zip.Writer, rows int) error {
	if g.Name == "" || strings.ContainsRune(g.Name, 0) || len(g.Name) > math.MaxUint16-4 {
		return fault.New(fault.Data, "%.40q cannot be the name of an array", g.Name)
	}
	member, err := z.CreateHeader(&zip.FileHeader{Name: g.Name + ".npy", Method: zip.Store})
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(member, 1<<16)
	if g.Kind == dataset.Nominal {
		err = g.writeTexts(out, rows)
	} else {
		err = g.writeNumbers(out, rows)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func (g *gathered) writeNumbers(out *bufio.Writer, rows int) error {
	if err := writeHeader(out, "<f8", fmt.Sprintf("%d,", rows)); err != nil {
		return err
	}
	for _, v := range g.bits {
		if _, err := out.Write(binary.LittleEndian.AppendUint64(out.AvailableBuffer(), v)); err != nil {
			return err
		}
	}
	return nil
}

func (g *gathered) writeTexts(out *bufio.Writer, rows int) error {
	width := 1
	for _, l := range g.levels {
		if l == "" || !utf8.ValidString(l) || strings.ContainsRune(l, 0) {
			return fault.New(fault.Data, "column %q: the category %.40q cannot be written", g.Name, l)
		}
		width = max(width, utf8.RuneCountInString(l))
	}
	if err := writeHeader(out, fmt.Sprintf("<U%d", width), fmt.Sprintf("%d,", rows)); err != nil {
		return err
	}
	cell := make([]byte, 4*width)
	for _, code := range g.codes {
		clear(cell)
		if code >= 0 {
			at := 0
			for _, r := range g.levels[code] {
				binary.LittleEndian.PutUint32(cell[at:], uint32(r))
				at += 4
			}
		}
		if _, err := out.Write(cell); err != nil {
			return err
		}
	}
	return nil
}
