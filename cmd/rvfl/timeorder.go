package main

import (
	"context"
	"slices"

	"rvflplus/dataset"
	"rvflplus/internal/celltext"
	"rvflplus/internal/pipeline"
)

// warnOfTime warns where rows that look ordered in time are to be divided at random.
func (w *rewriting) warnOfTime(ctx context.Context, a *app) error {
	names := dataset.FieldNames(w.source.Fields())
	read := skipAll(len(names))
	for i, f := range w.outline.Fields {
		if datesInOrder(f.Levels) {
			read[i] = dataset.Auto
		}
	}
	if !slices.Contains(read, dataset.Auto) {
		return nil
	}
	if err := w.file.Reopen(ctx); err != nil {
		return err
	}
	table, err := dataset.Collect(ctx, w.source, read)
	if err != nil {
		return err
	}
	if name := pipeline.OrderedInTime(table); name != "" {
		text := "the rows are sorted by time (column " + name + ") and are divided at random: training rows will be " +
			"later than test rows; --ordered keeps the order, and so does --time " + quoted(printable(name))
		a.say("warning", text)
		a.notes = append(a.notes, text)
	}
	return nil
}

// datesInOrder reports whether categories, in the order in which they first occur, are ascending or descending dates.
func datesInOrder(levels []string) bool {
	up, down := len(levels) > 1, len(levels) > 1
	last := 0.0
	for i, level := range levels {
		at, ok := celltext.ISOTime(level)
		if !ok {
			return false
		}
		day := dataset.Day(at)
		up, down = up && (i == 0 || day > last), down && (i == 0 || day < last)
		last = day
	}
	return up || down
}
