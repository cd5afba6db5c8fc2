package npy

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Write writes a table of numbers as a .npy file: an array of float64 of two dimensions in C order, NaN where a cell is
// missing. The names of the columns are lost. A column of categories is a fault.Data error; WriteArchive writes such
// columns.
func Write(ctx context.Context, w io.Writer, outline dataset.Outline, blocks dataset.Blocks) error {
	for _, f := range outline.Fields {
		if f.Kind == dataset.Nominal {
			return fault.New(fault.Data, "column %q holds categories; a .npy file holds numbers", f.Name).
				WithHint("write a .npz file, or leave the column out")
		}
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := writeHeader(out, "<f8", fmt.Sprintf("%d, %d", outline.Rows, len(outline.Fields))); err != nil {
		return err
	}
	err := each(ctx, outline, blocks, func(block *dataset.Table) error {
		for row := range block.Rows {
			for j := range block.Columns {
				bits, err := number(&block.Columns[j], row)
				if err != nil {
					return err
				}
				if _, err := out.Write(binary.LittleEndian.AppendUint64(out.AvailableBuffer(), bits)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// each calls add for every block and checks the table against its outline.
func each(
	ctx context.Context, outline dataset.Outline, blocks dataset.Blocks, add func(*dataset.Table) error,
) error {
	if len(outline.Fields) == 0 {
		return fault.New(fault.Usage, "the table has no columns to write")
	}
	rows := 0
	for block, err := range blocks {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(block.Columns) != len(outline.Fields) {
			return fault.New(fault.Usage, "a block has %d columns, the table %d", len(block.Columns),
				len(outline.Fields))
		}
		if err := add(block); err != nil {
			return err
		}
		rows += block.Rows
	}
	if rows != outline.Rows {
		return fault.New(fault.Data, "%d rows in the second reading, %d in the first", rows, outline.Rows).
			WithHint("the file may have changed meanwhile")
	}
	return nil
}

// number returns the bits of a cell; a missing cell has the bits of NumPy's own NaN.
func number(c *dataset.Column, row int) (uint64, error) {
	if c.Missing(row) {
		return 0x7FF8 << 48, nil
	}
	if !c.Numeric() {
		return 0, fault.New(fault.Usage, "%s: %q in a column of numbers", c.Place(row), c.Text(row))
	}
	return math.Float64bits(c.Numbers[row]), nil
}

// writeHeader writes a header of version 1.0, which ends at a multiple of 64 bytes.
func writeHeader(out *bufio.Writer, descr, shape string) error {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	before := len(magic) + 4
	text += strings.Repeat(" ", 63-(before+len(text))%64) + "\n"
	start := append([]byte(magic), 1, 0)
	start = binary.LittleEndian.AppendUint16(start, uint16(len(text)))
	_, err := out.Write(append(start, text...))
	return err
}
