// Package tablefile reads and writes tables in files, choosing the format by the
// file's name.
package tablefile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"

	"rvflplus/dataset"
	"rvflplus/dataset/arff"
	"rvflplus/dataset/csv"
	"rvflplus/dataset/libsvm"
	"rvflplus/fault"
)

// Options say how a file is laid out where its name does not tell. The zero value
// serves most files.
type Options struct {
	Format Format // "" means by name, else CSV

	NoHeader  bool   // CSV: the first row is data; columns are called c1, c2, …
	Separator string // CSV: see csv.Options; "" in a TSV file is the tab

	ZeroBased bool // LIBSVM: see libsvm.Options
	Features  int  // LIBSVM: the least number of features

	Folder string // of data sets; see registry.Folders

	// Again keeps a copy of an input that can only be read once, so that Reopen
	// works.
	Again bool
}

// Table is an open table whose columns are known. Close it after use.
type Table struct {
	dataset.Source
	Path   string
	Format Format   // "" for a data set of the registry
	Notes  []string // what the user should know about the layout found
	// Roles are those that the file or the registry states, for where the user
	// states none: the label of LIBSVM text, the targets that MEKA marks in ARFF, all
	// roles of a data set of the registry.
	Roles dataset.Selection

	input *input
	text  io.Closer // what Source reads, if it is to be closed
	again func(context.Context) error
}

// File opens path, "-" for standard input; files that end in .gz or .Z are
// unpacked, and so is a pipe of their contents. "@NAME" and "@NAME:PART" are data sets of the registry, which are read
// at once. Formats that are read twice or at random from an input that cannot be,
// such as a pipe, are copied to a temporary file. Errors about the file are of kind
// fault.Data, a full disk is fault.Resource.
func File(ctx context.Context, path string, o Options) (*Table, error) {
	if reference, ok := Reference(path); ok {
		return data(ctx, path, reference, o)
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
		return nil, errors.Join(err, t.Close())
	}
	if t.Format == "" {
		t.Format = CSV
	}
	return t, nil
}

// Reopen makes the rows readable once more. Without Options.Again it may be a
// fault.Usage error.
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
	return err
}

// read opens the file for one reading of its rows.
func (t *Table) read(ctx context.Context) (err error) {
	switch t.Format {
	case LIBSVM:
		err = t.readLIBSVM(ctx)
	case NPY, NPZ, Parquet:
		err = t.readBinary(ctx)
	default:
		err = t.readText(ctx)
	}
	return err
}

func (t *Table) readText(ctx context.Context) error {
	text, err := t.input.text(ctx)
	if err != nil {
		return err
	}
	t.text = text
	if t.Format == ARFF {
		return t.readARFF(text)
	}
	o := t.input.options
	if t.Format == TSV && o.Separator == "" {
		o.Separator = "tab"
	}
	r, err := csv.NewReader(text, csv.Options{Name: t.input.name, NoHeader: o.NoHeader, Separator: o.Separator})
	if err != nil {
		return err
	}
	t.Source, t.Notes = r, r.Notes()
	return nil
}

func (t *Table) readARFF(text io.Reader) error {
	r, err := arff.NewReader(text, arff.Options{Name: t.input.name})
	if err != nil {
		return err
	}
	t.Source, t.Notes, t.Roles.Target = r, nil, dataset.List(r.Targets())
	if targets := r.Targets(); len(targets) > 0 {
		t.Notes = []string{t.input.name + " marks its targets: " + dataset.Abbreviate(targets)}
	}
	return nil
}

func (t *Table) readLIBSVM(ctx context.Context) error {
	o := t.input.options
	if err := t.input.makeRepeatable(ctx); err != nil {
		return err
	}
	open := func() (io.ReadCloser, error) { return t.input.text(ctx) }
	r, err := libsvm.NewReader(ctx, open, libsvm.Options{Name: t.input.name, AtLeast: o.Features, ZeroBased: o.ZeroBased})
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
	taken      bool // an input that can be read once has been
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

func (in *input) look(r *bufio.Reader) error {
	head, err := r.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return dataset.ReadError(in.name, err)
	}
	if err := in.checkText(head); err != nil {
		return err
	}
	if in.options.Format != "" || in.format == LIBSVM || in.format == ARFF {
		return nil
	}
	return in.checkLooks(head)
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
	return dataset.OpenFile(in.path)
}

// repeatable reports whether the file can be opened again: it is no pipe.
func (in *input) repeatable() bool {
	if in.path == "-" {
		return false
	}
	info, err := os.Stat(in.path)
	return err != nil || info.Mode().IsRegular() || info.IsDir()
}

// makeRepeatable copies what can be read once.
func (in *input) makeRepeatable(ctx context.Context) error {
	if in.spool != nil || in.repeatable() {
		return nil
	}
	return in.copy(ctx, func([]byte) error { return nil })
}

// copy copies the unpacked file to a temporary one, if accept takes its first
// bytes.
func (in *input) copy(ctx context.Context, accept func(head []byte) error) error {
	raw, err := in.bytes()
	if err != nil {
		return err
	}
	defer raw.Close()
	r := bufio.NewReaderSize(raw, 1<<16)
	head, err := r.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return dataset.ReadError(in.name, err)
	}
	if err := accept(head); err != nil {
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
