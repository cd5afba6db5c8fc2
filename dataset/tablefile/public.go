package tablefile

import (
	"context"

	"rvflplus/internal/registry"
)

// openPublic opens a public data set, of which reference is the name.
func openPublic(ctx context.Context, path, reference string, o Options) (*Table, error) {
	e, part, err := registry.Find(reference)
	if err != nil {
		return nil, err
	}
	folders, err := registry.Folders(o.Folder)
	if err != nil {
		return nil, err
	}
	set, err := registry.Loader{Folders: folders}.Load(ctx, e, part)
	if err != nil {
		return nil, err
	}
	t := &Table{Source: set.Table.Source(), Path: path, Roles: set.Selection}
	t.again = func(context.Context) error { return nil }
	return t, nil
}
