package qp

// Rows supplies the rows of a symmetric matrix K.
type Rows interface {
	// Size returns the number of rows.
	Size() int
	// Diag returns the diagonal. The caller does not write it.
	Diag() []float64
	// Row sets dst, as long as Size says, to row i.
	Row(dst []float64, i int)
}

// rowCache keeps the rows that were used last, as many as fit into its budget.
type rowCache struct {
	rows     Rows
	capacity int
	kept     [][]float64 // nil where row i is not kept
	used     int
	// The kept rows form a ring in order of use: ring[size] is its anchor, whose
	// next is the row unused for longest.
	next, prev []int32
}

// minRows is the least number of rows that the cache holds: a step needs two at
// once.
const minRows = 2

func newRowCache(rows Rows, bytes int64) *rowCache {
	n := rows.Size()
	c := &rowCache{
		rows: rows, capacity: int(max(minRows, min(int64(n), bytes/int64(8*max(1, n))))),
		kept: make([][]float64, n), next: make([]int32, n+1), prev: make([]int32, n+1),
	}
	c.next[n], c.prev[n] = int32(n), int32(n)
	return c
}

// row returns row i. It stays valid until two other rows have been asked for.
func (c *rowCache) row(i int) []float64 {
	if row := c.kept[i]; row != nil {
		c.unlink(i)
		c.append(i)
		return row
	}
	row := c.buffer()
	c.rows.Row(row, i)
	c.kept[i] = row
	c.append(i)
	return row
}

// buffer returns a row to write to: a new one while the budget lasts, then the one unused for longest.
func (c *rowCache) buffer() []float64 {
	if c.used < c.capacity {
		c.used++
		return make([]float64, c.rows.Size())
	}
	oldest := int(c.next[c.rows.Size()])
	row := c.kept[oldest]
	c.kept[oldest] = nil
	c.unlink(oldest)
	return row
}

func (c *rowCache) unlink(i int) {
	c.next[c.prev[i]], c.prev[c.next[i]] = c.next[i], c.prev[i]
}

func (c *rowCache) append(i int) {
	anchor := int32(c.rows.Size())
	last := c.prev[anchor]
	c.next[last], c.prev[i], c.next[i], c.prev[anchor] = int32(i), last, anchor, int32(i)
}
