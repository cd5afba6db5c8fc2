// Package survey describes the columns of a table in one pass over its rows.
package survey

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/categories"
	"rvflplus/internal/celltext"
	"rvflplus/internal/memory"
)

// Summary describes the cells of a table.
type Summary struct {
	Rows    int
	Columns []Column // one for each column of the source's blocks
}

// Column describes the cells of one column. A column read as text is of kind Nominal, without Levels: its cells are not
// looked at.
type Column struct {
	// Field is the column. Its Kind is Numeric or Nominal; a column whose cells are all missing is numeric unless the
	// format declares otherwise.
	dataset.Field
	Missing int // cells
	// Words says that a column that was read by its cells has words among plain numbers, or words that are numbers or
	// dates in disguise may be among them: the categories are not complete. Read as dataset.Categorical they are.
	Words bool

	// Of the numbers, NaN if there are none. Std has the divisor N.
	Min, Max, Mean, Std float64

	// Distinct is the number of different values that occur; MaxDistinct+1 if a numeric column has more than
	// MaxDistinct.
	Distinct int
	// Values counts the cells of every value: numbers in rising order, nil if there are more than MaxDistinct;
	// categories in the order of Levels, also categories that do not occur.
	Values []ValueCount
}

// ValueCount is how often a value occurs.
type ValueCount struct {
	Text  string
	Count int
}

// MaxDistinct is the greatest number of different numbers that are counted.
const MaxDistinct = 50

// Outline returns the number of rows and the columns with all their categories: writers of tables need them first.
func (s *Summary) Outline() dataset.Outline {
	o := dataset.Outline{Rows: s.Rows, Fields: make([]dataset.Field, 0, len(s.Columns))}
	for _, c := range s.Columns {
		o.Fields = append(o.Fields, c.Field)
	}
	return o
}

