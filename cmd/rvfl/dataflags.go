package main

import (
	"context"

	"github.com/spf13/pflag"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/roles"
)

// dataFlags name the columns by role and the files beside DATA.
type dataFlags struct {
	layoutFlags
	dataset.Selection
	privData, targetData string
	key                  string
	allowMissing         bool
}

func (d *dataFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&d.Target, "target", "y", "", "target columns: names, positions a:b, globs, separated by commas")
	f.StringVarP(&d.Priv, "privileged", "p", "", "privileged columns: known in training, not in use")
	f.StringVar(&d.Normal, "normal", "", "normal columns (default: all that have no other role)")
	f.StringVar(&d.Drop, "drop", "", "columns to leave out")
	f.StringVar(&d.Categorical, "categorical", "", "columns whose cells are categories even if they look like numbers")
	f.StringVar(&d.ID, "id", "", "column that names the cases: not a feature, copied to predictions")
	f.StringVar(&d.Weight, "weight", "", "column of row weights >= 0")
	f.StringVar(&d.privData, "priv-data", "", "file of privileged columns (all, or those of -p), row-aligned unless --key is given")
	f.StringVar(&d.key, "key", "", "column that joins --priv-data to DATA, COL or COL=COL2 where the file calls it COL2: equal texts match")
	f.BoolVar(&d.allowMissing, "allow-missing-privileged", false, "train on rows without privileged values too (without it they are errors)")
	f.StringVar(&d.targetData, "target-data", "", "row-aligned file of target columns (all, or those of -y)")
	d.layoutFlags.add(f)
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

// load opens the files and reads the columns that have a role; the privileged
// ones only if they are learnt from.
func (d *dataFlags) load(ctx context.Context, a *app, path string, priv bool) (*roles.Data, error) {
	if err := oneStdin(path, d.privData, d.targetData); err != nil {
		return nil, err
	}
	sources := roles.Sources{SkipPriv: !priv, Key: d.key}
	for _, s := range []struct {
		path   string
		dst    *dataset.Source
		wanted bool
	}{{path, &sources.Main, true}, {d.privData, &sources.Priv, d.privData != ""}, {d.targetData, &sources.Target, d.targetData != ""}} {
		if !s.wanted {
			continue
		}
		t, err := d.open(ctx, a, s.path, s.dst != &sources.Main)
		if err != nil {
			return nil, err
		}
		defer t.Close()
		*s.dst = t
	}
	sel, err := d.complete(a, sources)
	if err != nil {
		return nil, err
	}
	return sources.Load(ctx, sel)
}
