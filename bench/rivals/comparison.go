package main

import (
	"fmt"
	"slices"
)

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
					const missing = "%s, split %d: no result of %s: measure it with -tables %s"
					return nil, fmt.Errorf(missing, t.name, s, method, t.name)
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