// Summarize reads a source once and describes it; as says how each field is read. The result does not depend on how
// the rows are divided into blocks. missing is dataset.Cells.Missing. Memory grows with the categories alone; a
// fault.Resource error tells when they do not fit.
func Summarize(ctx context.Context, src dataset.Source, as []dataset.ReadAs, missing []string) (*Summary, error) {
	const dropHint, drop = "drop columns with %s", fault.Name("drop")
	const perColumn = 1 << 10 // bytes, measured: of its tally, its name and its place in a block
	purpose := fmt.Sprintf("describing %d columns", len(as))
	if err := memory.Check(perColumn*float64(len(as)), purpose, dropHint, drop); err != nil {
		return nil, err
	}
	columns := newTallies(src.Fields(), as)
	for i := range columns {
		columns[i].markers = missing
	}
	out := &Summary{Columns: make([]Column, len(columns))}
	checked, bytes := 0, 0.0 // categories of all columns when memory was last checked, and what they take
	for block, err := range src.Blocks(ctx, as) {
		if err != nil {
			return nil, err
		}
		out.Rows += block.Rows
		levels := 0
		for i := range block.Columns {
			t := &columns[i]
			t.add(&block.Columns[i])
			levels += len(t.levels)
			for ; t.counted < len(t.levels); t.counted++ {
				bytes += categories.Bytes(t.levels[t.counted])
			}
		}
		// Would as many categories again fit? Maps double when they grow.
		if levels >= checked+checked/8+1000 {
			checked = levels
			if err := memory.Check(bytes, "counting the categories of "+block.FileName(), dropHint, drop); err != nil {
				return nil, err
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	for i := range columns {
		out.Columns[i] = columns[i].summary()
	}
	return out, nil
}

// tally describes the cells of a column as they come.
type tally struct {
	field     dataset.Field
	markers   celltext.Markers
	missing   int
	numbers   moments
	counts    []numberCount // in rising order; nil if there are too many
	many      bool
	nominal   bool
	levels    []string
	counted   int   // levels whose memory is counted
	perLevels []int // cells of each level
}

// numberCount is how often a number occurs.
type numberCount struct {
	number float64
	count  int
}

// newTallies returns empty tallies of the columns that blocks will have.
func newTallies(fields []dataset.Field, as []dataset.ReadAs) []tally {
	tallies := make([]tally, 0, len(as))
	for i, a := range as {
		if a == dataset.Skip {
			continue
		}
		f := fields[i]
		if a&^dataset.WithText == dataset.Text {
			f.Kind, f.Levels = dataset.Nominal, nil
		}
		tallies = append(tallies, tally{field: f})
		if a&dataset.WithText != 0 {
			tallies = append(tallies, tally{field: dataset.Field{Name: f.Name, Kind: dataset.Nominal}})
		}
	}
	return tallies
}

func (t *tally) add(c *dataset.Column) {
	if c.Codes != nil {
		t.addCodes(c)
	}
	for i, v := range c.Numbers {
		if math.IsNaN(v) {
			if c.Codes == nil { // else addCodes has counted it
				t.missing++
			}
			continue
		}
		t.numbers.add(v)
		if !t.many {
			t.count(v + 0) // 0 and -0 are one value
		}
		if c.Codes != nil && c.Codes[i] < 0 {
			t.missing--
		}
	}
}

func (t *tally) addCodes(c *dataset.Column) {
	t.nominal, t.levels = true, c.Levels
	t.perLevels = append(t.perLevels, make([]int, len(c.Levels)-len(t.perLevels))...)
	for _, code := range c.Codes {
		if code < 0 {
			t.missing++
		} else {
			t.perLevels[code]++
		}
	}
}

func (t *tally) count(v float64) {
	at, found := slices.BinarySearchFunc(t.counts, v, func(c numberCount, v float64) int {
		return cmp.Compare(c.number, v)
	})
	if !found {
		t.counts = slices.Insert(t.counts, at, numberCount{number: v})
	}
	t.counts[at].count++
	if len(t.counts) > MaxDistinct {
		t.counts, t.many = nil, true
	}
}

// moments is Welford's sum of the numbers seen (1962, doi:10.2307/1266577).
type moments struct {
	n              int
	min, max, mean float64
	squares        float64 // of the differences from the mean
	small          float64 // the same of all numbers times scale, where squares is beyond float64
}

const scale = 0x1p-600 // of float64: the squares of all numbers times this are finite

func (m *moments) add(v float64) {
	m.n++
	if m.n == 1 {
		m.min, m.max, m.mean = v, v, v
		return
	}
	m.min, m.max = min(m.min, v), max(m.max, v)
	n := float64(m.n)
	before, small := v-m.mean, scale*v-scale*m.mean
	m.mean += v/n - m.mean/n // the difference may be beyond float64
	m.squares += before * (v - m.mean)
	m.small += small * (scale*v - scale*m.mean)
}

// std returns the standard deviation, with the divisor n.
func (m *moments) std() float64 {
	if m.squares <= math.MaxFloat64 {
		return math.Sqrt(m.squares / float64(m.n))
	}
	return math.Sqrt(m.small/float64(m.n)) / scale
}

func (t *tally) summary() Column {
	nan := math.NaN()
	c := Column{Field: t.field, Missing: t.missing, Min: nan, Max: nan, Mean: nan, Std: nan}
	if t.nominal && t.numbers.n > 0 {
		c.Words = slices.ContainsFunc(t.levels, func(text string) bool { return !t.markers.Has(text) })
		if !c.Words {
			for _, n := range t.perLevels {
				c.Missing += n
			}
			t.nominal, t.levels = false, nil
		}
	}
	if t.nominal || c.Kind == dataset.Nominal {
		c.Kind = dataset.Nominal
		if t.nominal {
			c.Levels = t.levels
		}
		for i, text := range c.Levels {
			n := 0
			if i < len(t.perLevels) {
				n = t.perLevels[i]
			}
			c.Values = append(c.Values, ValueCount{text, n})
			c.Distinct += min(n, 1)
		}
		return c
	}
	c.Kind = dataset.Numeric
	if m := t.numbers; m.n > 0 {
		c.Min, c.Max, c.Mean, c.Std = m.min, m.max, m.mean, m.std()
	}
	if t.many {
		c.Distinct = MaxDistinct + 1
		return c
	}
	c.Distinct = len(t.counts)
	for _, n := range t.counts {
		c.Values = append(c.Values, ValueCount{celltext.FormatNumber(n.number), n.count})
	}
	return c
}
