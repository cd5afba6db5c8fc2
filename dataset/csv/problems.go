package csv

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"rvflplus/fault"
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

var commaInNumber = regexp.MustCompile(`^[+-]?[0-9]+(,[0-9]+)+$`)

func withComma(c *column, p place) error {
	return c.fault(p, "%q looks like a number with a comma", abbreviate(p.text())).
		WithHint("write decimal points and no separators of thousands, or use %s if it is a category",
			fault.Set("categorical", c.name))
}

func notFinite(c *column, p place) error {
	return c.fault(p, "%q is not a finite number", abbreviate(strings.TrimSpace(p.text()))).
		WithHint("leave the cell empty if the value is unknown")
}

func notNumber(c *column, p place) error { return c.mixed(p, "not a number", "is one") }

func isNumber(c *column, p place) error { return c.mixed(p, "a number", "is text") }

// mixed is the error for a cell that does not fit the column's earlier cells.
func (c *column) mixed(p place, is, but string) error {
	text := abbreviate(strings.TrimSpace(p.text()))
	return c.fault(p, "%q is %s, but %q on line %d %s", text, is, abbreviate(c.text), c.line, but).
		WithHint("correct the cell, leave it empty if it is unknown, or use %s if the column holds categories",
			fault.Set("categorical", c.name))
}

func checkText(text string) problem {
	if utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		return nil
	}
	return notUTF8
}

func notUTF8(c *column, p place) error {
	return c.fault(p, "%q is not UTF-8 text", abbreviate(p.text())).WithHint("save the file as UTF-8")
}

func abbreviate(text string) string {
	if len(text) > 40 {
		return text[:40] + "…"
	}
	return text
}
