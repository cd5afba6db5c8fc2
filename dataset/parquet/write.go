package parquet

import (
	"context"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/memory"
)

// groupCells bounds the cells of a row group, which the writer and some readers hold in memory.
const groupCells = 4 << 20

const (
	pageBytes  = 256 << 10 // of a column until its page is closed
	maxWritten = 65000     // columns; parquet-go numbers them by 16 bits
	// columnBytes is the memory that parquet-go was measured to hold for a column besides its cells.
	columnBytes = 80e3
)

// CheckColumns returns the error that Write gives for a table of n columns, before any of its rows is read: more than
// 65,000 columns are a fault.Usage error, too little memory for them is a fault.Resource error.
func CheckColumns(n int) error {
	if n == 0 || n > maxWritten {
		return fault.New(fault.Usage, "%d columns, a Parquet file has 1 to %d", n, maxWritten).
			WithHint("write another format, or fewer columns")
	}
	purpose := fmt.Sprintf("writing %d columns of a Parquet file", n)
	return memory.Check(columnBytes*float64(n), purpose, "write CSV or fewer columns")
}

// Write writes a table as a Parquet file: numbers as DOUBLE, categories as STRING with a dictionary, all columns
// OPTIONAL with a null where a cell is missing, the pages compressed by Snappy. Rows are written as they come, in
// groups of at most four million cells. Errors are those of CheckColumns, and fault.Data for other rows than the
// outline's.
func Write(ctx context.Context, w io.Writer, outline dataset.Outline, blocks dataset.Blocks) error {
	return write(ctx, w, outline, blocks, groupCells)
}

// write is Write with row groups of at most so many cells.
func write(ctx context.Context, w io.Writer, outline dataset.Outline, blocks dataset.Blocks, cells int) error {
	n := len(outline.Fields)
	if err := CheckColumns(n); err != nil {
		return err
	}
	most := max(1, cells/n)
	out := &writer{
		ctx:     ctx,
		outline: outline,
		parquet: parquet.NewGenericWriter[any](w, schema(outline.Fields), parquet.Compression(&parquet.Snappy),
			parquet.CreatedBy("rvflplus", "", ""), parquet.PageBufferSize(min(pageBytes, 8*most))),
		most: most,
	}
	out.columns = out.parquet.ColumnWriters()
	for block, err := range blocks {
		if err == nil {
			err = out.add(block)
		}
		if err != nil {
			return err
		}
	}
	if out.rows != outline.Rows {
		return fault.New(fault.Data, "%d rows in the second reading, %d in the first", out.rows, outline.Rows).
			WithHint("the file may have changed meanwhile")
	}
	return out.parquet.Close()
}

// ordered is a schema whose columns keep their order; parquet.Group sorts them.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields implements parquet.Node.
func (o *ordered) Fields() []parquet.Field { return o.fields }

func schema(fields []dataset.Field) *parquet.Schema {
	root := &ordered{Group: parquet.Group{}}
	for _, f := range fields {
		node := parquet.Leaf(parquet.DoubleType)
		if f.Kind == dataset.Nominal {
			node = parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		}
		// A group of one gives the node a name.
		root.fields = append(root.fields, parquet.Group{f.Name: parquet.Optional(node)}.Fields()...)
	}
	return parquet.NewSchema("table", root)
}

// writer writes blocks.
type writer struct {
	ctx     context.Context
	outline dataset.Outline
	parquet *parquet.GenericWriter[any]
	columns []*parquet.ColumnWriter
	values  []parquet.Value
	rows    int
	group   int // rows of the row group
	most    int
}

func (w *writer) add(block *dataset.Table) error {
	if len(block.Columns) != len(w.columns) {
		return fault.New(fault.Usage, "a block has %d columns, the table %d", len(block.Columns), len(w.columns))
	}
	for first := 0; first < block.Rows; {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		n := min(block.Rows-first, w.most-w.group)
		for i := range block.Columns {
			if err := w.addCells(i, &block.Columns[i], first, n); err != nil {
				return err
			}
		}
		first, w.group = first+n, w.group+n
		if w.group == w.most {
			w.group = 0
			if err := w.parquet.Flush(); err != nil {
				return err
			}
		}
	}
	w.rows += block.Rows
	return nil
}

// addCells writes n cells of a column.
func (w *writer) addCells(i int, c *dataset.Column, first, n int) error {
	nominal := w.outline.Fields[i].Kind == dataset.Nominal
	w.values = w.values[:0]
	for row := first; row < first+n; row++ {
		v := parquet.NullValue().Level(0, 0, i)
		if !c.Missing(row) {
			if c.Numeric() == nominal {
				return fault.New(fault.Usage, "%s: %q is not of the column's kind", c.Place(row), c.Text(row))
			}
			if nominal {
				v = parquet.ByteArrayValue([]byte(c.Text(row))).Level(0, 1, i)
			} else {
				v = parquet.DoubleValue(c.Numbers[row]).Level(0, 1, i)
			}
		}
		w.values = append(w.values, v)
	}
	_, err := w.columns[i].WriteRowValues(w.values)
	return err
}
