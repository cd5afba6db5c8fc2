package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"rvflplus/internal/memory"
)

// Summary describes what is in a table.
type Summary struct {
	Rows    int
	Columns []ColumnSummary // one for each column of the source's blocks
}

// ColumnSummary describes the cells of one column. A column read as Text is of kind
// Nominal, without Levels: its cells are not looked at.
type ColumnSummary struct {
	Field       // Kind is Numeric or Nominal; a column whose cells are all missing is numeric unless declared otherwise
	Missing int // cells

	// Of the numbers, NaN if there are none. Std has the divisor N.
	Min, Max, Mean, Std float64

	// Distinct is the number of different values that occur, MaxDistinct+1 if a
	// numeric column has more than MaxDistinct.
	Distinct int
	// Values counts the cells of every value: numbers in rising order, nil if there
	// are more than MaxDistinct; categories in the order of Levels, also those that
	// do not occur.
	Values []ValueCount
}

// ValueCount is how often a value occurs.
type ValueCount struct {
	Text  string
	Count int
}

// MaxDistinct is the greatest number of different numbers that Survey counts.
const MaxDistinct = 50

// Outline returns what those who write the table need to know first.
func (s *Summary) Outline() Outline {
	o := Outline{Rows: s.Rows, Fields: make([]Field, 0, len(s.Columns))}
	for _, c := range s.Columns {
		o.Fields = append(o.Fields, c.Field)
	}
	return o
}

// Survey reads a source once, as wanted, and describes it. The result does not
// depend on how the rows are divided into blocks. Memory grows with the categories
// alone; a fault.Resource error tells when they do not fit.
func Survey(ctx context.Context, src Source, want []Want) (*Summary, error) {
	const perColumn = 1 << 10 // bytes, measured: of its tally, its name and its place in a block
	if err := memory.Check(perColumn*float64(len(want)), fmt.Sprintf("describing %d columns", len(want)), "drop columns with --drop"); err != nil {
		return nil, err
	}
	fields := wantedFields(src.Fields(), want)
	s := surveyor{fields: fields, columns: make([]tally, len(fields))}
	for block, err := range src.Blocks(ctx, want) {
		if err != nil {
			return nil, err
		}
		if err := s.add(block); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return s.summary(), nil
}

// wantedFields returns the fields of the columns that blocks will have.
func wantedFields(fields []Field, want []Want) []Field {
	wanted := make([]Field, 0, len(want))
	for i, w := range want {
		if w == Skip {
			continue
		}
		f := fields[i]
		if w&^WithText == Text {
			f.Kind, f.Levels = Nominal, nil
		}
		wanted = append(wanted, f)
		if w&WithText != 0 {
			wanted = append(wanted, Field{Name: f.Name, Kind: Nominal})
		}
	}
	return wanted
}

// surveyor describes blocks as they come.
type surveyor struct {
	fields  []Field
	rows    int
	columns []tally
	levels  int    // of all columns, when memory was last checked
	size    weight // of the categories
}

// numberCount is how often a number occurs.
type numberCount struct {
	number float64
	count  int
}

// tally describes the cells of a column.
type tally struct {
	missing  int
	numbers  moments
	counts   []numberCount // in rising order; nil if there are too many
	many     bool
	nominal  bool
	levels   []string
	ofLevels []int
}

func (s *surveyor) add(block *Table) error {
	s.rows += block.Rows
	for i := range block.Columns {
		s.columns[i].add(&block.Columns[i])
	}
	return s.checkMemory(block)
}

// checkMemory looks whether as many categories again would fit: dictionaries
// double.
func (s *surveyor) checkMemory(block *Table) error {
	levels := 0
	for i := range s.columns {
		levels += len(s.columns[i].levels)
		s.size.addLevels(i, s.columns[i].levels)
	}
	if levels < s.levels+s.levels/8+1000 {
		return nil
	}
	s.levels = levels
	return memory.Check(s.size.bytes, "counting the categories of "+block.file(), "drop columns with --drop")
}

func (t *tally) add(c *Column) {
	switch {
	case c.Texts != nil:
	case c.Codes != nil:
		t.addCodes(c)
	default:
		t.addNumbers(c.Numbers)
	}
}

func (t *tally) addCodes(c *Column) {
	t.nominal, t.levels = true, c.Levels
	t.ofLevels = append(t.ofLevels, make([]int, len(c.Levels)-len(t.ofLevels))...)
	for _, code := range c.Codes {
		if code < 0 {
			t.missing++
		} else {
			t.ofLevels[code]++
		}
	}
}

func (t *tally) addNumbers(numbers []float64) {
	for _, v := range numbers {
		if math.IsNaN(v) {
			t.missing++
			continue
		}
		t.numbers.add(v)
		if !t.many {
			t.count(v)
		}
	}
}

func (t *tally) count(v float64) {
	at, found := slices.BinarySearchFunc(t.counts, v+0, func(c numberCount, v float64) int { return cmp.Compare(c.number, v) })
	if !found {
		t.counts = slices.Insert(t.counts, at, numberCount{number: v + 0}) // 0 and -0 are one value
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

func (s *surveyor) summary() *Summary {
	out := &Summary{Rows: s.rows, Columns: make([]ColumnSummary, 0, len(s.columns))}
	for i := range s.columns {
		out.Columns = append(out.Columns, s.columns[i].summary(s.fields[i]))
	}
	return out
}

func (t *tally) summary(f Field) ColumnSummary {
	nan := math.NaN()
	c := ColumnSummary{Field: f, Missing: t.missing, Min: nan, Max: nan, Mean: nan, Std: nan}
	if !t.nominal && f.Kind != Nominal {
		c.Kind = Numeric
		t.describeNumbers(&c)
		return c
	}
	c.Kind = Nominal
	if t.nominal {
		c.Levels = t.levels
	}
	for i, text := range c.Levels {
		n := 0
		if i < len(t.ofLevels) {
			n = t.ofLevels[i]
		}
		c.Values = append(c.Values, ValueCount{text, n})
		c.Distinct += min(n, 1)
	}
	return c
}

func (t *tally) describeNumbers(c *ColumnSummary) {
	if m := t.numbers; m.n > 0 {
		c.Min, c.Max, c.Mean, c.Std = m.min, m.max, m.mean, m.std()
	}
	if t.many {
		c.Distinct = MaxDistinct + 1
		return
	}
	c.Distinct = len(t.counts)
	if c.Distinct > 0 {
		c.Values = make([]ValueCount, 0, c.Distinct)
	}
	for _, n := range t.counts {
		c.Values = append(c.Values, ValueCount{FormatNumber(n.number), n.count})
	}
}
