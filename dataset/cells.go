package dataset

import (
	"context"
	"math"
	"slices"

	"rvflplus/fault"
	"rvflplus/internal/celltext"
)

// Cells says how texts become numbers and dates where a source leaves it open. The zero value lets the cells tell.
type Cells struct {
	// Missing lists the texts of missing cells, for all columns, beside the empty cell. Numbers in it, such as -999,
	// are missing in columns of numbers. nil stands for the usual ones: NA, NaN and ? everywhere, and where the other
	// cells are numbers or dates also N/A, #N/A, <NA>, null, None, nil, - and ., in capital or small letters.
	Missing []string
	Decimal string // what stands before decimals in texts: ".", "," or "", which lets the cells of a column tell
	// DateFormat is how dates are written, beside ISO 8601, in the language of strptime: "%d.%m.%Y". A column whose
	// cells all have the format is one of dates.
	DateFormat string
}

// Validate returns a fault.Usage error for an unusable option.
func (o Cells) Validate() error {
	if o.Decimal != "" && o.Decimal != "." && o.Decimal != "," {
		return fault.Param("decimal", `"," or "."`, o.Decimal)
	}
	return celltext.DateFormat(o.DateFormat).Check()
}

// needsTexts reports whether a cell that looks like a plain number may be another.
func (o Cells) needsTexts() bool {
	return o.Decimal == "," || celltext.DateFormat(o.DateFormat).Digits()
}

// Commas is a Source whose layout makes it likely that a comma stands before decimals: columns separated by semicolons.
type Commas interface{ DecimalCommas() bool }

// Collect is Read where the cells tell how they are written.
func Collect(ctx context.Context, src Source, as []ReadAs) (*Table, error) {
	return Read(ctx, src, as, Cells{}, nil)
}

// Read reads a source whole; as says how each field is read. A field of unknown kind that is read as Auto becomes a
// column of numbers, of dates (as numbers) or of categories. Where all its cells are numbers with one way of writing
// (percentages, money, one unit, thousands, decimal commas), or all are dates, Column.Reading tells how they were read.
// Cells that are not alike are a fault.Data error that names two of them.
//
// known, if not nil, gives fields a reading that was found before; their other cells are errors then. A reading that is
// nil leaves the field to its cells.
//
// Memory is checked while the table grows: a table that does not fit is a fault.Resource error.
func Read(ctx context.Context, src Source, as []ReadAs, o Cells, known []*Reading) (*Table, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	fields := src.Fields()
	as = slices.Clone(as)
	for i, a := range as {
		texts := o.needsTexts()
		if known != nil && known[i] != nil {
			texts = known[i].needsTexts()
		}
		if a&^WithText == Auto && texts && fields[i].Kind == Unknown {
			as[i] = Written | a&WithText
		}
	}
	t, err := collect(ctx, src, as)
	if err != nil {
		return nil, err
	}
	commas, is := src.(Commas)
	t.Missing = o.Missing
	s := settler{Cells: o, markers: o.Missing, commas: is && commas.DecimalCommas()}
	next := 0
	for i, a := range as {
		if a == Skip {
			continue
		}
		c := &t.Columns[next]
		next++
		if a&WithText != 0 {
			next++
		}
		var reading *Reading
		if known != nil {
			reading = known[i]
		}
		if err := s.settle(c, fields[i].Kind, a&^WithText, reading); err != nil {
			return nil, err
		}
	}
	return t, ctx.Err()
}

// settle decides what the column c is.
func (s *settler) settle(c *Column, kind Kind, as ReadAs, known *Reading) error {
	if c.Texts != nil {
		return nil
	}
	if kind == Date && c.Numeric() && c.Reading == nil {
		c.Reading = Days
	}
	s.dropMarkers(c)
	switch {
	case as != Auto && as != Written:
		c.Shapes = 0
		return nil
	case known != nil && kind != Nominal:
		return c.ReadBy(known, s.Missing)
	case kind == Unknown:
		return s.decide(c)
	}
	return nil
}

// dropMarkers makes cells missing that a list of markers names.
func (s *settler) dropMarkers(c *Column) {
	if s.Missing == nil {
		return
	}
	numbers := s.markers.Numbers()
	for i, v := range c.Numbers {
		if slices.Contains(numbers, v) {
			c.Numbers[i] = math.NaN()
			if c.Codes != nil {
				c.Codes[i] = -1
			}
		}
	}
	if c.Codes == nil {
		return
	}
	missing := make([]bool, len(c.Levels))
	for k, level := range c.Levels {
		missing[k] = s.markers.Has(level)
	}
	for i, k := range c.Codes {
		if k >= 0 && missing[k] {
			c.Codes[i] = -1
		}
	}
}

// ReadBy reads the column, however it was read before, by a reading that was found before: plain numbers, numbers in
// the disguise of the reading, and texts of missing cells (see Cells.Missing). Another cell is a fault.Data error that
// names it. A column that need not change keeps its cells.
func (c *Column) ReadBy(r *Reading, missing []string) error {
	codes, levels := c.Codes, c.Levels
	if c.written != nil {
		codes, levels = c.written.codes, c.written.levels
	}
	if c.Texts != nil || codes == nil && c.Numeric() && !(r.IsDate() && r.needsTexts() && c.Reading == nil) {
		return nil
	}
	values, known := r.parseAll(levels, missing)
	numbers := make([]float64, max(len(codes), len(c.Numbers)))
	for i := range numbers {
		numbers[i] = math.NaN()
		ok, text := true, ""
		if codes != nil && codes[i] >= 0 {
			k := codes[i]
			numbers[i], ok, text = values[k], known[k], levels[k]
		} else if c.Numbers != nil {
			numbers[i], ok = r.number(c.Numbers[i])
			text = celltext.FormatNumber(c.Numbers[i])
		}
		if !ok {
			return c.notAs(r, i, text)
		}
	}
	c.written = &written{codes, levels}
	c.Numbers, c.Codes, c.Levels, c.Reading, c.Shapes = numbers, nil, nil, nil, 0
	if !r.Plain() {
		c.Reading = r
	}
	return nil
}

// parseAll reads texts; known tells which are numbers or missing.
func (r *Reading) parseAll(texts []string, missing celltext.Markers) (values []float64, known []bool) {
	values, known = make([]float64, len(texts)), make([]bool, len(texts))
	for k, text := range texts {
		if values[k], known[k] = r.Parse(text); !known[k] && missing.Has(text) {
			values[k], known[k] = math.NaN(), true
		}
	}
	return values, known
}

// notAs is the error for a cell that is not written as the model's reading says.
func (c *Column) notAs(r *Reading, row int, text string) error {
	if r.Plain() {
		return fault.New(fault.Data, "%s: %q is text, but the model was trained on numbers in this column",
			c.Place(row), celltext.Abbreviate(text)).WithHint("correct the cell, or leave it empty if it is unknown")
	}
	if thousand, decimals, is := r.inDoubt(text); is {
		a, b := celltext.FormatNumber(thousand), celltext.FormatNumber(decimals)
		return fault.New(fault.Data, "%s: %q may be %s or %s: no cell of training showed what stands before decimals",
			c.Place(row), celltext.Abbreviate(text), a, b).WithHint("write %s or %s, without separated thousands", a, b)
	}
	return fault.New(fault.Data, "%s: %q is not %s, as the cells were in training, and no plain number either",
		c.Place(row), celltext.Abbreviate(text), r.what()).
		WithHint("correct the cell, or leave it empty if it is unknown")
}

// written keeps the texts of cells that were read as numbers.
type written struct {
	codes  []int // index into levels, -1 where the cell was a plain number or missing
	levels []string
}
