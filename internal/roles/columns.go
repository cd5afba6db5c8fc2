package roles

import (
	"context"

	"rvflplus/dataset"
)

// SelectColumns returns a source of the given columns of src only, each at most once, in that order and under the given
// names.
func SelectColumns(src dataset.Source, columns []int, names []string) dataset.Source {
	if len(columns) != len(names) {
		panic("roles: as many names as columns are needed")
	}
	return &selected{src, columns, names}
}

type selected struct {
	source  dataset.Source
	columns []int
	names   []string
}

func (s *selected) Fields() []dataset.Field {
	all := s.source.Fields()
	fields := make([]dataset.Field, len(s.columns))
	for i, c := range s.columns {
		fields[i] = all[c]
		fields[i].Name = s.names[i]
	}
	return fields
}

func (s *selected) Blocks(ctx context.Context, as []dataset.ReadAs) dataset.Blocks {
	all := make([]dataset.ReadAs, len(s.source.Fields()))
	for i := range all {
		all[i] = dataset.Skip
	}
	for i, c := range s.columns {
		all[c] = as[i]
	}
	// A field becomes no column of a block, one, or two where its cells are kept as texts too.
	first, count := make([]int, len(all)), make([]int, len(all))
	next := 0
	for i, a := range all {
		first[i] = next
		switch {
		case a == dataset.Skip:
		case a&dataset.WithText != 0:
			count[i] = 2
		default:
			count[i] = 1
		}
		next += count[i]
	}
	return func(yield func(*dataset.Table, error) bool) {
		for block, err := range s.source.Blocks(ctx, all) {
			if err != nil {
				yield(nil, err)
				return
			}
			out := &dataset.Table{Rows: block.Rows}
			for i, c := range s.columns {
				for k := range count[c] {
					column := block.Columns[first[c]+k]
					column.Name = s.names[i]
					out.Columns = append(out.Columns, column)
				}
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}
