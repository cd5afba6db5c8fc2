package main

import (
	"context"
	"slices"

	"github.com/spf13/pflag"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/namelist"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/registry"
	"rvflplus/internal/roles"
)

// dataFlags name the columns by role and the files beside DATA.
type dataFlags struct {
	layoutFlags
	cellFlags
	dataset.Selection
	privData, targetData string
	key                  string
	unlabelled           string // file of rows without a target
	allowMissing         bool
	dropMissing          bool
	readings             map[string]*dataset.Reading // of columns whose reading is known
}

func (d *dataFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&d.Target, "target", "y", "", "target columns: names, positions a:b, globs, separated by commas")
	f.StringVarP(&d.Priv, "privileged", "p", "", "privileged columns: known in training, not in use")
	f.StringVar(&d.Normal, "normal", "", "normal columns (default: all that have no other role)")
	f.StringVar(&d.Drop, "drop", "", "columns to leave out")
	f.StringVar(&d.Categorical, "categorical", "",
		"columns whose cells are categories even if they look like numbers")
	f.StringVar(&d.ID, "id", "", "column that names the cases: not a feature, copied to predictions")
	f.StringVar(&d.Weight, "weight", "", "column of row weights >= 0")
	f.StringVar(&d.privData, "priv-data", "",
		"file of privileged columns (all, or those of -p), row-aligned unless --key is given")
	f.StringVar(&d.key, "key", "",
		"column that joins --priv-data to DATA, COL or COL=COL2 where the file calls it COL2: equal texts match")
	f.BoolVar(&d.allowMissing, "allow-missing-privileged", false,
		"train on rows without privileged values too (without it they are errors)")
	f.StringVar(&d.unlabelled, "unlabelled", "",
		"file of further rows without a target, with the normal and the privileged columns by name; for kinds that "+
			"learn from such rows")
	f.StringVar(&d.targetData, "target-data", "", "row-aligned file of target columns (all, or those of -y)")
	f.BoolVar(&d.dropMissing, "drop-missing", false, "leave out rows whose target or weight is missing")
	d.cellFlags.add(f)
	d.layoutFlags.add(f)
}

// publicDataSet returns the data set that DATA names as @NAME; nil if DATA is a file.
func publicDataSet(path string) (*registry.Entry, error) {
	reference, marked := registry.Reference(path)
	if !marked {
		return nil, nil
	}
	e, _, err := registry.Find(reference)
	return &e, err
}

// task returns what the target of a public data set means; "" for other targets and for files (a nil entry), whose
// cells tell.
func (d *dataFlags) task(e *registry.Entry) string {
	if e == nil || d.targetData != "" || d.Target != "" && d.Target != roles.ByName(e.Targets) {
		return ""
	}
	return e.Task
}

// oneStdin refuses to read standard input twice.
func oneStdin(paths ...string) error {
	used := 0
	for _, path := range paths {
		if path == "-" {
			used++
		}
	}
	if used > 1 {
		return fault.New(fault.Usage, "standard input (-) can be one of the files only")
	}
	return nil
}

// load opens the files and reads the columns that have a role. The privileged columns are read only if the kind learns
// from them.
func (d *dataFlags) load(ctx context.Context, a *app, path string, k kind.Kind) (*roles.Data, error) {
	if err := oneStdin(path, d.privData, d.targetData, d.unlabelled); err != nil {
		return nil, err
	}
	if d.unlabelled != "" {
		if err := pipeline.CheckUnlabelled(k); err != nil {
			return nil, err
		}
	}
	d.missing = d.cells.Missing
	data, err := d.loadRows(ctx, a, path, !k.Privileged)
	if err == nil && d.dropMissing {
		data = data.DropMissing()
	}
	if err != nil || d.unlabelled == "" {
		return data, err
	}
	further, err := d.open(ctx, a, d.unlabelled, true)
	if err != nil {
		return nil, err
	}
	defer further.Close()
	return data, data.ReadUnlabelled(ctx, further, further.Path)
}

// loadRows is load without the rows of --unlabelled.
func (d *dataFlags) loadRows(ctx context.Context, a *app, path string, skipPriv bool) (*roles.Data, error) {
	main, err := d.open(ctx, a, path, false)
	if err != nil {
		return nil, err
	}
	defer main.Close()
	sources := roles.Sources{Main: main, SkipPriv: skipPriv, Key: d.key, Cells: d.cells, Readings: d.readings}
	var privFile, targetFile *tablefile.Table
	if d.privData != "" {
		if privFile, err = d.open(ctx, a, d.privData, true); err != nil {
			return nil, err
		}
		defer privFile.Close()
		sources.Priv = privFile
	}
	if d.targetData != "" {
		if targetFile, err = d.open(ctx, a, d.targetData, true); err != nil {
			return nil, err
		}
		defer targetFile.Close()
		sources.Target = targetFile
	}

	// Roles that no flag gives are those that the files themselves state.
	names := dataset.FieldNames(main.Fields())
	elsewhere := dataset.Selection{Priv: d.privData, Target: d.targetData}
	sel, dropped := roles.Complete(d.Selection, main.Roles, names, elsewhere)
	a.noteDropped(main.Path, dropped)
	if targetFile != nil && sel.Target == "" {
		sel.Target = targetFile.Roles.Target
	}
	if privFile != nil && sel.Priv == "" {
		sel.Priv = allButTargets(privFile)
	}
	if sel.Target == "" && d.targetData == "" {
		return nil, fault.New(fault.Usage, "no target column").
			WithHint("name it with -y COL, or give a file with --target-data")
	}
	return sources.Load(ctx, sel)
}

// noteDropped names the columns that are left out: the file says that they are targets, and -y chooses other targets.
func (a *app) noteDropped(path string, columns []string) {
	if len(columns) > 0 {
		a.note("left out, because " + path + " has them as targets: " + namelist.Abbreviate(columns))
	}
}

// allButTargets selects the columns that a file does not state as its targets; "" selects all.
func allButTargets(t *tablefile.Table) string {
	names := dataset.FieldNames(t.Fields())
	targets, _, _ := roles.Select(t.Roles.Target, names)
	if len(targets) == 0 {
		return ""
	}
	var others []int
	for i := range names {
		if !slices.Contains(targets, i) {
			others = append(others, i)
		}
	}
	return roles.ByPosition(others)
}
