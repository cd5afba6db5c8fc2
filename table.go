package rvflplus

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/fault"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/roles"
)

// Columns names the columns of a table by role, each role with a selector; "" selects none. Columns that no selector
// names are normal features, unless Normal is given: then they are left out.
//
// A selector is a comma list. Each part is first an exact name, then a:b with two positions (from 1, inclusive), then
// a glob with *, ? and [a-z]: "age,3:5,lab_*". A name that contains a comma is put in double quotes. A part that
// selects nothing is a fault.Usage error, and so is a column that two selectors name exactly; where a position or a
// glob also covers it, target, id, weight, group and time come first, then dropped, then privileged.
type Columns struct {
	Target      string // what is predicted: one column, or several of numbers
	Privileged  string // features that exist in training only
	Normal      string // features; "" means all columns that no other selector names
	Drop        string // columns that are left out
	Categorical string // columns whose cells are categories even if they look like numbers
	ID          string // the column that names the rows; not a feature
	Weight      string // the column of the rows' weights, numbers >= 0; not a feature
	Group       string // the column that tells which rows leave together when rows are left out; not a feature
	// Time is the column of times, numbers or ISO 8601 dates: Compare, Tune and CrossValidate then predict later rows
	// from earlier ones. It is not a feature.
	Time string
}

// ColumnsOf returns the roles that a file or a public data set states itself: dataset/tablefile has them as
// Table.Roles.
func ColumnsOf(s dataset.Selection) Columns {
	return Columns{
		Target: s.Target, Privileged: s.Priv, Normal: s.Normal, Drop: s.Drop, Categorical: s.Categorical,
		ID: s.ID, Weight: s.Weight, Group: s.Group, Time: s.Time,
	}
}

func (c Columns) selection() dataset.Selection {
	return dataset.Selection{
		Target: c.Target, Priv: c.Privileged, Normal: c.Normal, Drop: c.Drop, Categorical: c.Categorical,
		ID: c.ID, Weight: c.Weight, Group: c.Group, Time: c.Time,
	}
}

// Table is some rows of named columns of numbers or texts. It is immutable and safe for concurrent use.
type Table struct{ t *dataset.Table }

// Column is a column of a table. Exactly one of Numbers and Texts is set, with a cell for every row.
type Column struct {
	Name    string
	Numbers []float64 // finite; NaN is a missing cell
	Texts   []string  // categories; "" is a missing cell
}

