package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"rvflplus/internal/atomicfile"
)

// results are all cells, as they are kept beside the documents.
type results struct {
	Tables []about `json:"tables"`
	Cells  []*cell `json:"cells"`
}

// about is what the document tells of a table.
type about struct {
	Name     string `json:"name"`
	Rows     int    `json:"rows"`
	Features int    `json:"features"` // columns; one of categories counts as one
	Classes  int    `json:"classes,omitempty"`
	Targets  int    `json:"targets"`
}

// collect takes up what the folder holds into the kept results. Cells of other rows than those of the folder's tables
// are dropped, those of the kept results too.
func (b *bench) collect(r *results) error {
	cells := map[string]*cell{}
	for _, c := range r.Cells {
		cells[c.key()] = c
	}
	described := map[string]about{}
	for _, a := range r.Tables {
		described[a.Name] = a
	}
	for _, t := range tables {
		d := description{}
		if err := readJSON(b.path(t.name+".json"), &d); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		described[t.name] = d.About
		if err := b.takeCells(cells, d); err != nil {
			return err
		}
	}
	*r = results{}
	for _, t := range tables {
		if a, known := described[t.name]; known {
			r.Tables = append(r.Tables, a)
		}
		for s := range t.splits() {
			for _, method := range methods() {
				if c := cells[cellKey(t.name, s, method)]; c != nil {
					r.Cells = append(r.Cells, c)
				}
			}
		}
	}
	return nil
}

// takeCells puts the folder's cells of a table into cells, and drops those of other rows.
func (b *bench) takeCells(cells map[string]*cell, d description) error {
	for s, split := range d.Splits {
		for _, method := range methods() {
			c, err := b.cell(d.Name, s, method, split.Data)
			if err != nil {
				return err
			}
			key := cellKey(d.Name, s, method)
			if c != nil {
				cells[key] = c
			} else if old := cells[key]; old != nil && old.Data != split.Data {
				delete(cells, key)
			}
		}
	}
	return nil
}

func cellKey(table string, split int, method string) string { return fmt.Sprint(table, split, method) }

func (c *cell) key() string { return cellKey(c.Table, c.Split, c.Method) }

// readResults reads the kept results; there are none where the file is missing.
func readResults(path string) (*results, error) {
	r := &results{}
	if err := readJSON(path, r); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return r, nil
}

// write writes a line for each table and each cell.
func (r *results) write(ctx context.Context, path string) error {
	var text bytes.Buffer
	list := func(name string, n int, at func(i int) any) error {
		fmt.Fprintf(&text, "%q: [\n", name)
		for i := range n {
			line, err := json.Marshal(at(i))
			if err != nil {
				return err
			}
			text.Write(line)
			if i+1 < n {
				text.WriteByte(',')
			}
			text.WriteByte('\n')
		}
		text.WriteByte(']')
		return nil
	}
	text.WriteByte('{')
	if err := list("tables", len(r.Tables), func(i int) any { return r.Tables[i] }); err != nil {
		return err
	}
	text.WriteString(",\n")
	if err := list("cells", len(r.Cells), func(i int) any { return r.Cells[i] }); err != nil {
		return err
	}
	text.WriteString("}\n")
	return atomicfile.Write(ctx, path, func(w io.Writer) error { _, err := w.Write(text.Bytes()); return err })
}
