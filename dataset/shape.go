package dataset

import "strings"

// Dictionary numbers distinct texts in the order they come, across blocks.
type Dictionary struct {
	Levels []string
	index  map[string]int
}

// NewDictionary begins with the given levels.
func NewDictionary(levels []string) *Dictionary {
	d := &Dictionary{index: map[string]int{}}
	for _, l := range levels {
		d.Code(l)
	}
	return d
}

// Code returns the number of text, a new one if it was not seen before. It keeps a
// copy, so that text may be part of a large buffer.
func (d *Dictionary) Code(text string) int {
	code, known := d.index[text]
	if !known {
		text = strings.Clone(text)
		code = len(d.Levels)
		d.Levels = append(d.Levels, text)
		d.index[text] = code
	}
	return code
}

// Shaper turns the blocks of a format whose columns have types of their own into
// blocks read as wanted: numbers as categories, cells as texts. Make one for each
// run over the blocks.
type Shaper struct {
	want         []Want
	dictionaries []*Dictionary // of the numeric columns that are wanted as categories
}

// NewShaper makes a Shaper for columns wanted as in want.
func NewShaper(want []Want) *Shaper {
	return &Shaper{want: want, dictionaries: make([]*Dictionary, len(want))}
}

// Block returns the columns of natural, a block in the source's own types with a
// column for every field (those that are skipped may be empty), as they are wanted.
func (s *Shaper) Block(natural *Table) *Table {
	out := &Table{Rows: natural.Rows, Columns: make([]Column, 0, len(s.want))}
	for i, w := range s.want {
		c := natural.Columns[i]
		switch w &^ WithText {
		case Skip:
			continue
		case Text:
			c = c.asText()
		case Categorical:
			c = s.categorical(i, c)
		}
		out.Columns = append(out.Columns, c)
		if w&WithText != 0 {
			out.Columns = append(out.Columns, natural.Columns[i].asText())
		}
	}
	return out
}

func (s *Shaper) categorical(i int, c Column) Column {
	if s.dictionaries[i] == nil {
		s.dictionaries[i] = NewDictionary(nil)
	}
	return c.asCategories(s.dictionaries[i])
}

// asCategories returns a numeric column as one of categories, named by their
// shortest decimals.
func (c Column) asCategories(d *Dictionary) Column {
	if !c.Numeric() {
		return c
	}
	codes := missingCodes(len(c.Numbers))
	for row := range codes {
		if !c.Missing(row) {
			codes[row] = d.Code(c.Text(row))
		}
	}
	c.Codes, c.Numbers, c.Levels = codes, nil, d.Levels
	return c
}

func (c Column) asText() Column {
	texts := make([]string, max(len(c.Numbers), len(c.Codes), len(c.Texts)))
	for row := range texts {
		texts[row] = c.Text(row)
	}
	c.Texts, c.Numbers, c.Codes, c.Levels = texts, nil, nil, nil
	return c
}
