package dataset

// Outline is what is known of a source after a first pass over its rows. Those who
// write formats that say beforehand how many rows follow, or which categories a
// column has, need it.
type Outline struct {
	Rows   int
	Fields []Field // every Kind is Numeric or Nominal; Levels holds all categories
}

// Outline returns what writers need to know of the table.
func (t *Table) Outline() Outline { return Outline{t.Rows, t.Source().Fields()} }
