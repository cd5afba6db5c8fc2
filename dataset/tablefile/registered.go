package tablefile

import (
	"context"
	"io"
	"strings"

	"rvflplus/dataset"
	"rvflplus/dataset/arff"
	"rvflplus/internal/registry"
)

// Reference returns what path, written "@NAME" or "@NAME:PART", names in the
// registry. A file of such a name is written ./@NAME.
func Reference(path string) (reference string, ok bool) { return strings.CutPrefix(path, "@") }

// Loader returns what reads data sets of the registry from folders.
func Loader(folders []string) registry.Loader {
	return registry.Loader{Folders: folders, ARFF: func(text io.Reader, name string) (dataset.Source, error) {
		return arff.NewReader(text, arff.Options{Name: name})
	}}
}

// data opens a data set of the registry.
func data(ctx context.Context, path, reference string, o Options) (*Table, error) {
	e, part, err := registry.Find(reference)
	if err != nil {
		return nil, err
	}
	folders, err := registry.Folders(o.Folder)
	if err != nil {
		return nil, err
	}
	set, err := Loader(folders).Load(ctx, e, part)
	if err != nil {
		return nil, err
	}
	t := &Table{Source: set.Source(), Path: path, Roles: set.Selection}
	t.again = func(context.Context) error { return nil }
	return t, nil
}
