// Package tablefile reads and writes tables in files and picks the format by the file's name.
package tablefile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"rvflplus/dataset"
	"rvflplus/dataset/arff"
	"rvflplus/dataset/csv"
	"rvflplus/dataset/libsvm"
	"rvflplus/fault"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/namelist"
	"rvflplus/internal/registry"
	"rvflplus/internal/roles"
)

// Options say how a file is laid out where its name does not tell. The zero value serves most files.
type Options struct {
	Format Format // "" means by name, else CSV

	NoHeader  bool   // CSV: the first row is data; columns are called c1, c2, …
	Separator string // CSV: see csv.Options; "" in a TSV file is the tab

	Missing []string // CSV: see csv.Options

	ZeroBased bool // LIBSVM: see libsvm.Options
	Features  int  // LIBSVM: the least number of features

	// Folder is where the files of public data sets are looked for, before the cache of downloads. "" means the folder
	// that the environment variable RVFL_DATA names, if any.
	Folder string

	// Again keeps a copy of an input that can only be read once, such as a pipe, so that Reopen works.
	Again bool
}

// Table is an open table whose columns are known. Close it after use.
type Table struct {
	dataset.Source
	Path   string
	Format Format       // "" for a public data set; PostgreSQL is that of OfDatabase
	Notes  []fault.Text // what the user should know about the layout found
	// Roles are the roles of columns that the file states: the label of LIBSVM text, the targets that MEKA marks in
	// ARFF, all roles of a public data set. They hold where the user states none.
	Roles dataset.Selection

	input *input
	text  io.Closer // the text that Source reads, if it is to be closed
	again func(context.Context) error
	end   func() error // closes a Source that is no file
}

// Rereadable is a table that is no file.
type Rereadable interface {
	dataset.Source
	// Reopen makes the rows readable once more.
	Reopen(ctx context.Context) error
	Close() error
	// Notes returns what the user should know about the table.
	Notes() []fault.Text
}

// OfDatabase returns an open table of a database, which path names. The driver of the database is the caller's, so that
// programs that read files alone do not hold it.
func OfDatabase(path string, src Rereadable) *Table {
	return &Table{Source: src, Path: path, Format: PostgreSQL, Notes: src.Notes(), again: src.Reopen, end: src.Close}
}

// Open opens path, "-" for standard input. Files that end in .gz or .Z are decompressed, and so is a pipe of their
// contents. "@NAME" and "@NAME:PART" are public data sets, which are read at once. A pipe in a format that is read
// twice or at random is copied to a temporary file. Errors about the file are of kind fault.Data, a full disk is
// fault.Resource.
func Open(ctx context.Context, path string, o Options) (*Table, error) {
	if reference, ok := registry.Reference(path); ok {
		return openPublic(ctx, path, reference, o)
	}
	format, err := o.chosen(path)
	if err != nil {
		return nil, err
	}
	in := &input{path: path, name: path, options: o, format: format}
	if path == "-" {
		in.name = "standard input"
	}
	t := &Table{Path: path, Format: format, input: in}
	t.again = t.read
	if err := t.read(ctx); err != nil {
		return nil, errors.Join(suggestPublic(path, err), t.Close())
	}
	if t.Format == "" {
		t.Format = CSV
	}
	return t, nil
}

// DecimalCommas implements dataset.Commas.
func (t *Table) DecimalCommas() bool {
	commas, is := t.Source.(dataset.Commas)
	return is && commas.DecimalCommas()
}

// suggestPublic hints at the public data set that somebody may have meant who named a file that is not there.
func suggestPublic(path string, err error) error {
	var missing *fault.Error
	if errors.Is(err, fs.ErrNotExist) && errors.As(err, &missing) {
		if public := registry.Resembling(path); public != "" {
			missing.WithHint("did you mean the public data set %s? Else check the spelling of the file name", public)
		}
	}
	return err
}

// Reopen makes the rows readable once more. For a pipe it is a fault.Usage error unless Options.Again was set.
func (t *Table) Reopen(ctx context.Context) error {
	if t.text != nil {
		_ = t.text.Close()
		t.text = nil
	}
	return t.again(ctx)
}

// Close closes the file and removes temporary ones.
func (t *Table) Close() error {
	var err error
	if t.text != nil {
		err = t.text.Close()
	}
	if t.input != nil {
		err = errors.Join(err, t.input.close())
	}
	if t.end != nil {
		err = errors.Join(err, t.end())
	}
	return err
}

