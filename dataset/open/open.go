// Package open reads a table from a file, choosing the reader by the file's name.
package open

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/fault"
)

// Options say how a file is laid out where its name does not tell.
type Options struct {
	NoHeader  bool   // the first row is data; columns are called c1, c2, …
	Separator string // see csv.Options
}

// Table is an open file whose column names have been read. Close it after use.
type Table struct {
	dataset.Source
	Path  string
	Notes []string // what the user should know about the layout found
	file  io.Closer
}

// notYet are the endings of formats that would only be misread as text.
var notYet = []string{".arff", ".zip", ".bz2", ".xz", ".zst", ".npy", ".npz", ".parquet", ".mat", ".xls", ".xlsx"}

// File opens path: CSV, TSV or other separated text, plain, .gz or .Z; "-" is standard
// input. Errors about the file are of kind fault.Data.
func File(path string, o Options) (*Table, error) {
	if ext := strings.ToLower(filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".Z"))); slices.Contains(notYet, ext) {
		return nil, fault.New(fault.Usage, "%s: %s files are not read yet", path, ext).WithHint("convert the file to CSV")
	}
	f, err := dataset.OpenFile(path)
	if err != nil {
		return nil, err
	}
	name := path
	if path == "-" {
		name = "standard input"
	}
	r, err := csv.NewReader(f, csv.Options{Name: name, NoHeader: o.NoHeader, Separator: o.Separator})
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Table{Source: r, Path: path, Notes: r.Notes(), file: f}, nil
}

// Close closes the file.
func (t *Table) Close() error { return t.file.Close() }
