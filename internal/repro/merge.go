package repro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"rvflplus/fault"
)

// cellFile is the form of the names that runner.name gives.
var cellFile = regexp.MustCompile(`^[^/\\]+-[0-9a-f]{16}\.json$`)

// Merge brings the finished trials of the folders from, which other machines have filled, into the folder cells. Of a
// cell that several folders have, the one with the most trials is kept, and of equally many the first. It returns notes
// on files that are not whole, which it passes over. Cells whose trials have other values in another folder are a
// fault.Data error, and a folder that cannot be read or written is a fault.Usage error: then nothing is merged.
func Merge(ctx context.Context, cells string, from []string) (notes []string, err error) {
	if err := checkFolder(cells, "cells"); err != nil {
		return nil, err
	}
	merged, changed := map[string]*found{}, map[string]bool{}
	for i, folder := range append([]string{cells}, from...) {
		names, err := cellsIn(folder)
		if i == 0 && errors.Is(err, fs.ErrNotExist) {
			err = nil // Merge makes the folder
		}
		if err != nil {
			return notes, err
		}
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				return notes, err
			}
			f := &found{path: filepath.Join(folder, name)}
			if !f.read(f.path) {
				notes = append(notes, fmt.Sprintf("%s is not a whole cell: passed over", f.path))
				continue
			}
			before := merged[name]
			if before == nil {
				merged[name], changed[name] = f, i > 0
				continue
			}
			if err := before.agrees(f); err != nil {
				return notes, err
			}
			if f.more(&before.kept) {
				merged[name], changed[name] = f, true
			}
		}
	}
	for name, f := range merged {
		if !changed[name] {
			continue
		}
		if err := f.write(ctx, filepath.Join(cells, name)); err != nil {
			return notes, err
		}
	}
	return notes, nil
}

// found is a cell and its file.
type found struct {
	kept
	path string
}

// cellsIn returns the names of the cells' files in a folder, in order.
func cellsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fault.New(fault.Usage, "%s: %w", fault.Name("merge"), err).
			WithHint("name a folder that a run on another machine filled with %s", fault.Name("cells"))
	}
	var names []string
	for _, e := range entries {
		if cellFile.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// agrees returns an error unless the trials that both cells have are the same but for their times.
func (f *found) agrees(other *found) error {
	differ := func(what string, here, there any) error {
		return fault.New(fault.Data, "%s and %s are the same cell, but %s is %v in one and %v in the other",
			f.path, other.path, what, here, there).
			WithHint("run the cell again: remove both files; the same program has the same values on every machine")
	}
	for i := range min(len(f.Trials), len(other.Trials)) {
		a, b := f.Trials[i], other.Trials[i]
		what := fmt.Sprintf("trial %d", i+1)
		switch {
		case a.Value != b.Value:
			return differ(what, a.Value, b.Value)
		case a.Score != b.Score:
			return differ("the score of "+what, a.Score, b.Score)
		case !bytes.Equal(mustMarshal(a.Config), mustMarshal(b.Config)):
			return differ("the setting of "+what, a.Settings, b.Settings)
		}
	}
	if f.Points != nil && other.Points != nil && !slices.Equal(f.Points, other.Points) {
		return differ("the figure", plural(len(f.Points), "point"), plural(len(other.Points), "other point"))
	}
	return nil
}

// more reports whether a cell has more than another: trials, points, or a longer limit that stopped it.
func (k *kept) more(other *kept) bool {
	switch {
	case len(k.Trials) != len(other.Trials):
		return len(k.Trials) > len(other.Trials)
	case len(k.Points) != len(other.Points):
		return len(k.Points) > len(other.Points)
	}
	return k.Limit > other.Limit && other.Stopped != ""
}
