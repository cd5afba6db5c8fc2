package libsvm

import (
	"bufio"
	"context"
	"io"
	"math"
	"strconv"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Write writes a table as LIBSVM text with indices from 1. The last column is the label, a column called qid before it
// is the query, the others are features, whose names are lost. Numbers are read back as the same bits. Categories,
// missing cells and a table without rows are fault.Data errors: the format has none of them.
func Write(ctx context.Context, w io.Writer, outline dataset.Outline, blocks dataset.Blocks) error {
	if err := check(outline.Fields); err != nil {
		return err
	}
	features := len(outline.Fields) - 1
	out := &writer{w: bufio.NewWriterSize(w, 1<<16), columns: len(outline.Fields), features: features, query: -1}
	if last := features - 1; last >= 0 && outline.Fields[last].Name == "qid" {
		out.features, out.query = last, last
	}
	for block, err := range blocks {
		if err != nil {
			return err
		}
		if err := out.block(ctx, block); err != nil {
			return err
		}
	}
	if out.rows == 0 {
		return fault.New(fault.Data, "LIBSVM text cannot hold a table without rows").WithHint("write CSV or ARFF")
	}
	return out.w.Flush()
}

func check(fields []dataset.Field) error {
	if len(fields) == 0 {
		return fault.New(fault.Usage, "LIBSVM text needs a column for the label")
	}
	for i, f := range fields {
		if f.Kind != dataset.Nominal {
			continue
		}
		if i == len(fields)-1 {
			return fault.New(fault.Data, "column %q is the label, but holds categories, which LIBSVM text cannot",
				f.Name).
				WithHint("replace its categories by numbers first, or write CSV or ARFF")
		}
		return fault.New(fault.Data, "column %q holds categories, which LIBSVM text cannot", f.Name).
			WithHint("drop the column, replace its categories by numbers, or write CSV or ARFF")
	}
	return nil
}

type writer struct {
	w        *bufio.Writer
	rows     int
	columns  int
	features int
	query    int // its column, or -1
}

func (out *writer) block(ctx context.Context, t *dataset.Table) error {
	if n := out.columns; len(t.Columns) != n {
		return fault.New(fault.Usage, "a block of %d columns in a table of %d", len(t.Columns), n)
	}
	for row := range t.Rows {
		if out.rows%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := out.row(t, row); err != nil {
			return err
		}
		out.rows++
	}
	return ctx.Err()
}

func (out *writer) row(t *dataset.Table, row int) error {
	label := &t.Columns[len(t.Columns)-1]
	if err := writable(label, row); err != nil {
		return err
	}
	out.number(label.Numbers[row]) // Flush reports the errors of all writes
	if out.query >= 0 {
		c := &t.Columns[out.query]
		if err := writable(c, row); err != nil {
			return err
		}
		v := c.Numbers[row]
		if math.Signbit(v) || v != math.Trunc(v) || v > maxQuery {
			return fault.New(fault.Data, "%s: %v cannot be a qid, which is a whole number from 0 to 2^53", c.Place(row),
				v).
				WithHint("call the column something else if it is a feature")
		}
		_, _ = out.w.WriteString(" qid:" + strconv.FormatUint(uint64(v), 10))
	}
	for i := range out.features {
		c := &t.Columns[i]
		if err := writable(c, row); err != nil {
			return err
		}
		// The first row shows how many columns there are.
		v, first := c.Numbers[row], out.rows == 0 && i == out.features-1
		if math.Float64bits(v) != 0 || first {
			text := append(out.w.AvailableBuffer(), ' ')
			text = append(strconv.AppendInt(text, int64(i+1), 10), ':')
			_, _ = out.w.Write(strconv.AppendFloat(text, v, 'g', -1, 64))
		}
	}
	return out.w.WriteByte('\n')
}

func writable(c *dataset.Column, row int) error {
	if c.Missing(row) {
		return c.MissingError(row, "LIBSVM text has no missing cells: fill them, drop the column, or write CSV or ARFF")
	}
	if !c.Numeric() {
		return fault.New(fault.Data, "%s: %q is not a number, but LIBSVM text holds only numbers", c.Place(row),
			c.Text(row)).
			WithHint("drop the column, or write CSV or ARFF")
	}
	return nil
}

func (out *writer) number(v float64) {
	_, _ = out.w.Write(strconv.AppendFloat(out.w.AvailableBuffer(), v, 'g', -1, 64))
}
