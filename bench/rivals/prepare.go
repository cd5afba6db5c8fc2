package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/internal/registry"
	"rvflplus/internal/split"
)

// description is what every method reads beside a table's CSV file: the same rows, by the same numbers, for all.
type description struct {
	Name    string   `json:"name"`
	Task    string   `json:"task"`
	Targets []string `json:"targets"` // names of columns; all others are features
	About   about    `json:"about"`
	Splits  []rows   `json:"splits"`
}

// rows are the row numbers of a split, from 0.
type rows struct {
	Data  string `json:"data"` // fingerprint of the table and the rows: results of other rows are refused
	Train []int  `json:"train"`
	Test  []int  `json:"test"`
}

// prepare writes NAME.csv and NAME.json of every table into the folder, where they are not there yet.
func (b *bench) prepare(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(b.folder, cellFolder), 0o755); err != nil {
		return err
	}
	if err := b.writeOwn(ctx); err != nil {
		return err
	}
	folders, err := registry.Folders("")
	if err != nil {
		return err
	}
	loader := registry.Loader{Folders: folders}
	for _, t := range b.tables {
		if err := b.prepareTable(ctx, t, loader); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// writeOwn has scikit-learn write the tables that are not of the registry.
func (b *bench) writeOwn(ctx context.Context) error {
	var missing []string
	for _, t := range b.tables {
		if _, err := os.Stat(b.path(t.name + ".csv")); t.entry == "" && errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, t.name)
		}
	}
	if missing == nil {
		return nil
	}
	return b.runPython(ctx, append([]string{"own"}, missing...)...)
}

func (b *bench) prepareTable(ctx context.Context, t table, loader registry.Loader) error {
	targets := []string{"target"} // of tables that scikit-learn wrote
	if t.entry != "" {
		e, _, err := registry.Find(t.entry)
		if err != nil {
			return err
		}
		if targets = e.Targets; t.target == "first" {
			targets = targets[:1]
		}
		if err := b.writeEntry(ctx, t, e, targets, loader); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(b.path(t.name + ".csv"))
	if err != nil {
		return err
	}
	d := description{Name: t.name, Task: t.task, Targets: targets}
	if d.About, err = b.about(ctx, d); err != nil {
		return err
	}
	for s := range t.splits() {
		drawn, err := t.rows(s, d.About.Rows)
		if err != nil {
			return err
		}
		d.Splits = append(d.Splits, rows{Data: fingerprint(text, drawn), Train: drawn.Train, Test: drawn.Test})
	}
	return writeJSON(ctx, b.path(t.name+".json"), d)
}

// writeEntry writes the columns of a registry's entry that t has, unless the file is there.
func (b *bench) writeEntry(
	ctx context.Context, t table, e registry.Entry, targets []string, loader registry.Loader,
) error {
	path := b.path(t.name + ".csv")
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if t.raw {
		e.Group = nil
	}
	features := e.Features
	if t.normal {
		features = features[:e.Normal]
	}
	var blocks []*dataset.Table
	for _, part := range t.partNames() {
		set, err := loader.Load(ctx, e, part)
		if err != nil {
			return err
		}
		block := &dataset.Table{Rows: set.Table.Rows}
		for _, name := range slices.Concat(features, targets) {
			block.Columns = append(block.Columns, *set.Table.Find(name))
		}
		blocks = append(blocks, block)
	}
	all := func(yield func(*dataset.Table, error) bool) {
		for _, block := range blocks {
			if !yield(block, nil) {
				return
			}
		}
	}
	return tablefile.Write(ctx, path, blocks[0].Outline(), all, tablefile.WriteOptions{})
}

// about counts rows and columns of a table that was written.
func (b *bench) about(ctx context.Context, d description) (about, error) {
	all, err := b.table(ctx, d.Name)
	if err != nil {
		return about{}, err
	}
	a := about{Name: d.Name, Rows: all.Rows, Features: len(all.Columns) - len(d.Targets), Targets: len(d.Targets)}
	if d.Task == classification {
		classes := map[string]bool{}
		for i, target := 0, all.Find(d.Targets[0]); i < all.Rows; i++ {
			classes[target.Text(i)] = true
		}
		a.Classes = len(classes)
	}
	return a, nil
}

// table reads a table that was written.
func (b *bench) table(ctx context.Context, name string) (*dataset.Table, error) {
	file, err := tablefile.Open(ctx, b.path(name+".csv"), tablefile.Options{})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return dataset.Collect(ctx, file, make([]dataset.ReadAs, len(file.Fields())))
}

// fingerprint tells a table and a split of it from others.
func fingerprint(table []byte, s split.Split) string {
	h := sha256.New()
	h.Write(table)
	fmt.Fprint(h, s.Train, s.Test)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func (b *bench) path(name string) string { return filepath.Join(b.folder, name) }
