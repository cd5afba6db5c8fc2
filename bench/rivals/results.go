package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

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
	descriptions := map[string]about{}
	for _, a := range r.Tables {
		descriptions[a.Name] = a
	}
	for _, t := range tables {
		d := description{}
		if err := readJSON(b.path(t.name+".json"), &d); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		descriptions[t.name] = d.About
		for s, split := range d.Splits {
			for _, method := range methods() {
				c, err := b.cell(t.name, s, method, split.Data)
				if err != nil {
					return err
				}
				key := cellKey(t.name, s, method)
				if c != nil {
					cells[key] = c
				} else if old := cells[key]; old != nil && old.Data != split.Data {
					delete(cells, key)
				}
			}
		}
	}
	*r = results{}
	for _, t := range tables {
		if a, known := descriptions[t.name]; known {
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

// comparison is all cells of all tables, ordered. methods are those that have all cells.
type comparison struct {
	tables  []table
	about   []about
	methods []string
	cells   [][][]*cell // of a table, of a method, of a split
}

// compare orders the results. A cell that is missing is an error, and so are cells of a split of different rows.
func (r *results) compare() (*comparison, error) {
	cells := map[string]*cell{}
	for _, c := range r.Cells {
		cells[c.key()] = c
	}
	v := &comparison{tables: tables, about: r.Tables, methods: methods(), cells: make([][][]*cell, len(tables))}
	if len(r.Tables) != len(tables) {
		return nil, fmt.Errorf("the results are of %d tables, want %d", len(r.Tables), len(tables))
	}
	for i, t := range tables {
		if r.Tables[i].Name != t.name {
			return nil, fmt.Errorf("table %d of the results is %s, want %s", i+1, r.Tables[i].Name, t.name)
		}
		for _, method := range v.methods {
			var of []*cell
			for s := range t.splits() {
				c := cells[cellKey(t.name, s, method)]
				if c == nil {
					return nil, fmt.Errorf("no result of %s on %s, split %d: measure it with -tables %s", method, t.name, s, t.name)
				}
				if first := v.cells[i]; first != nil && first[0][s].Data != c.Data {
					return nil, fmt.Errorf("results of %s, split %d: %s and %s are of different rows", t.name, s,
						v.methods[0], method)
				}
				of = append(of, c)
			}
			v.cells[i] = append(v.cells[i], of)
		}
	}
	return v, nil
}

// method returns the position of a method.
func (v *comparison) method(name string) int { return slices.Index(v.methods, name) }

// loss is the mean loss of a method over the splits of a table.
func (v *comparison) loss(table, method int) float64 {
	var sum float64
	for _, c := range v.cells[table][method] {
		sum += c.Loss
	}
	return sum / float64(len(v.cells[table][method]))
}

// ranks returns the mean rank of every method over the tables.
func (v *comparison) ranks() []float64 {
	mean := make([]float64, len(v.methods))
	for i := range v.tables {
		losses := make([]float64, len(v.methods))
		for k := range losses {
			losses[k] = v.loss(i, k)
		}
		for k, rank := range ranksOf(losses) {
			mean[k] += rank / float64(len(v.tables))
		}
	}
	return mean
}

// difference is that of two methods' losses on a table.
func (v *comparison) difference(table int, method, other string) (difference, error) {
	t := v.tables[table]
	var losses [2][][]float64
	var rows [][]int
	for s := range t.splits() {
		drawn, err := t.rows(s, v.about[table].Rows)
		if err != nil {
			return difference{}, err
		}
		rows = append(rows, drawn.Test)
		for k, name := range []string{method, other} {
			each, err := v.cells[table][v.method(name)][s].unpack(t.task, len(drawn.Test))
			if err != nil {
				return difference{}, err
			}
			losses[k] = append(losses[k], each)
		}
	}
	return paired(losses[0], losses[1], rows), nil
}
