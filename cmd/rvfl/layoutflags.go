package main

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/fault"
	"rvflplus/internal/namelist"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/registry"
	"rvflplus/internal/roles"
)

// layoutFlags say how files are laid out and where data sets are.
type layoutFlags struct {
	noHeader, zeroBased  bool
	sep, format, dataDir string
	features             int // of LIBSVM text, at least
	again                bool
}

func (l *layoutFlags) add(f *pflag.FlagSet) {
	f.Var(&choiceValue{&l.format, "format", tablefile.Formats()}, "format", "format of DATA, and of files beside it whose names do not tell: "+strings.Join(tablefile.Formats(), ", ")+" (default: by the file's name, else csv)")
	f.BoolVar(&l.noHeader, "no-header", false, "CSV files have no line of column names; columns are called c1, c2, …")
	f.StringVar(&l.sep, "sep", "", `separator of CSV files: one character, "tab" or "space" (default: comma, tab or semicolon, as the first line shows)`)
	f.BoolVar(&l.zeroBased, "zero-based", false, "LIBSVM files count features from 0, as scikit-learn writes by default")
	l.addDataDir(f)
}

func (l *layoutFlags) addDataDir(f *pflag.FlagSet) {
	f.StringVar(&l.dataDir, "data-dir", "", "folder of the data sets that are called @NAME (default: $RVFL_DATA, then the download cache)")
}

// open opens DATA, or a file beside it, to which --format applies only if its name
// tells no format.
func (l *layoutFlags) open(ctx context.Context, a *app, path string, beside bool) (*tablefile.Table, error) {
	o := tablefile.Options{
		Format: tablefile.Format(l.format), NoHeader: l.noHeader, Separator: l.sep,
		ZeroBased: l.zeroBased, Features: l.features, Folder: l.dataDir, Again: l.again,
	}
	if beside && tablefile.ByName(path) != "" {
		o.Format = ""
	}
	t, err := tablefile.Open(ctx, path, o)
	if err != nil {
		return nil, err
	}
	a.note(spelled(t.Notes)...)
	return t, nil
}

var featureName = regexp.MustCompile(`^f([1-9][0-9]{0,6})$`)

// need makes LIBSVM text have the features of a model: rows name only those that
// are not 0.
func (l *layoutFlags) need(m *pipeline.Model) {
	for _, c := range m.Schema.Normal {
		if match := featureName.FindStringSubmatch(c.Name); match != nil {
			n, _ := strconv.Atoi(match[1])
			l.features = max(l.features, min(n, 1<<20))
		}
	}
}

// registered returns the entry that DATA names as @NAME, if it does.
func registered(path string) (registry.Entry, bool, error) {
	reference, ok := registry.Reference(path)
	if !ok {
		return registry.Entry{}, false, nil
	}
	e, _, err := registry.Find(reference)
	return e, true, err
}

// task returns what the target of a data set of the registry means, "" if that is
// to be seen from the data.
func (d *dataFlags) task(e registry.Entry) string {
	if d.Target != "" && d.Target != roles.ByName(e.Targets) || d.targetData != "" {
		return ""
	}
	return e.Task
}

// complete returns the selection with the roles that the files themselves state,
// where no flag does.
func (d *dataFlags) complete(a *app, s roles.Sources) (dataset.Selection, error) {
	main := s.Main.(*tablefile.Table)
	names := dataset.FieldNames(main.Fields())
	sel, dropped := roles.Complete(d.Selection, main.Roles, names, dataset.Selection{Priv: d.privData, Target: d.targetData})
	if len(dropped) > 0 {
		a.note("left out, because " + main.Path + " has them as targets: " + namelist.Abbreviate(dropped))
	}
	if t, ok := s.Target.(*tablefile.Table); ok && sel.Target == "" {
		sel.Target = t.Roles.Target
	}
	if t, ok := s.Priv.(*tablefile.Table); ok && sel.Priv == "" {
		sel.Priv = notTargets(t)
	}
	if sel.Target == "" && d.targetData == "" {
		return sel, fault.New(fault.Usage, "no target column").WithHint("name it with -y COL, or give a file with --target-data")
	}
	return sel, nil
}

// notTargets selects the columns that a file does not state as its targets, "" for
// all.
func notTargets(t *tablefile.Table) string {
	names := dataset.FieldNames(t.Fields())
	targets, _, _ := roles.Select(t.Roles.Target, names)
	var others []int
	for i := range names {
		if !slices.Contains(targets, i) {
			others = append(others, i)
		}
	}
	if len(targets) == 0 {
		return ""
	}
	return roles.ByPosition(others)
}