// read opens the file for one reading of its rows.
func (t *Table) read(ctx context.Context) error {
	switch t.Format {
	case LIBSVM:
		return t.readLIBSVM(ctx)
	case NPY, NPZ, Parquet:
		return t.readBinary(ctx)
	}
	return t.readText(ctx)
}

func (t *Table) readText(ctx context.Context) error {
	text, err := t.input.text(ctx)
	if err != nil {
		return err
	}
	t.text = text
	if t.Format == ARFF {
		r, err := arff.NewReader(text, arff.Options{Name: t.input.name})
		if err != nil {
			return err
		}
		targets := r.Targets()
		t.Source, t.Notes, t.Roles.Target = r, nil, roles.ByName(targets)
		if len(targets) > 0 {
			t.Notes = []fault.Text{fault.Textf("%s marks its targets: %s", t.input.name, namelist.Abbreviate(targets))}
		}
		return nil
	}
	o := t.input.options
	if t.Format == TSV && o.Separator == "" {
		o.Separator = "tab"
	}
	r, err := csv.NewReader(text, csv.Options{
		Name: t.input.name, NoHeader: o.NoHeader, Separator: o.Separator, Missing: o.Missing,
	})
	if err != nil {
		return err
	}
	t.Source, t.Notes = r, r.Notes()
	return nil
}

func (t *Table) readLIBSVM(ctx context.Context) error {
	o := t.input.options
	if err := t.input.makeRepeatable(ctx); err != nil {
		return err
	}
	open := func() (io.ReadCloser, error) { return t.input.text(ctx) }
	r, err := libsvm.NewReader(ctx, open, libsvm.Options{Name: t.input.name, AtLeast: o.Features,
		ZeroBased: o.ZeroBased})
	if err != nil {
		return err
	}
	t.Source, t.text, t.Roles.Target = r, r, "target"
	return nil
}

// input is where the bytes of a table come from.
type input struct {
	path, name string
	options    Options
	format     Format // "" if only the contents can tell
	spool      *spool
	taken      bool // the input can only be read once, and was
}

// text opens the unpacked text and looks at its beginning.
func (in *input) text(ctx context.Context) (io.ReadCloser, error) {
	if in.options.Again {
		if err := in.makeRepeatable(ctx); err != nil {
			return nil, err
		}
	}
	raw, err := in.bytes()
	if err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(raw, 1<<16)
	if err := in.look(r); err != nil {
		raw.Close()
		return nil, err
	}
	return &buffered{r, raw}, nil
}

// look refuses a file whose first bytes show that it is not text of the format it is read in.
func (in *input) look(r *bufio.Reader) error {
	head, err := in.peek(r)
	if err == nil {
		err = in.checkText(head)
	}
	if err != nil || in.options.Format != "" || in.format == LIBSVM || in.format == ARFF {
		return err
	}
	return in.checkLooks(head)
}

func (in *input) peek(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, inputfile.ReadError(in.name, err)
	}
	return head, nil
}

// bytes opens the file, unpacked, at its beginning.
func (in *input) bytes() (io.ReadCloser, error) {
	if in.spool != nil {
		return in.spool.again(), nil
	}
	if in.taken {
		return nil, fault.New(fault.Usage, "%s can be read once only", in.name).WithHint("save it to a file first")
	}
	in.taken = !in.repeatable()
	return inputfile.Open(in.path)
}

// repeatable reports whether the file can be opened again: it is no pipe.
func (in *input) repeatable() bool {
	if in.path == "-" {
		return false
	}
	info, err := os.Stat(in.path)
	return err != nil || info.Mode().IsRegular() || info.IsDir()
}

// makeRepeatable copies an input that can only be read once.
func (in *input) makeRepeatable(ctx context.Context) error {
	if in.spool != nil || in.repeatable() {
		return nil
	}
	return in.copy(ctx, func([]byte) error { return nil })
}

// copy copies the decompressed file to a temporary one, if accept takes its first bytes.
func (in *input) copy(ctx context.Context, accept func(head []byte) error) error {
	raw, err := in.bytes()
	if err != nil {
		return err
	}
	defer raw.Close()
	r := bufio.NewReaderSize(raw, 1<<16)
	head, err := in.peek(r)
	if err == nil {
		err = accept(head)
	}
	if err != nil {
		return err
	}
	in.spool, err = newSpool(ctx, r, in.name)
	return err
}

func (in *input) close() error {
	if in.spool == nil {
		return nil
	}
	return in.spool.Close()
}

// buffered reads a file through a buffer.
type buffered struct {
	*bufio.Reader
	io.Closer
}
