// Package categories numbers the categories of a column.
package categories

import "strings"

// Coder numbers distinct texts in the order they come, across blocks of rows.
type Coder struct {
	Levels []string // the texts by number
	index  map[string]int
}

// New returns a coder that has no categories yet.
func New() *Coder { return &Coder{index: map[string]int{}} }

// Code returns the number of text, a new one if it was not seen before. It keeps a copy, so that text may be part of a
// large buffer.
func (c *Coder) Code(text string) int {
	code, known := c.index[text]
	if !known {
		text = strings.Clone(text)
		code = len(c.Levels)
		c.Levels = append(c.Levels, text)
		c.index[text] = code
	}
	return code
}

// Bytes estimates the memory that a category takes in coders and tables.
func Bytes(text string) float64 { return float64(100 + len(text)) }
