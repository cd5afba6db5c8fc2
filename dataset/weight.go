package dataset

// perLevel is what a category takes in dictionaries, without its text.
const perLevel = 100

// weight estimates the memory of a table that grows block by block, from the blocks
// alone: what came before is not looked at again.
type weight struct {
	bytes float64
	known []int // levels of each column that are weighed
}

// add weighs the cells of a block and the levels that are new in it.
func (w *weight) add(block *Table) {
	const cell, header = 8, 16
	w.bytes += cell * float64(block.Rows) * float64(len(block.Columns)+1)
	for i := range block.Columns {
		c := &block.Columns[i]
		w.addLevels(i, c.Levels)
		for _, text := range c.Texts {
			w.bytes += float64(header - cell + len(text))
		}
	}
}

// addLevels weighs those levels of column i that are new.
func (w *weight) addLevels(i int, levels []string) {
	for len(w.known) <= i {
		w.known = append(w.known, 0)
	}
	for ; w.known[i] < len(levels); w.known[i]++ {
		w.bytes += float64(perLevel + len(levels[w.known[i]]))
	}
}
