package repro

import (
	"rvflplus/dataset"
	"rvflplus/internal/registry"
	"rvflplus/internal/rng"
)

// generated returns a data set with the columns, the classes and the number of rows of an entry and with random
// values. It stands for real data where only the computation counts.
func generated(e registry.Entry, seed uint64) *registry.Set {
	r := rng.New(seed, "generated "+e.Name)
	var class []int // of each row
	for k, c := range e.Classes {
		for range c.Rows {
			class = append(class, k)
		}
	}
	r.Shuffle(len(class), func(i, j int) { class[i], class[j] = class[j], class[i] })
	rows := e.Rows
	table := &dataset.Table{Rows: rows}
	add := func(name string) *dataset.Column {
		table.Columns = append(table.Columns, dataset.Column{Name: name, Number: len(table.Columns) + 1})
		return &table.Columns[len(table.Columns)-1]
	}
	sum := make([]float64, rows) // of the features, each row's
	for f, name := range e.Features {
		c := add(name)
		c.Numbers = make([]float64, rows)
		for i := range c.Numbers {
			c.Numbers[i] = r.NormFloat64()
			if class != nil {
				c.Numbers[i] += float64((class[i] + f) % len(e.Classes))
			}
			sum[i] += c.Numbers[i]
		}
	}
	for t, name := range e.Targets {
		c := add(name)
		if class != nil {
			c.Codes = class
			for _, k := range e.Classes {
				c.Levels = append(c.Levels, k.Name)
			}
			continue
		}
		c.Numbers = make([]float64, rows)
		for i := range c.Numbers {
			c.Numbers[i] = sum[i]*sum[i] - float64(t)*sum[i] + r.NormFloat64()
		}
	}
	return &registry.Set{Entry: e, Part: registry.All, Table: table, Selection: e.Selection()}
}
