package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
)

// checkedWriter remembers the first error of a writer, so that results that could
// not be written are not reported as done.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// failure returns the fault for output that could not be written, or nil.
func (c *checkedWriter) failure() error {
	switch {
	case c.err == nil:
		return nil
	case atomicfile.IsFull(c.err):
		return fault.New(fault.Resource, "cannot write to standard output: %w", c.err)
	}
	return fault.New(fault.Usage, "cannot write to standard output: %w", c.err)
}

// writeJSON writes one JSON value and a newline.
func (a *app) writeJSON(v any) error {
	e := json.NewEncoder(a.stdout)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// note tells the user something on standard error, and in JSON answers.
func (a *app) note(texts ...string) {
	a.notes = append(a.notes, texts...)
	a.say("note", texts...)
}

func (a *app) say(kind string, texts ...string) {
	for _, text := range texts {
		fmt.Fprintf(a.stderr, "%s: %s\n", kind, printable(text))
	}
}

// printable replaces control characters, which names in a file may contain and
// which a terminal would obey.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// count writes a number and a noun: "1 row", "2 rows".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "s") {
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
