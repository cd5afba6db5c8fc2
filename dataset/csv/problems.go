package csv

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"rvflplus/fault"
	"rvflplus/internal/celltext"
)

// problem makes the error for a cell that its column cannot take.
type problem func(c *column, p place) error

// place is where a cell stands.
type place struct {
	row  *rows
	cell int
}

func (p place) String() string {
	line, column := p.row.place(p.cell)
	return fmt.Sprintf("%s:%d:%d", p.row.name, line, column)
}

func (p place) text() string { return p.row.cells[p.cell].text }

func (c *column) fault(p place, format string, args ...any) *fault.Error {
	return fault.New(fault.Data, "%s: column %q: %s", p, c.name, fmt.Sprintf(format, args...))
}

func notFinite(c *column, p place) error {
	return c.fault(p, "%q is not a finite number", celltext.Abbreviate(strings.TrimSpace(p.text()))).
		WithHint("leave the cell empty if the value is unknown")
}

func notNumber(c *column, p place) error {
	return c.fault(p, "%q is not a number", celltext.Abbreviate(strings.TrimSpace(p.text()))).
		WithHint("correct the cell, or leave it empty if it is unknown")
}

func checkText(text string) problem {
	if utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		return nil
	}
	return notUTF8
}

func notUTF8(c *column, p place) error {
	return c.fault(p, "%q is not UTF-8 text", celltext.Abbreviate(p.text())).WithHint("save the file as UTF-8")
}
