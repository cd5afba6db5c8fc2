package repro

import (
	"math"
	"slices"

	"rvflplus/dataset"
	"rvflplus/internal/roles"
)

// Reading is one way to understand what the paper leaves open: which columns are normal, and over what the norm is
// taken. The zero value is that of the tables: the first columns are normal, and Protocol.Scale scales each space by
// itself.
type Reading struct {
	// Columns are the normal ones: "second" for the last columns, as many as the first ones otherwise are; "odd" for
	// the first, the third and so on; "even" for the others; "" for the first ones. The rest are privileged.
	Columns string `json:",omitempty"`
	// Norm is "columns" where each column is divided by the sum of its absolute values in the training rows, "rows"
	// where each row is divided by the sum of its absolute values in both spaces together, which tells the normal
	// columns something of the privileged ones, and "" where neither is done.
	Norm string `json:",omitempty"`
}

// Values of the fields of Reading.
const (
	secondColumns = "second"
	oddColumns    = "odd"
	evenColumns   = "even"
	normOfColumns = "columns"
	normOfRows    = "rows"
)

// leaks reports whether privileged values of test rows reach the model.
func (r Reading) leaks() bool { return r.Norm == normOfRows }

// read gives the columns of a pool the roles and the form that the reading asks for.
func (p *pool) read(r Reading) {
	p.norm = r.Norm
	data := *p.data
	data.Roles.Normal, data.Roles.Priv = r.divide(data.Roles.Normal, data.Roles.Priv)
	p.data = &data
	if r.Norm != "" {
		p.data = indicators(p.data)
	}
}

// divide returns the normal and the privileged columns of a reading, in the order of the table.
func (r Reading) divide(normal, priv []int) (first, rest []int) {
	if r.Columns == "" {
		return normal, priv
	}
	all := slices.Sorted(slices.Values(slices.Concat(normal, priv)))
	for i, column := range all {
		isNormal := i >= len(priv)
		if r.Columns != secondColumns {
			isNormal = (i%2 == 0) == (r.Columns == oddColumns)
		}
		if isNormal {
			first = append(first, column)
		} else {
			rest = append(rest, column)
		}
	}
	return first, rest
}

// indicators replaces each categorical feature by a column of 0 and 1 for every category, as it is coded for a model:
// norms are taken over these columns.
func indicators(d *roles.Data) *roles.Data {
	out := *d
	table := *d.Table
	table.Columns = slices.Clone(table.Columns)
	coded := func(columns []int) []int {
		var at []int
		for _, i := range columns {
			c := d.Columns[i]
			if c.Numeric() {
				at = append(at, i)
				continue
			}
			for code, level := range c.Levels {
				is := dataset.Column{Name: c.Name + "=" + level, Origin: c.Origin, Number: c.Number}
				for _, of := range c.Codes {
					is.Numbers = append(is.Numbers, indicator(of == code))
				}
				at = append(at, len(table.Columns))
				table.Columns = append(table.Columns, is)
			}
		}
		return at
	}
	out.Roles.Normal, out.Roles.Priv = coded(d.Roles.Normal), coded(d.Roles.Priv)
	out.Table = &table
	return &out
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// normalise divides the features of all parts by the norms of a reading. Norms of columns are those of the training
// rows. Where a norm is 0 nothing is divided.
func (p parts) normalise(norm string) parts {
	features := slices.Concat(p.train.Roles.Normal, p.train.Roles.Priv)
	ofColumn := make([]float64, len(features))
	for k, i := range features {
		for _, v := range p.train.Columns[i].Numbers {
			ofColumn[k] += math.Abs(v)
		}
	}
	for _, d := range []**roles.Data{&p.train, &p.validation, &p.test} {
		switch {
		case *d == nil:
		case norm == normOfColumns:
			*d = divided(*d, features, func(k, _ int) float64 { return ofColumn[k] })
		case norm == normOfRows:
			ofRow := make([]float64, (*d).Rows)
			for _, i := range features {
				for row, v := range (*d).Columns[i].Numbers {
					ofRow[row] += math.Abs(v)
				}
			}
			*d = divided(*d, features, func(_, row int) float64 { return ofRow[row] })
		}
	}
	return p
}

// divided divides every cell of the given columns by its norm, unless the norm is 0. The data stay as they are.
func divided(d *roles.Data, columns []int, norm func(column, row int) float64) *roles.Data {
	out, table := *d, *d.Table
	table.Columns = slices.Clone(table.Columns)
	for k, i := range columns {
		numbers := slices.Clone(table.Columns[i].Numbers)
		for row := range numbers {
			if n := norm(k, row); n > 0 {
				numbers[row] /= n
			}
		}
		table.Columns[i].Numbers = numbers
	}
	out.Table = &table
	return &out
}
