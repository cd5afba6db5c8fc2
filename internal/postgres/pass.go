package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/categories"
)

// pass is one reading of the rows.
type pass struct {
	reader  *Reader
	parts   []*part
	formats []int16
	rows    int // of a block
	first   int // row of the block
	digest  maphash.Hash
}

// seed is that of all digests, which are compared within a process only.
var seed = maphash.MakeSeed()

// start refuses columns of types that are not read, unless they are skipped.
func (r *Reader) start(as []dataset.ReadAs) (*pass, error) {
	p := &pass{reader: r, formats: make([]int16, len(as))}
	p.digest.SetSeed(seed)
	for i, a := range as {
		c := &r.columns[i]
		p.formats[i] = c.class.format(a)
		if a == dataset.Skip {
			continue
		}
		if c.class == unread && a != dataset.Text {
			return nil, fault.New(fault.Data, "%s: column %q is of type %s, which is not read", r.name, c.name,
				c.typeName).WithHint("%s, or leave it out with %s", castHint(c), fault.Name("drop"))
		}
		p.parts = append(p.parts, newPart(c, i, a&^dataset.WithText, p.formats[i]))
		if a&dataset.WithText != 0 {
			p.parts = append(p.parts, newPart(c, i, dataset.Text, p.formats[i]))
		}
	}
	p.rows = max(1, min(maxBlockRows, maxBlockCells/max(1, len(p.parts))))
	return p, nil
}

// read yields the rows in blocks and compares them with those of an earlier pass.
func (p *pass) read(ctx context.Context, yield func(*dataset.Table, error) bool) error {
	r := p.reader
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rows := r.conn.ExecParams(ctx, r.statement, nil, nil, nil, p.formats)
	complete := false
	defer func() {
		if !complete { // the statement is ended, and with it the transaction
			cancel()
			_, _ = rows.Close()
			r.unusable = true
		}
	}()
	table, n := p.begin(), 0
	for rows.NextRow() {
		values := rows.Values()
		if err := p.add(table, n, values); err != nil {
			return err
		}
		if n++; n == p.rows {
			if !yield(p.finish(table, n), nil) {
				return nil
			}
			table, n = p.begin(), 0
		}
	}
	if _, err := rows.Close(); err != nil {
		return r.target.serverError(ctx, err, r.query, p.place(n))
	}
	complete = true
	if err := p.compare(); err != nil {
		return err
	}
	if n > 0 || p.first == 0 {
		yield(p.finish(table, n), nil)
	}
	return nil
}

// place says in a message how far the reading came.
func (p *pass) place(n int) string {
	if p.first+n == 0 {
		return p.reader.name
	}
	return fmt.Sprintf("%s, after row %d", p.reader.name, p.first+n)
}

// compare compares the rows with those of an earlier pass over the same cells.
func (p *pass) compare() error {
	digests := p.reader.digests
	if digests == nil {
		return nil
	}
	forms, digest := fmt.Sprint(p.formats), p.digest.Sum64()
	if before, again := digests[forms]; again && before != digest {
		return fault.New(fault.Data, "%s: the rows are read more than once, and came otherwise or in another order "+
			"the second time", p.reader.name).
			WithHint("order the rows with ORDER BY over columns that tell them apart, and leave out functions such " +
				"as random()")
	}
	digests[forms] = digest
	return nil
}

// part is a column of the tables that are made.
type part struct {
	*column
	field  int
	as     dataset.ReadAs // without WithText
	format int16
	levels *categories.Coder
}

func newPart(c *column, field int, as dataset.ReadAs, format int16) *part {
	return &part{c, field, as, format, categories.New()}
}

// begin returns a table for the rows of the next block.
func (p *pass) begin() *dataset.Table {
	t := &dataset.Table{Columns: make([]dataset.Column, len(p.parts))}
	origin := &dataset.Origin{File: p.reader.name, First: p.first}
	for i, part := range p.parts {
		c := &t.Columns[i]
		*c = dataset.Column{Name: part.name, Origin: origin, Number: part.field + 1}
		switch {
		case part.as == dataset.Text:
			c.Texts = make([]string, p.rows)
		case part.as != dataset.Categorical && part.class.isNumber():
			c.Numbers = make([]float64, p.rows)
		default:
			c.Codes = make([]int, p.rows)
		}
	}
	return t
}

// add sets row n of a block.
func (p *pass) add(t *dataset.Table, n int, values [][]byte) error {
	for i, part := range p.parts {
		if problem := part.set(&t.Columns[i], n, values[part.field]); problem != nil {
			return problem.at(&t.Columns[i], n)
		}
	}
	if p.reader.digests != nil {
		for _, raw := range values {
			var length [4]byte
			binary.LittleEndian.PutUint32(length[:], uint32(len(raw)))
			if raw == nil {
				length[3] = 0xFF // NULL is no empty text
			}
			_, _ = p.digest.Write(length[:])
			_, _ = p.digest.Write(raw)
		}
	}
	return nil
}

// set sets a cell; raw is nil for NULL.
func (p *part) set(c *dataset.Column, row int, raw []byte) (problem *problem) {
	switch {
	case c.Numbers != nil && raw == nil:
		c.Numbers[row] = math.NaN()
	case c.Numbers != nil:
		c.Numbers[row], problem = p.class.numberOf(raw, p.format)
	case raw == nil && c.Codes != nil:
		c.Codes[row] = -1
	case raw != nil:
		problem = p.setText(c, row, raw)
	}
	return problem
}

// setText sets a text or a category; an empty text is a missing category, as in files.
func (p *part) setText(c *dataset.Column, row int, raw []byte) *problem {
	cell, problem := p.class.textOf(raw)
	switch {
	case problem != nil:
	case c.Texts != nil:
		c.Texts[row] = string(cell)
	case len(cell) == 0:
		c.Codes[row] = -1
	default:
		c.Codes[row] = p.levels.Code(string(cell))
	}
	return problem
}

// finish returns a block with its first n rows.
func (p *pass) finish(t *dataset.Table, n int) *dataset.Table {
	t.Rows = n
	for i, part := range p.parts {
		switch c := &t.Columns[i]; {
		case c.Numbers != nil:
			c.Numbers = c.Numbers[:n:n]
		case c.Texts != nil:
			c.Texts = c.Texts[:n:n]
		default:
			c.Codes, c.Levels = c.Codes[:n:n], slices.Clip(part.levels.Levels)
		}
	}
	p.first += n
	return t
}
