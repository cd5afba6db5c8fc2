package dataset

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"rvflplus/internal/categories"
	"rvflplus/internal/celltext"
)

// ReadingOf returns the reading that Read finds of a column of unknown kind with these texts, of which counts tells how
// many cells have them. commas says that a comma probably stands before decimals (see Commas). It is nil for plain
// numbers, for categories and for cells that are not alike.
func (o Cells) ReadingOf(texts []string, counts []int, commas bool) *Reading {
	s := settler{Cells: o, markers: o.Missing, commas: commas}
	c := &Column{Levels: texts, Codes: make([]int, len(texts))}
	for k := range texts {
		c.Codes[k] = k
	}
	w := s.look(c)
	w.count, w.present = counts, 0
	for _, k := range w.words {
		w.present += counts[k]
	}
	if len(w.words) == 0 {
		return nil
	}
	for _, read := range []func(*wording) (*Reading, error){s.dates, s.numbers} {
		if r, err := read(w); err != nil || !r.Plain() {
			return r
		}
	}
	return nil
}

// Points writes columns of a source, read as Categorical, with decimal points and without separators of thousands:
// 1.200,50 € becomes 1200.5 €. Columns without a prefix and a suffix become columns of numbers.
type Points struct {
	readings []*Reading // of each column of the blocks; nil leaves the column as it is
	missing  celltext.Markers
}

// NewPoints returns how blocks with columns of these readings are written; nil for a column that stays as it is.
// missing is Cells.Missing.
func NewPoints(readings []*Reading, missing []string) *Points { return &Points{readings, missing} }

// Fields changes the fields of the blocks, of which Levels holds all categories.
func (p *Points) Fields(fields []Field) {
	for i, r := range p.readings {
		switch {
		case r == nil:
		case r.bare():
			fields[i].Kind, fields[i].Levels = Numeric, nil
		default:
			coder := categories.New()
			for _, level := range fields[i].Levels {
				coder.Code(r.pointed(level))
			}
			fields[i].Levels = coder.Levels
		}
	}
}

// Blocks changes the columns of blocks.
func (p *Points) Blocks(blocks Blocks) Blocks {
	return func(yield func(*Table, error) bool) {
		coders := make([]*categories.Coder, len(p.readings))
		for i := range coders {
			coders[i] = categories.New()
		}
		for block, err := range blocks {
			if err == nil {
				for i, r := range p.readings {
					if r != nil {
						block.Columns[i].point(r, coders[i], p.missing)
					}
				}
			}
			if !yield(block, err) {
				return
			}
		}
	}
}

// point changes a column of categories to one of numbers, or of numbers with a sign or a unit.
func (c *Column) point(r *Reading, coder *categories.Coder, missing celltext.Markers) {
	if r.bare() {
		values, _ := r.parseAll(c.Levels, missing) // every level fits: the reading was found from them
		c.Numbers = make([]float64, len(c.Codes))
		for i, k := range c.Codes {
			if c.Numbers[i] = math.NaN(); k >= 0 {
				c.Numbers[i] = values[k]
			}
		}
		c.Codes, c.Levels = nil, nil
		return
	}
	codes := make([]int, len(c.Levels))
	for k, level := range c.Levels {
		codes[k] = coder.Code(r.pointed(level))
	}
	for i, k := range c.Codes {
		if k >= 0 {
			c.Codes[i] = codes[k]
		}
	}
	c.Levels = coder.Levels
}

// bare reports whether the numbers have neither a sign of money nor a unit.
func (r *Reading) bare() bool { return r.Prefix+r.Suffix == "" }

// pointed writes a cell of the reading with a decimal point, so that it is the same number in a column of such cells; a
// text of a missing cell stays.
func (r *Reading) pointed(text string) string {
	v, ok := r.Parse(text)
	if !ok {
		return text
	}
	digits := strconv.FormatFloat(math.Abs(v), 'f', -1, 64)
	if w, _ := celltext.Split(digits); w.Ambiguous != 0 {
		digits += "0" // 1.234 may be taken for a thousand, 1.2340 not
	}
	prefix, suffix := r.Prefix, r.Suffix
	if last, _ := utf8.DecodeLastRuneInString(prefix); unicode.IsLetter(last) {
		prefix += " "
	}
	if suffix != "" && suffix != "%" {
		suffix = " " + suffix
	}
	if math.Signbit(v) {
		prefix = "-" + prefix
	}
	return prefix + digits + suffix
}
