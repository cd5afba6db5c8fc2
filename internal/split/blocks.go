package split

import (
	"rvflplus/dataset"
)

// Blocks yields only the given rows, numbered from 0 and ascending, of a table that
// comes block by block.
func Blocks(blocks dataset.Blocks, rows []int) dataset.Blocks {
	return func(yield func(*dataset.Table, error) bool) {
		first, next := 0, 0
		for block, err := range blocks {
			if err != nil {
				yield(nil, err)
				return
			}
			var own []int
			for ; next < len(rows) && rows[next] < first+block.Rows; next++ {
				own = append(own, rows[next]-first)
			}
			first += block.Rows
			if !yield(block.Subset(own), nil) {
				return
			}
		}
	}
}
