// Package libsvm reads and writes the sparse text of LIBSVM and SVMlight: a row is
// its label and index:value for every feature that is not 0.
package libsvm

import (
	"context"
	"errors"
	"io"
	"strconv"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/lines"
	"rvflplus/internal/memory"
)

// Options say how the text is to be read. The zero value takes indices from 1 and as many features as the largest
// index.
type Options struct {
	Name string // of the file, for errors
	// Features is the number of features, at most 1<<20; an index beyond it is an error. 0 counts the features: their
	// number is the largest index, which takes a pass of its own over the file.
	Features int
	// AtLeast is the least number of features if they are counted. A row names only the features that are not 0, so
	// that a small file may have fewer than the model needs that predicts for it.
	AtLeast int
	// ZeroBased says that index 0 is the first feature, as scikit-learn writes by default.
	ZeroBased bool
}

// Reader reads one table: columns f1, f2, … for the features, then qid if the rows have one, and target last. Either
// all rows have a qid or none. Features that a row does not mention are 0; "nan" is a missing cell.
type Reader struct {
	options  Options
	features int
	names    []string
	file     io.Closer
	rows     *parser
	row      row  // the last one read
	ahead    bool // row is the first, read to know whether there is a qid, and not yet in a block
	expected int  // rows, from the first pass, or blockRows
}

const (
	blockRows  = 4096
	blockCells = 1 << 21 // rows of a block shrink as columns grow
	// columnBytes is the memory of a column beside its cells while a block is made.
	columnBytes = 512
)

// NewReader reads as far as the first row. If Options.Features is 0 it first passes over the whole text; open is called
// for each pass. Close the Reader after use. Errors about the text are of kind fault.Data.
func NewReader(ctx context.Context, open func() (io.ReadCloser, error), o Options) (*Reader, error) {
	if o.Features < 0 || o.Features > lines.MaxColumns {
		return nil, fault.Param("the number of features", "from 0 (count them) to "+strconv.Itoa(lines.MaxColumns),
			o.Features)
	}
	if o.AtLeast < 0 || o.AtLeast > lines.MaxColumns {
		return nil, fault.Param("the least number of features", "from 0 to "+strconv.Itoa(lines.MaxColumns), o.AtLeast)
	}
	r := &Reader{options: o, features: o.Features, expected: blockRows}
	if o.Features == 0 {
		if err := r.count(ctx, open); err != nil {
			return nil, err
		}
	}
	if err := r.begin(open); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// count makes the first pass.
func (r *Reader) count(ctx context.Context, open func() (io.ReadCloser, error)) error {
	file, err := open()
	if err != nil {
		return err
	}
	defer file.Close()
	p, err := newParser(file, r.options, lines.MaxColumns)
	if err != nil {
		return err
	}
	p.indicesOnly = true
	r.features = r.options.AtLeast
	var rec row
	for r.expected = 0; ; r.expected++ {
		if err := p.next(&rec); errors.Is(err, io.EOF) {
			return ctx.Err()
		} else if err != nil {
			return err
		}
		if n := len(rec.entries); n > 0 {
			r.features = max(r.features, rec.entries[n-1].column+1)
		}
		if r.expected%blockRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// begin opens the text, reads the first row and names the columns.
func (r *Reader) begin(open func() (io.ReadCloser, error)) error {
	file, err := open()
	if err != nil {
		return err
	}
	r.file = file
	if r.rows, err = newParser(file, r.options, r.features); err != nil {
		return err
	}
	if err := r.rows.next(&r.row); errors.Is(err, io.EOF) {
		return fault.New(fault.Data, "%s has no rows", r.options.Name)
	} else if err != nil {
		return err
	}
	r.ahead = true
	bytes := columnBytes * float64(r.features)
	if err := memory.Check(bytes, "the columns of "+r.options.Name, "check the largest index"); err != nil {
		return err
	}
	r.names = make([]string, 0, r.features+2)
	for i := range r.features {
		r.names = append(r.names, "f"+strconv.Itoa(i+1))
	}
	if r.row.hasQuery {
		r.names = append(r.names, "qid")
	}
	r.names = append(r.names, "target")
	return nil
}

// Fields implements dataset.Source; all columns are numeric.
func (r *Reader) Fields() []dataset.Field {
	fields := make([]dataset.Field, len(r.names))
	for i, name := range r.names {
		fields[i] = dataset.Field{Name: name, Kind: dataset.Numeric}
	}
	return fields
}

// Close closes the text.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// Blocks implements dataset.Source.
func (r *Reader) Blocks(ctx context.Context, as []dataset.ReadAs) dataset.Blocks {
	if len(as) != len(r.names) {
		panic("libsvm: as many ways to read as columns are needed")
	}
	return dataset.Convert(func(yield func(*dataset.Table, error) bool) {
		for last := false; !last; {
			var block *dataset.Table
			var err error
			block, last, err = r.block(ctx, as)
			if !yield(block, err) || err != nil {
				return
			}
		}
	}, as)
}

// block reads the rows of one block.
func (r *Reader) block(ctx context.Context, as []dataset.ReadAs) (block *dataset.Table, last bool, err error) {
	rows := min(max(1, blockCells/len(as)), blockRows, max(1, r.expected))
	bytes := float64(len(as)) * float64(8*rows+columnBytes)
	if err := memory.Check(bytes, "a block of "+r.options.Name, "the file has %d columns", len(as)); err != nil {
		return nil, false, err
	}
	b := r.newBuilder(as, rows)
	for len(b.origin.Lines) < rows {
		rec, err := r.nextRow()
		if errors.Is(err, io.EOF) {
			return b.table(), true, nil
		}
		if err != nil {
			return nil, false, err
		}
		b.add(rec)
	}
	return b.table(), false, ctx.Err()
}

// nextRow returns a row that is valid until the next call.
func (r *Reader) nextRow() (*row, error) {
	if r.ahead {
		r.ahead = false
		return &r.row, nil
	}
	return &r.row, r.rows.next(&r.row)
}
