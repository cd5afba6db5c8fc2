// Package registry knows public data sets: where they are published, what their files hold and how to read them, and
// where they differ from the description in the RVFL+ paper. The data themselves are not here: package fetch downloads
// them.
package registry

import (
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/fetch"
	"rvflplus/internal/namelist"
)

// Entry describes a data set. Its table has the features in their published order
// (where some are known in training only, these last) and then the targets.
type Entry struct {
	Name, Title string
	Page        string // of the publisher
	Licence     string
	Citation    string
	Task        string // "classification" or "regression"
	Rows        int    // of all blocks
	Features    []string
	Normal      int // so many features from the first are normal, the others privileged
	Targets     []string
	Classes     []Class    // those that occur; nil for a regression
	Group       []Interval // classes that the numbers of the target are grouped into, or nil
	Blocks      []Block    // one below the other
	Parts       []Part     // published ranges of rows
	Default     string     // the part that is meant where none is named; "" is all rows
	Extra       []Extra    // tables of the same columns that are not among the rows
	Split       Sizes      // the split for the paper's tables (see Paper); zero if it is not in the paper
	Folds       int        // of the paper's cross-validation, or 0
	Errata      []string   // what to know before trusting the numbers
}

// Class is a class as the table spells it, and its number of rows.
type Class struct {
	Name string
	Rows int
}

// Interval is a class of the numbers From to To, both included.
type Interval struct {
	Class    string
	From, To float64
}

// Block is some rows, in files side by side: row i of all describes the same case.
// Privileged features that no file has are missing in these rows.
type Block struct {
	Rows  int
	Files []File
}

// Part names the rows From to To-1 (from 0).
type Part struct {
	Name     string
	From, To int
}

// Extra is a further table under a part's name.
type Extra struct {
	Name  string
	Block Block
}

// Sizes are the rows of the parts of a split.
type Sizes struct{ Train, Validation, Test int }

// Format is how a file is written.
type Format int

const (
	CSV  Format = iota // separated values, see package dataset/csv
	ARFF               // see package dataset/arff
)

// File is a file as published.
type File struct {
	URL  string
	Path string    // below a folder of data sets, with slashes; there it may also be packed or unpacked
	Sum  fetch.Sum // of the bytes at URL
	Size int64     // of them; 0 if not known
	// Unpacked is the SHA-256 of the uncompressed contents, or "" where that is
	// Sum.SHA256.
	Unpacked string

	Format    Format
	Separator string // see csv.Options
	Header    bool   // the first line names columns (the registry's names are used)
	Skip      int    // lines before the table
	// Columns are the table's names for the columns of the file, "" for a column that is not read.
	Columns []string
}

// All is the part that has all rows.
const All = "all"

// Entries returns all entries by name. They share their slices: do not change
// these.
func Entries() []Entry {
	all := []Entry{
		iris, glass, abalone, wine, wineRed, wineWhite, shuttle, segment, parkinsons,
		andro, edm, slump, scm1d, scm1dTest, scm20d, mnistPlus,
	}
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Reference returns what path, written "@NAME" or "@NAME:PART", names in the registry. A file of such a name is written
// ./@NAME.
func Reference(path string) (reference string, ok bool) { return strings.CutPrefix(path, "@") }

// Find returns the entry that "NAME" or "NAME:PART" names, and the part as written.
// An unknown name or part is a fault.Usage error.
func Find(reference string) (e Entry, part string, err error) {
	name, part, _ := strings.Cut(reference, ":")
	for _, e := range Entries() {
		if e.Name == name {
			return e, part, e.checkPart(part)
		}
	}
	names := Names()
	wrong := fault.New(fault.Usage, "no data set is called %q", name)
	if near := namelist.Nearest(name, names); near != "" {
		return Entry{}, "", wrong.WithHint("did you mean %q?", near)
	}
	return Entry{}, "", wrong.WithHint("the data sets are: %s", strings.Join(names, ", "))
}

// Resembling returns how a data set is written whose name, without its @, or a misspelling of it somebody gave as the
// path of a file: "@iris" for "iris", "@shuttle:test" for "shutle:test". It is "" where no name is near.
func Resembling(path string) string {
	name, part, hasPart := strings.Cut(path, ":")
	near := namelist.Nearest(name, Names())
	switch {
	case near == "":
		return ""
	case hasPart:
		return "@" + near + ":" + part
	}
	return "@" + near
}

// Names returns the names of all entries, in order.
func Names() []string {
	var names []string
	for _, e := range Entries() {
		names = append(names, e.Name)
	}
	return names
}

// PartNames returns the names that Load takes: all, the published parts and the
// extra tables.
func (e Entry) PartNames() []string {
	names := []string{All}
	for _, p := range e.Parts {
		names = append(names, p.Name)
	}
	for _, x := range e.Extra {
		names = append(names, x.Name)
	}
	return names
}

func (e Entry) checkPart(part string) error {
	if part == "" || slices.Contains(e.PartNames(), part) {
		return nil
	}
	return fault.New(fault.Usage, "%s has no part %q", e.Name, part).
		WithHint("its parts are: %s", strings.Join(e.PartNames(), ", "))
}

// Privileged returns the number of features that are privileged by default.
func (e Entry) Privileged() int { return len(e.Features) - e.Normal }

// Files returns all files of an entry, the files of extra tables last.
func (e Entry) Files() []File {
	var files []File
	for _, b := range e.Blocks {
		files = append(files, b.Files...)
	}
	for _, x := range e.Extra {
		files = append(files, x.Block.Files...)
	}
	return files
}

// SHA256 returns the sum of the uncompressed file, or "" if it is not known.
func (f File) SHA256() string {
	if f.Unpacked != "" {
		return f.Unpacked
	}
	return f.Sum.SHA256
}

// Summary is an entry as rvfl data list writes it.
type Summary struct {
	Name       string        `json:"name"`
	Title      string        `json:"title"`
	Rows       int           `json:"rows"`
	Features   int           `json:"features"`   // normal by default
	Privileged int           `json:"privileged"` // by default
	Task       string        `json:"task"`
	Classes    int           `json:"classes,omitempty"`
	Targets    int           `json:"targets,omitempty"`
	URL        string        `json:"url"`    // of the first file
	SHA256     string        `json:"sha256"` // of the first file, uncompressed; "" if not known
	Licence    string        `json:"licence"`
	Citation   string        `json:"citation"`
	Available  bool          `json:"available"`
	Page       string        `json:"page"`
	Parts      []string      `json:"parts"`
	Files      []FileSummary `json:"files"`
}

// FileSummary is a file as rvfl data list writes it.
type FileSummary struct {
	Path      string `json:"path"`
	URL       string `json:"url"`
	SHA256    string `json:"sha256,omitempty"`
	GitObject string `json:"git_object,omitempty"`
}

// Summary returns what rvfl data list tells; available says whether all files are in
// a folder.
func (e Entry) Summary(available bool) Summary {
	s := Summary{
		Name: e.Name, Title: e.Title, Rows: e.Rows, Features: e.Normal, Privileged: e.Privileged(), Task: e.Task,
		Classes: len(e.Classes), Licence: e.Licence, Citation: e.Citation, Available: available, Page: e.Page,
		Parts: e.PartNames(),
	}
	if e.Classes == nil {
		s.Targets = len(e.Targets)
	}
	for _, f := range e.Files() {
		s.Files = append(s.Files, FileSummary{f.Path, f.URL, f.SHA256(), f.Sum.Git})
	}
	s.URL, s.SHA256 = s.Files[0].URL, s.Files[0].SHA256
	return s
}
