package tablefile

import (
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"strings"

	"rvflplus/dataset"
	"rvflplus/dataset/arff"
	"rvflplus/dataset/csv"
	"rvflplus/dataset/libsvm"
	"rvflplus/dataset/npy"
	"rvflplus/dataset/parquet"
	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/namelist"
)

// WriteOptions say how a file is to be written where its name does not tell.
type WriteOptions struct {
	Format    Format // "" means by name
	NoHeader  bool   // CSV: without a line of names
	Separator string // CSV: one character, "tab", or "" for a comma (in a TSV file a tab)
	Relation  string // ARFF: the name of the relation
	// Targets is how many columns from the last are targets. ARFF marks them as MEKA does; LIBSVM text holds one.
	Targets int
}

// Write writes a table to path, as a whole or not at all. A file whose name ends in .gz is compressed. A column that
// the format cannot hold is an error that names it.
func Write(ctx context.Context, path string, outline dataset.Outline, blocks dataset.Blocks, o WriteOptions) error {
	if _, err := o.FormatOf(path); err != nil {
		return err
	}
	return atomicfile.Write(ctx, path, func(w io.Writer) error {
		return Encode(ctx, w, path, outline, blocks, o)
	})
}

// Encode writes a table to w as Write would to a file called path.
func Encode(
	ctx context.Context, w io.Writer, path string, outline dataset.Outline, blocks dataset.Blocks, o WriteOptions,
) error {
	format, err := o.FormatOf(path)
	if err != nil {
		return err
	}
	if err := o.CheckFields(path, outline.Fields); err != nil {
		return err
	}
	if inputfile.Compression(path) == "" {
		return o.encode(ctx, w, format, outline, blocks)
	}
	z := gzip.NewWriter(w)
	if err := o.encode(ctx, z, format, outline, blocks); err != nil {
		return err
	}
	return z.Close()
}

// FormatOf returns the format of a file to write. It is a fault.Usage error if neither the options nor the name tell
// the format, or if a file of that name cannot be written.
func (o WriteOptions) FormatOf(path string) (Format, error) {
	if err := o.Format.check(); err != nil {
		return "", err
	}
	format := o.Format
	if format == "" {
		format = ByName(path)
	}
	switch {
	case path == "":
		return "", fault.New(fault.Usage, "the name of the file to write is empty")
	case inputfile.Compression(path) == ".Z":
		return "", fault.New(fault.Usage, "%s: .Z files are read only", path).WithHint("write .gz")
	case format == "" && path == "-":
		return "", fault.New(fault.Usage, "standard output (-) does not tell in which format to write").
			WithHint("name it with %s: %s", fault.Name("to"), strings.Join(Formats(), ", "))
	case format == "":
		return "", fault.New(fault.Usage, "%s: the name does not tell in which format to write", path).
			WithHint("let it end in .%s, or use %s", strings.Join(Formats(), ", ."), fault.Name("to"))
	}
	return format, nil
}

// CheckFields refuses, before the rows are read, columns that a file called path cannot hold. LIBSVM text has one
// target: others would silently become features. Parquet has a greatest number of columns.
func (o WriteOptions) CheckFields(path string, fields []dataset.Field) error {
	format, err := o.FormatOf(path)
	switch {
	case err != nil:
		return err
	case format == Parquet:
		return parquet.CheckColumns(len(fields))
	case format != LIBSVM || o.Targets < 2:
		return nil
	}
	targets := dataset.FieldNames(fields[max(0, len(fields)-o.Targets):])
	return fault.New(fault.Data, "%s: LIBSVM text holds one target, not %d: %s",
		path, len(targets), namelist.Abbreviate(targets)).
		WithHint("write another format, or name one with %s and leave the others out with %s",
			fault.Name("target"), fault.Name("drop"))
}

func (o WriteOptions) encode(
	ctx context.Context, w io.Writer, format Format, outline dataset.Outline, blocks dataset.Blocks,
) error {
	switch format {
	case LIBSVM:
		return libsvm.Write(ctx, w, outline, blocks)
	case ARFF:
		relation := cmp.Or(o.Relation, "table")
		if o.Targets > 0 {
			relation = fmt.Sprintf("%s: -C -%d", strings.ReplaceAll(relation, ":", "_"), o.Targets)
		}
		return arff.Write(ctx, w, outline, blocks, relation)
	case NPY:
		return npy.Write(ctx, w, outline, blocks)
	case NPZ:
		return npy.WriteArchive(ctx, w, outline, blocks)
	case Parquet:
		return parquet.Write(ctx, w, outline, blocks)
	case TSV:
		if o.Separator == "" {
			o.Separator = "tab"
		}
	}
	return csv.Write(ctx, w, outline, blocks, csv.Options{NoHeader: o.NoHeader, Separator: o.Separator})
}
