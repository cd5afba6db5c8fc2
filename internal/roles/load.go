package roles

import (
	"cmp"
	"context"
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Sources are the files that Data is loaded from. Row i of all files describes the same case, unless Key joins the
// privileged file. Priv and Target may be nil.
type Sources struct {
	Main   dataset.Source
	Priv   dataset.Source // its privileged columns are those that Selection.Priv names, or all
	Target dataset.Source // its targets are those columns that Selection.Target names, or all
	// Key joins Priv to Main by a column that both files have, "COL", or by one that the files call by two names,
	// "COL=COL2". Keys are compared as they are written but for the blanks around them. A key may stand once in Priv;
	// the keys may come in any order. The column is not a feature. "" takes row i of Priv for row i of Main.
	Key string
	// Cells says how texts become numbers and dates, in all files.
	Cells dataset.Cells
	// Readings are those of columns, by name, that were found before; the other columns are read by their cells.
	Readings map[string]*dataset.Reading
	// SkipPriv leaves the privileged columns unread.
	SkipPriv bool
}

// filePart is one file and the columns to read from it.
type filePart struct {
	source  dataset.Source
	columns Columns
	as      []dataset.ReadAs
	skipped int  // privileged columns left unread
	joins   bool // the rows are found by columns.Key
}

// Load reads the columns that have a role. Data.Matched tells the rows whose key Priv lacks.
func (s Sources) Load(ctx context.Context, sel dataset.Selection) (*Data, error) {
	parts, err := s.plan(sel)
	if err != nil {
		return nil, err
	}
	data := &Data{TargetFile: s.Target != nil, Roles: noColumns(), cells: s.Cells, readings: s.Readings}
	for _, part := range parts {
		data.PrivSkipped += part.skipped
		if part.columns.empty() {
			continue
		}
		if err := data.append(ctx, part); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// plan finds out which columns of which file are read, and how.
func (s Sources) plan(sel dataset.Selection) ([]filePart, error) {
	main := sel
	if s.Priv != nil {
		main.Priv = ""
	}
	if s.Target != nil {
		main.Target = ""
	}
	key, privKey := -1, -1
	var err error
	switch {
	case s.Key == "":
	case s.Priv == nil:
		err = fault.New(fault.Usage, "%s joins a file of privileged columns, but there is none", fault.Name("key")).
			WithHint("name the file with %s", fault.Name("priv-data"))
	default:
		key, privKey, err = keyColumns(s.Key, dataset.FieldNames(s.Main.Fields()), dataset.FieldNames(s.Priv.Fields()))
	}
	if err != nil {
		return nil, err
	}
	columns, err := resolve(main, dataset.FieldNames(s.Main.Fields()), key)
	if err != nil {
		return nil, err
	}
	parts := []filePart{{source: s.Main, columns: columns}}
	// Columns of the other files are privileged or targets; the columns that the selection does not name are unused.
	add := func(src dataset.Source, sel dataset.Selection, key int) error {
		columns, err := resolve(sel, dataset.FieldNames(src.Fields()), key)
		columns.Normal = nil
		parts = append(parts, filePart{source: src, columns: columns, joins: key >= 0})
		return err
	}
	if s.Priv != nil {
		if err := add(s.Priv, dataset.Selection{Priv: cmp.Or(sel.Priv, "*")}, privKey); err != nil {
			return nil, err
		}
	}
	if s.Target != nil {
		if err := add(s.Target, dataset.Selection{Target: cmp.Or(sel.Target, "*")}, -1); err != nil {
			return nil, err
		}
	}
	if s.SkipPriv {
		for i := range parts {
			p := &parts[i]
			p.skipped, p.columns.Priv, p.columns.Key = len(p.columns.Priv), nil, -1
		}
	}
	return parts, setModes(parts, sel.Categorical)
}

// setModes sets how the columns of each part are read. A selector of categorical columns may name columns of any file,
// but each element of its list must name a column.
func setModes(parts []filePart, categorical string) error {
	var all []string
	for i, p := range parts {
		names := dataset.FieldNames(p.source.Fields())
		all = append(all, names...)
		parts[i].as = p.columns.readAs(len(names))
	}
	columns, _, err := Select(categorical, all)
	if err != nil {
		return err
	}
	base := 0
	for _, p := range parts {
		for i := range p.as {
			if p.as[i] == dataset.Auto && slices.Contains(columns, base+i) {
				p.as[i] = dataset.Categorical
			}
		}
		base += len(p.as)
	}
	return nil
}

// append reads a part and adds its columns and roles.
func (d *Data) append(ctx context.Context, p filePart) error {
	known := make([]*dataset.Reading, len(p.as))
	for i, f := range p.source.Fields() {
		known[i] = d.readings[f.Name]
	}
	table, err := dataset.Read(ctx, p.source, p.as, d.cells, known)
	if err != nil {
		return err
	}
	if p.joins {
		if table, err = d.joined(ctx, &p, table); err != nil {
			return err
		}
	}
	next, position := 0, make([]int, len(p.as)) // of each column of the file in d
	if d.Table != nil {
		next = len(d.Columns)
	}
	for i, as := range p.as {
		position[i] = next
		if as != dataset.Skip {
			next++
		}
	}
	d.Roles = d.Roles.union(p.columns.moved(func(i int) int { return position[i] }))
	if d.Table == nil {
		d.Table = table
		return nil
	}
	d.Table, err = SideBySide(d.Table, table)
	return err
}

// SideBySide returns a table with the columns of a followed by those of b, row by row. Another number of rows is a
// fault.Data error.
func SideBySide(a, b *dataset.Table) (*dataset.Table, error) {
	if a.Rows != b.Rows {
		return nil, fault.New(fault.Data, "%s has %d rows, %s has %d", a.FileName(), a.Rows, b.FileName(), b.Rows).
			WithHint("row i of both files must describe the same case")
	}
	return &dataset.Table{Rows: a.Rows, Columns: slices.Concat(a.Columns, b.Columns), Missing: a.Missing}, nil
}

// takeKey takes the key column out of the part's table.
func (p *filePart) takeKey(t *dataset.Table) dataset.Column {
	at := 0
	for _, as := range p.as[:p.columns.Key] {
		if as != dataset.Skip {
			at++
		}
	}
	key := t.Columns[at]
	t.Columns = slices.Delete(t.Columns, at, at+1)
	p.as[p.columns.Key], p.columns.Key = dataset.Skip, -1
	return key
}
