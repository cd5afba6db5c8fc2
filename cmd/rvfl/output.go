package main

import (
	"encoding/json"
	"fmt"
	"io"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
)

// checkedWriter remembers the first error of a writer, so that results that could not be written are not reported as
// done.
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

// note tells the user something on standard error, unless --quiet is given, and in the "notes" of JSON answers.
func (a *app) note(texts ...string) {
	a.notes = append(a.notes, texts...)
	if !a.quiet {
		a.say("note", texts...)
	}
}

// say writes lines such as "warning: …" to standard error.
func (a *app) say(label string, texts ...string) {
	for _, text := range texts {
		fmt.Fprintf(a.stderr, "%s: %s\n", label, printable(text))
	}
}