// NewTable returns the table of the given columns, which must have different names and equally many cells. It shares
// their numbers, which must not be changed afterwards. A mistake is a fault.Usage error, an infinite number a
// fault.Data error.
func NewTable(columns ...Column) (*Table, error) {
	t := &dataset.Table{}
	for _, c := range columns {
		if (c.Numbers == nil) == (c.Texts == nil) {
			return nil, fault.New(fault.Usage, "column %q needs either numbers or texts", c.Name)
		}
		if c.Name == "" || t.Find(c.Name) != nil {
			return nil, fault.New(fault.Usage, "the column name %q is empty or occurs twice", c.Name)
		}
		own := dataset.Column{Name: c.Name, Numbers: c.Numbers, Number: len(t.Columns) + 1}
		if c.Texts != nil {
			own.Codes, own.Levels = code(c.Texts)
		}
		t.Columns = append(t.Columns, own)
		t.Rows = len(c.Numbers) + len(c.Texts)
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	return &Table{t}, nil
}

// code numbers the distinct texts in the order they come, -1 for "".
func code(texts []string) (codes []int, levels []string) {
	number := map[string]int{"": -1}
	codes = make([]int, len(texts))
	for i, text := range texts {
		k, known := number[text]
		if !known {
			k = len(levels)
			number[text], levels = k, append(levels, text)
		}
		codes[i] = k
	}
	return codes, levels
}

// Rows returns the number of rows.
func (t *Table) Rows() int { return t.t.Rows }

// Names returns the names of the columns in their order.
func (t *Table) Names() []string { return t.t.Names() }

// Column returns the column called name; ok is false if there is none. Numbers are shared with the table and must not
// be changed.
func (t *Table) Column(name string) (c Column, ok bool) {
	own := t.t.Find(name)
	if own == nil {
		return Column{}, false
	}
	if c.Name = name; own.Numeric() {
		c.Numbers = own.Numbers
		return c, true
	}
	c.Texts = make([]string, t.t.Rows)
	for i := range c.Texts {
		c.Texts[i] = own.Text(i)
	}
	return c, true
}

// Subset returns the table of the given rows, numbered from 0, in their order. It panics when there is no such row.
func (t *Table) Subset(rows []int) *Table {
	if slices.ContainsFunc(rows, func(i int) bool { return i < 0 || i >= t.t.Rows }) {
		panic("rvflplus: no such row")
	}
	return &Table{t.t.Subset(rows)}
}

// with gives the columns their roles.
func (t *Table) with(c Columns) (*roles.Data, error) {
	if t == nil {
		return nil, fault.New(fault.Usage, "there is no table")
	}
	return roles.Assign(t.t, c.selection())
}

// CSVOptions say how a text of separated values is laid out and read. The zero value reads a header line, finds the
// separator itself, and takes a column whose cells are all numbers as numbers, one without any number as categories;
// a mixture of both is a fault.Data error that names the first odd cell.
type CSVOptions struct {
	Name        string // of the text, for errors; default "the table" or the file's name
	NoHeader    bool   // the first line is data; the columns are called c1, c2, …
	Separator   string // one character, "tab", "space" (any run of blanks), or "": comma, tab or semicolon
	Categorical string // selector of columns whose cells are categories, such as codes and ids, even if they mix both
	Drop        string // selector of columns that are not read
	// Cells says how texts become numbers, dates and missing cells; the zero value lets the cells tell.
	Cells dataset.Cells
	// Model, if not nil, is what the table is for: the cells of the model's columns are read as in training, so that
	// one row alone, or clean numbers beside messy ones, mean what they meant there.
	Model *Model
}

// ReadCSV reads a text of separated values to its end. Missing cells are empty, NA, NaN or ?, and, among numbers and
// dates, N/A, null, None, nil, - and others (see dataset.Cells). Columns whose cells are all percentages, money,
// numbers of one unit, numbers with separated thousands or decimal commas, or dates, are columns of numbers; Train
// tells so in the notes of its Report, and the Model reads the cells of later tables in the same way, whatever ReadCSV
// took them for. Mistakes in the text are fault.Data errors that name line and column.
func ReadCSV(ctx context.Context, r io.Reader, o CSVOptions) (*Table, error) {
	src, err := csv.NewReader(r, csv.Options{
		Name: cmp.Or(o.Name, "the table"), NoHeader: o.NoHeader, Separator: o.Separator,
		Missing: o.Model.cells(o.Cells).Missing,
	})
	if err != nil {
		return nil, err
	}
	return ReadTable(ctx, src, ReadOptions{Categorical: o.Categorical, Drop: o.Drop, Cells: o.Cells, Model: o.Model})
}

// OpenTable reads a file of separated values. One whose name ends in .tsv or .tab is separated by tabs; names that
// further end in .gz are decompressed; "-" is standard input. Package dataset/tablefile opens files of other formats
// for ReadTable.
func OpenTable(ctx context.Context, path string, o CSVOptions) (*Table, error) {
	f, err := inputfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain := strings.ToLower(strings.TrimSuffix(path, inputfile.Compression(path)))
	if o.Separator == "" && (strings.HasSuffix(plain, ".tsv") || strings.HasSuffix(plain, ".tab")) {
		o.Separator = "tab"
	}
	o.Name = cmp.Or(o.Name, path)
	return ReadCSV(ctx, f, o)
}

// ReadOptions say how the columns of a source are read. The zero value reads all columns, each by its cells.
type ReadOptions struct {
	Categorical string // selector of columns whose cells are categories, such as codes and ids, even if they mix both
	Drop        string // selector of columns that are not read
	// Cells says how texts become numbers, dates and missing cells; the zero value lets the cells tell.
	Cells dataset.Cells
	// Model, if not nil, is what the table is for: the cells of the model's columns are read as in training, so that
	// one row alone, or clean numbers beside messy ones, mean what they meant there.
	Model *Model
}

// ReadTable reads all rows of a source into memory: of a file in any format or of a public data set, which package
// dataset/tablefile opens. The caller closes the file. A table that does not fit into memory is a fault.Resource
// error.
func ReadTable(ctx context.Context, src dataset.Source, o ReadOptions) (*Table, error) {
	names := dataset.FieldNames(src.Fields())
	as := make([]dataset.ReadAs, len(names))
	for _, s := range []struct {
		selector string
		as       dataset.ReadAs
	}{{o.Categorical, dataset.Categorical}, {o.Drop, dataset.Skip}} {
		columns, _, err := roles.Select(s.selector, names)
		if err != nil {
			return nil, err
		}
		for _, i := range columns {
			as[i] = s.as
		}
	}
	t, err := dataset.Read(ctx, src, as, o.Model.cells(o.Cells), o.Model.readings(names, as))
	if err != nil {
		return nil, err
	}
	return &Table{t}, nil
}

// cells returns how the cells of a table for the model are read; m may be nil.
func (m *Model) cells(o dataset.Cells) dataset.Cells {
	if m != nil {
		o.Missing = m.p.Schema.Markers()
	}
	return o
}

// readings returns the readings of the model's columns, and sets as where the model has categories; m may be nil.
func (m *Model) readings(names []string, as []dataset.ReadAs) []*dataset.Reading {
	if m == nil {
		return nil
	}
	readings := make([]*dataset.Reading, len(names))
	set := func(i int, categorical bool, r *dataset.Reading) {
		if i < 0 || as[i] != dataset.Auto {
			return
		}
		if readings[i] = r; categorical {
			as[i] = dataset.Categorical
		}
	}
	for _, c := range m.p.Schema.Normal {
		set(slices.Index(names, c.Name), isCategorical(c), c.ReadBy())
	}
	for k, name := range m.p.Coder.Names {
		if r := m.p.Schema.TargetReading(k); r != nil {
			set(slices.Index(names, name), false, r)
		}
	}
	return readings
}
