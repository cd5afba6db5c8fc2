package registry

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/dataset"
	"rvflplus/dataset/arff"
	csvtable "rvflplus/dataset/csv"
	"rvflplus/fault"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/roles"
)

// Loader reads data sets from folders.
type Loader struct {
	Folders []string // see Folders
}

// Set is a data set in memory: the features in the entry's order, then the
// targets.
type Set struct {
	Entry     Entry
	Part      string // one of the entry's part names
	Table     *dataset.Table
	Selection dataset.Selection // the default roles
}

// Load reads a part, "" for the entry's default. The contents of every file are
// checked first. A file that is missing, or not the published one, is a fault.Data
// error with the command that fetches it.
func (l Loader) Load(ctx context.Context, e Entry, part string) (*Set, error) {
	if err := e.checkPart(part); err != nil {
		return nil, err
	}
	if part == "" {
		part = e.Default
	}
	if part == "" {
		part = All
	}
	table, err := l.table(ctx, e, part)
	if err != nil {
		return nil, err
	}
	if err := e.group(table); err != nil {
		return nil, err
	}
	return &Set{Entry: e, Part: part, Table: table, Selection: e.Selection()}, nil
}

func (l Loader) table(ctx context.Context, e Entry, part string) (*dataset.Table, error) {
	all, err := l.stack(ctx, e, e.blocksOf(part))
	if err != nil {
		return nil, err
	}
	for _, p := range e.Parts {
		if p.Name == part {
			return e.cut(all, p), nil
		}
	}
	return all, nil
}

// cut returns a part of the rows. Where these have no lines, errors count the rows of
// the part.
func (e Entry) cut(t *dataset.Table, p Part) *dataset.Table {
	out := t.Subset(numbers(p.From, p.To))
	for i := range out.Columns {
		if c := &out.Columns[i]; c.Origin != nil && c.Origin.Lines == nil {
			c.Origin = &dataset.Origin{File: "@" + e.Name + ":" + p.Name}
		}
	}
	return out
}

func numbers(from, to int) []int {
	rows := make([]int, to-from)
	for i := range rows {
		rows[i] = from + i
	}
	return rows
}

// Selection returns the default roles. Privileged columns are named by position, so
// that a name in another selector takes precedence.
func (e Entry) Selection() dataset.Selection {
	s := dataset.Selection{Target: roles.ByName(e.Targets)}
	if e.Privileged() > 0 {
		s.Priv = strconv.Itoa(e.Normal+1) + ":" + strconv.Itoa(len(e.Features))
	}
	return s
}

// stack reads blocks one below the other.
func (l Loader) stack(ctx context.Context, e Entry, blocks []Block) (*dataset.Table, error) {
	var all *dataset.Table
	for _, b := range blocks {
		table, err := l.block(ctx, e, b)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = table
		} else if err := below(all, table, e.Name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// below adds the rows of next, which are of other files, to t.
func below(t, next *dataset.Table, name string) error {
	origin := &dataset.Origin{File: "@" + name}
	for i := range t.Columns {
		c, more := &t.Columns[i], &next.Columns[i]
		if !c.Numeric() || !more.Numeric() {
			return fault.New(fault.Data, "%s: expected a number", more.Place(0))
		}
		c.Numbers, c.Origin = append(c.Numbers, more.Numbers...), origin
	}
	t.Rows += next.Rows
	return nil
}

// block reads files side by side and brings their columns into order.
func (l Loader) block(ctx context.Context, e Entry, b Block) (*dataset.Table, error) {
	var columns []dataset.Column
	for _, f := range b.Files {
		table, err := l.file(ctx, e, f)
		if err != nil {
			return nil, err
		}
		if table.Rows != b.Rows {
			return nil, fault.New(fault.Data, "%s: %s has %d rows, expected %d", e.Name, f.Path, table.Rows, b.Rows)
		}
		columns = append(columns, table.Columns...)
	}
	return e.arrange(&dataset.Table{Rows: b.Rows, Columns: columns}), nil
}

// arrange orders columns as features and targets. Privileged ones that are not there
// are missing in all rows.
func (e Entry) arrange(t *dataset.Table) *dataset.Table {
	out := &dataset.Table{Rows: t.Rows}
	for i, name := range slices.Concat(e.Features, e.Targets) {
		if c := t.Find(name); c != nil {
			out.Columns = append(out.Columns, *c)
			continue
		}
		missing := dataset.Column{Name: name, Numbers: make([]float64, t.Rows), Number: i + 1}
		for row := range missing.Numbers {
			missing.Numbers[row] = math.NaN()
		}
		out.Columns = append(out.Columns, missing)
	}
	return out
}

// file reads the named columns of a file.
func (l Loader) file(ctx context.Context, e Entry, f File) (*dataset.Table, error) {
	path, err := e.locate(f, l.Folders)
	if err != nil {
		return nil, err
	}
	if err := e.verify(ctx, f, path); err != nil {
		return nil, err
	}
	text, err := inputfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	src, err := l.source(f, text, path)
	if err != nil {
		return nil, err
	}
	if n := len(src.Fields()); n != len(f.Columns) {
		return nil, fault.New(fault.Data, "%s has %d columns, expected %d", path, n, len(f.Columns))
	}
	return named(ctx, src, f.Columns)
}

func (l Loader) source(f File, text io.Reader, path string) (dataset.Source, error) {
	if f.Format == ARFF {
		return arff.NewReader(text, arff.Options{Name: path})
	}
	text, err := skipLines(text, f.Skip)
	if err != nil {
		return nil, fault.New(fault.Data, "%s: %w", path, err)
	}
	return csvtable.NewReader(text, csvtable.Options{Name: path, NoHeader: !f.Header, Separator: f.Separator})
}

// skipLines empties the first lines of a text: readers skip empty lines, and count
// them.
func skipLines(text io.Reader, lines int) (io.Reader, error) {
	if lines == 0 {
		return text, nil
	}
	r := bufio.NewReader(text)
	for left := lines; left > 0; {
		_, err := r.ReadSlice('\n')
		switch {
		case err == nil:
			left--
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
	return io.MultiReader(strings.NewReader(strings.Repeat("\n", lines)), r), nil
}

// named reads the columns that have a name and gives them that.
func named(ctx context.Context, src dataset.Source, columns []string) (*dataset.Table, error) {
	want := make([]dataset.ReadAs, len(columns))
	for i, name := range columns {
		if name == "" {
			want[i] = dataset.Skip
		}
	}
	table, err := dataset.Collect(ctx, src, want)
	if err != nil {
		return nil, err
	}
	names := slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return name == "" })
	for i, name := range names {
		table.Columns[i].Name = name
	}
	return table, nil
}

// group turns the numbers of the target into classes.
func (e Entry) group(t *dataset.Table) error {
	if e.Group == nil {
		return nil
	}
	c := t.Find(e.Targets[0])
	codes := make([]int, t.Rows)
	for i := range codes {
		codes[i] = slices.IndexFunc(e.Group, func(g Interval) bool {
			return c.Numeric() && c.Numbers[i] >= g.From && c.Numbers[i] <= g.To
		})
		if codes[i] < 0 {
			return fault.New(fault.Data, "%s: %q is in no class of %s", c.Place(i), c.Text(i), e.Name)
		}
	}
	c.Numbers, c.Codes = nil, codes
	for _, g := range e.Group {
		c.Levels = append(c.Levels, g.Class)
	}
	return nil
}
