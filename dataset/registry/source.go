package registry

import (
	"context"
	"iter"

	"rvflplus/dataset"
)

// Source returns the table as readers of files give theirs, in one block. The set
// must not be used afterwards.
func (s *Set) Source() dataset.Source { return source{s.Table} }

type source struct{ table *dataset.Table }

func (s source) Fields() []dataset.Field {
	fields := make([]dataset.Field, len(s.table.Columns))
	for i := range fields {
		c := &s.table.Columns[i]
		fields[i] = dataset.Field{Name: c.Name, Kind: dataset.Numeric}
		if !c.Numeric() {
			fields[i].Kind, fields[i].Levels = dataset.Nominal, c.Levels
		}
	}
	return fields
}

func (s source) Blocks(ctx context.Context, want []dataset.Want) iter.Seq2[*dataset.Table, error] {
	if len(want) != len(s.table.Columns) {
		panic("registry: want has another length than the columns")
	}
	return func(yield func(*dataset.Table, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		yield(dataset.NewShaper(want).Block(s.table), nil)
	}
}
