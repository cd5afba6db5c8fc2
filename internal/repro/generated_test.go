package repro

import (
	"context"
	"io/fs"
	"slices"
	"testing"

	"rvflplus/fault"
	"rvflplus/internal/registry"
)

// generatedData loads random values with the columns, classes and rows of the registry's entries.
type generatedData struct {
	absent []string // entries whose data are not there
	loaded []string // what was asked for
}

func (l *generatedData) Load(ctx context.Context, e registry.Entry, part string) (*registry.Set, error) {
	l.loaded = append(l.loaded, e.Name)
	if slices.Contains(l.absent, e.Name) {
		missing := fault.New(fault.Data, "%s is not there", e.Name).WithHint("rvfl data fetch %s", e.Name)
		missing.Err = fs.ErrNotExist
		return nil, missing
	}
	return generated(e, 1), ctx.Err()
}

// onGenerated are options for a table of a second or less.
func onGenerated() Options {
	return Options{Loader: &generatedData{}, Quick: true, Datasets: []string{"iris"}, Protocol: PublishedName}
}

// poolOf returns the generated data of a row of an experiment.
func poolOf(t *testing.T, d Dataset, noise bool) *pool {
	t.Helper()
	p, err := newPool(generated(entry(d.Entry), 1), d, noise)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
