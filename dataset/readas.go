package dataset

import "rvflplus/internal/categories"

// ReadAs says how a column is to be read. The zero value is Auto.
type ReadAs int

const (
	// Auto makes a column numeric when every cell is a number, one of dates when every cell is a date, and categorical
	// when none is; a mixture is an error.
	Auto ReadAs = iota
	// Categorical takes every cell as a category.
	Categorical
	// Text keeps the cells as written.
	Text
	// Skip leaves the column out.
	Skip
	// Numbers takes plain numbers, in a text, and texts that stand for missing cells among numbers; other cells are
	// errors.
	Numbers
	// Written is Auto that keeps, in a text, the cells as written: Codes are set also where Numbers are.
	Written
	// WithText, added to Auto or Categorical, reads the column twice: in that way, and as a second column of the same
	// name that keeps the cells as written.
	WithText ReadAs = 1 << 4
)

// Convert changes blocks whose columns have the types of their file into blocks as the caller of Source.Blocks wants
// them: numbers as categories, cells as texts, columns left out. The blocks of a file have a column for every field;
// skipped columns may be empty. Readers of formats with typed columns end with it.
func Convert(blocks Blocks, as []ReadAs) Blocks {
	return func(yield func(*Table, error) bool) {
		coders := make([]*categories.Coder, len(as)) // of the numeric columns that are read as categories
		for block, err := range blocks {
			if err != nil {
				yield(nil, err)
				return
			}
			out := &Table{Rows: block.Rows, Columns: make([]Column, 0, len(as))}
			for i, a := range as {
				c := block.Columns[i]
				switch a &^ WithText {
				case Skip:
					continue
				case Text:
					c = c.asText()
				case Categorical:
					if coders[i] == nil {
						coders[i] = categories.New()
					}
					c = c.asCategories(coders[i])
				}
				out.Columns = append(out.Columns, c)
				if a&WithText != 0 {
					out.Columns = append(out.Columns, block.Columns[i].asText())
				}
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// asCategories returns a numeric column as one of categories, named by their shortest decimals.
func (c Column) asCategories(coder *categories.Coder) Column {
	if !c.Numeric() {
		return c
	}
	codes := missingCodes(len(c.Numbers))
	for row := range codes {
		if text := c.asWritten(row); text != "" {
			codes[row] = coder.Code(text)
		}
	}
	c.Codes, c.Numbers, c.Levels, c.Reading = codes, nil, coder.Levels, nil
	return c
}

func (c Column) asText() Column {
	texts := make([]string, max(len(c.Numbers), len(c.Codes), len(c.Texts)))
	for row := range texts {
		texts[row] = c.asWritten(row)
	}
	c.Texts, c.Numbers, c.Codes, c.Levels, c.Reading = texts, nil, nil, nil, nil
	return c
}

// asWritten returns the text of a cell as it was before it became a number.
func (c *Column) asWritten(row int) string {
	if c.written != nil && c.Numeric() && c.written.codes != nil && c.written.codes[row] >= 0 {
		if c.Missing(row) {
			return ""
		}
		return c.written.levels[c.written.codes[row]]
	}
	return c.Text(row)
}
