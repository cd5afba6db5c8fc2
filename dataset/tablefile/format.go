package tablefile

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"rvflplus/fault"
	"rvflplus/internal/inputfile"
)

// Format is how a table is stored in a file.
type Format string

// The formats that are read and written; each has a package of its own below
// dataset.
const (
	CSV     Format = "csv"
	TSV     Format = "tsv" // CSV with tabs
	LIBSVM  Format = "libsvm"
	ARFF    Format = "arff"
	NPY     Format = "npy"
	NPZ     Format = "npz"
	Parquet Format = "parquet"
)

// PostgreSQL is the format of a table in a database, which is no file: see OfDatabase.
const PostgreSQL Format = "postgresql"

// Formats returns the names of all formats.
func Formats() []string {
	var names []string
	for _, f := range []Format{CSV, TSV, LIBSVM, ARFF, NPY, NPZ, Parquet} {
		names = append(names, string(f))
	}
	return names
}

// endings tell the format of a file; others say nothing.
var endings = map[string]Format{
	".csv": CSV, ".tsv": TSV, ".tab": TSV,
	".libsvm": LIBSVM, ".svm": LIBSVM, ".svmlight": LIBSVM,
	".arff": ARFF, ".npy": NPY, ".npz": NPZ, ".parquet": Parquet,
}

// foreign are the endings of formats that would only be misread as text.
var foreign = []string{".zip", ".bz2", ".xz", ".zst", ".mat", ".xls", ".xlsx", ".h5", ".hdf5", ".feather", ".arrow"}

// ending returns the ending of a file's name in lower case, without the ending of its compression.
func ending(path string) string {
	return strings.ToLower(filepath.Ext(path[:len(path)-len(inputfile.Compression(path))]))
}

// ByName returns the format that a file's name tells, "" if it tells none.
func ByName(path string) Format { return endings[ending(path)] }

// Foreign reports whether a file's name tells a format that is not read or written.
func Foreign(path string) bool { return slices.Contains(foreign, ending(path)) }

// check returns a fault.Usage error for a format that is not one of Formats or "".
func (f Format) check() error {
	if f != "" && !slices.Contains(Formats(), string(f)) {
		return fault.Param("format", "one of "+strings.Join(Formats(), ", "), string(f))
	}
	return nil
}

// chosen returns the format of a file to read; "" if neither the options nor the name tell. Such a file is read as CSV
// unless its contents look like another format.
func (o Options) chosen(path string) (Format, error) {
	if err := o.Format.check(); err != nil || o.Format != "" {
		return o.Format, err
	}
	if ext := ending(path); Foreign(path) {
		return "", fault.New(fault.Usage, "%s: %s files are not read", path, ext).
			WithHint("convert the file to one of %s; if it is one of these, say so with %s",
				strings.Join(Formats(), ", "), fault.Name("format"))
	}
	return ByName(path), nil
}

// headBytes is the number of bytes by which the format of a file is recognised.
const headBytes = 4096

// marks are how files of other formats than text begin.
var marks = []struct {
	begin, is string
	format    Format
}{
	{"PAR1", "a Parquet file", Parquet},
	{"\x93NUMPY", "a NumPy array", NPY},
	{"PK\x03\x04", "a zip archive, as .npz and .xlsx files are", NPZ},
	{"\x1F\x8B", "compressed with gzip", ""},
	{"\x1F\x9D", "compressed with compress", ""},
	{"BZh", "compressed with bzip2", ""},
	{"\xFD7zXZ", "compressed with xz", ""},
	{"\x28\xB5\x2F\xFD", "compressed with zstd", ""},
	{"\x89HDF", "an HDF5 file", ""},
	{"MATLAB ", "a MATLAB file", ""},
}

// ownEnding is the ending that the name of a compressed file must have to be read.
var ownEnding = map[string]string{"\x1F\x8B": ".gz", "\x1F\x9D": ".Z"}

// mark returns the format that the first bytes of a file show, and the error's words for the file; "" for text. The
// hint, a format with operands, says how to have the file read.
func mark(head []byte) (format Format, is, hint string, operands []any) {
	for _, m := range marks {
		if !bytes.HasPrefix(head, []byte(m.begin)) || utf8.ValidString(m.begin) && !binary(head) {
			continue
		}
		switch {
		case m.format != "":
			hint = "use %s, or give it a name that ends in .%s"
			operands = []any{fault.Set("format", string(m.format)), m.format}
		case ownEnding[m.begin] != "":
			hint, operands = "give it a name that ends in %s", []any{ownEnding[m.begin]}
		default:
			hint, operands = "convert it to one of %s", []any{strings.Join(Formats(), ", ")}
		}
		return m.format, m.is, hint, operands
	}
	return "", "", "", nil
}

// binary reports whether text would not have these bytes.
func binary(head []byte) bool {
	return bytes.ContainsFunc(head, func(r rune) bool { return r < '\t' || r > '\r' && r < ' ' })
}

// checkText refuses, with a remedy, a file that is read as text but is none.
func (in *input) checkText(head []byte) error {
	format, is, hint, operands := mark(head)
	switch {
	case is == "":
		return nil
	case format == "" && (in.path == "-" || inputfile.Compression(in.path) != ""):
		hint, operands = "unpack it first", nil // no other name would help
	case in.path == "-":
		hint, operands = "use %s", []any{fault.Set("format", string(format))}
	}
	return fault.New(fault.Data, "%s is %s, not text", in.name, is).WithHint(hint, operands...)
}

// looks are patterns that text of other formats than CSV begins with.
var looks = []struct {
	pattern *regexp.Regexp
	is      string
	format  Format
	of      Format // which files are looked at, "" for all
}{
	{regexp.MustCompile(`(?i)\A\s*(%[^\n]*\s*)*@relation\s`), "an ARFF file", ARFF, ""},
	{regexp.MustCompile(`\A[-+.0-9eE]+( +(qid|[0-9]+):[-+.0-9eE]+)+ *(#[^\n]*)?\r?\n`), "LIBSVM text", LIBSVM, ""},
	{regexp.MustCompile(`\A[^\t\n"]*,[^\t\n"]*(\n|\z)`), "text separated by commas", CSV, TSV},
	{regexp.MustCompile(`\A[^\t\n"]*;[^\t\n"]*(\n|\z)`), "text separated by semicolons", CSV, TSV},
}

// checkLooks refuses a file that would be read as CSV, because its name says so or tells no format, but is not CSV.
func (in *input) checkLooks(head []byte) error {
	own := CSV
	if in.format != "" {
		own = in.format
	}
	for _, l := range looks {
		if (l.of == "" || l.of == own && in.options.Separator == "") && l.pattern.Match(head) {
			return fault.New(fault.Data, "%s looks like %s", in.name, l.is).
				WithHint("use %s, or %s if it is %s all the same", fault.Set("format", string(l.format)),
					fault.Set("format", string(own)), strings.ToUpper(string(own)))
		}
	}
	return nil
}
