package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rvflplus/dataset/tablefile"
	"rvflplus/fault"
	"rvflplus/internal/postgres"
)

// layoutFlags say how files are laid out and where data sets are.
type layoutFlags struct {
	noHeader, zeroBased  bool
	sep, format, dataDir string
	features             int      // that LIBSVM text has at least
	again                bool     // the table is read more than once
	missing              []string // dataset.Cells.Missing

	database postgres.Options // what is read where DATA is the URL of a database
}

func (l *layoutFlags) add(f *pflag.FlagSet) {
	wordFlag(f, &l.format, "format", tablefile.Formats(),
		"format of DATA, and of files beside it whose names do not tell: "+strings.Join(tablefile.Formats(), ", ")+
			" (default: by the file's name, else csv)")
	f.BoolVar(&l.noHeader, "no-header", false, "CSV files have no line of column names; columns are called c1, c2, …")
	f.StringVar(&l.sep, "sep", "", `separator of CSV files: one character, "tab" or "space" `+
		`(default: comma, tab or semicolon, as the first line shows)`)
	f.BoolVar(&l.zeroBased, "zero-based", false,
		"LIBSVM files count features from 0, as scikit-learn writes by default")
	f.StringVar(&l.database.Table, "table", "",
		"table to read, NAME or SCHEMA.NAME, where DATA is postgres://… (docs/databases.md)")
	f.StringVar(&l.database.Query, "query", "",
		"query to read, SQL or @FILE, where DATA is postgres://…; ORDER BY makes results repeatable")
	l.addDataDir(f)
}

// completeDatabases makes the shell complete the flags of databases: no files for a table, files behind the @ of a
// query.
func completeDatabases(c *cobra.Command) {
	if c.Flags().Lookup("query") != nil {
		_ = c.RegisterFlagCompletionFunc("table", cobra.NoFileCompletions)
		_ = c.RegisterFlagCompletionFunc("query", completeQuery)
	}
	for _, verb := range c.Commands() {
		completeDatabases(verb)
	}
}

func completeQuery(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	path, inFile := strings.CutPrefix(typed, "@")
	if !inFile {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	files, _ := filepath.Glob(path + "*") // the one error is a pattern that matches nothing
	for i := range files {
		files[i] = "@" + files[i]
	}
	return files, cobra.ShellCompDirectiveNoFileComp
}

func (l *layoutFlags) addDataDir(f *pflag.FlagSet) {
	f.StringVar(&l.dataDir, "data-dir", "",
		"folder of the data sets that are called @NAME (default: $RVFL_DATA, then the download cache)")
}

// open opens DATA, or with beside a file that belongs to it. --format applies to such a file only if its name tells no
// format, --table and --query not at all: the URL of a database names its table.
func (l *layoutFlags) open(ctx context.Context, a *app, path string, beside bool) (*tablefile.Table, error) {
	if postgres.IsURL(path) {
		return l.openDatabase(ctx, a, path, beside)
	}
	if !beside && (l.database.Table != "" || l.database.Query != "") {
		return nil, fault.New(fault.Usage, "%s is no database: --table and --query do not apply", path).
			WithHint("give the URL of a database in its place: postgres://HOST/DATABASE")
	}
	t, err := l.table(ctx, path, beside)
	if err != nil {
		return nil, err
	}
	a.note(worded(t.Notes)...)
	return t, nil
}

// table is open of a file, without the notes about its layout.
func (l *layoutFlags) table(ctx context.Context, path string, beside bool) (*tablefile.Table, error) {
	o := tablefile.Options{
		Format: tablefile.Format(l.format), NoHeader: l.noHeader, Separator: l.sep,
		ZeroBased: l.zeroBased, Features: l.features, Folder: l.dataDir, Again: l.again,
		Missing: l.missing,
	}
	if beside && tablefile.ByName(path) != "" {
		o.Format = ""
	}
	return tablefile.Open(ctx, path, o)
}

func (l *layoutFlags) openDatabase(ctx context.Context, a *app, url string, beside bool) (*tablefile.Table, error) {
	o := postgres.Options{}
	if !beside {
		o = l.database
	}
	o.Again = l.again
	r, err := postgres.Open(ctx, url, a.secrets, o)
	if err != nil {
		return nil, err
	}
	t := tablefile.OfDatabase(url, r)
	a.note(worded(t.Notes)...)
	return t, nil
}
