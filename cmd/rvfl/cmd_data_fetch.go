package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"rvflplus/fault"
	"rvflplus/internal/fetch"
	"rvflplus/internal/memory"
	"rvflplus/internal/registry"
	"rvflplus/learn"
)

func (a *app) fetchCommand() *cobra.Command {
	var l layoutFlags
	c := &cobra.Command{
		Use:   "fetch NAME...",
		Short: "Download data sets from their publishers",
		Long: `Download data sets into the download cache, or into --data-dir, and check that they
are the published files. Files that are there and right are kept. A transfer that
breaks off goes on where it stopped, also in a later call.`,
		Example: `  rvfl data fetch iris wine
  rvfl data fetch scm20d --data-dir ~/datasets`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fault.New(fault.Usage, "%s: the argument NAME is missing", c.CommandPath()).WithHint("rvfl data list shows the names")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := noEmptyNames(c); err != nil {
				return err
			}
			return a.fetch(c.Context(), args, &l)
		},
	}
	l.addDataDir(c.Flags())
	return c
}

func (a *app) fetch(ctx context.Context, names []string, l *layoutFlags) error {
	var entries []registry.Entry
	for _, name := range names {
		e, _, err := registry.Find(strings.TrimPrefix(name, "@"))
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	to, err := l.downloads()
	if err != nil {
		return err
	}
	progress, end := a.progress()
	f := fetching{to: to, progress: progress}
	if f.folders, err = registry.Folders(l.dataDir); err == nil {
		err = f.all(ctx, entries)
	}
	end()
	if err != nil {
		return err
	}
	a.note(f.notes...)
	if a.json {
		return a.writeJSON(f.done)
	}
	return f.print(a)
}

// downloads returns where downloads go: a folder that is made if need be.
func (l *layoutFlags) downloads() (string, error) {
	if l.dataDir == "" {
		return fetch.Cache()
	}
	if err := os.MkdirAll(l.dataDir, 0o777); err != nil {
		return "", fault.New(fault.Usage, "cannot make the folder %s: %w", l.dataDir, errors.Unwrap(err))
	}
	return l.dataDir, nil
}

// fetching is one run of data fetch.
type fetching struct {
	to       string
	folders  []string
	progress learn.Progress
	done     []fetchJSON
	notes    []string
}

type fetchJSON struct {
	Name  string            `json:"name"`
	Files []fetchedFileJSON `json:"files"`
}

type fetchedFileJSON struct {
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Fetched bool   `json:"fetched"` // false: it was there
}

func (f *fetching) all(ctx context.Context, entries []registry.Entry) error {
	for _, e := range entries {
		result := fetchJSON{Name: e.Name}
		for _, file := range e.Files() {
			got, err := f.one(ctx, e, file)
			if err != nil {
				return err
			}
			result.Files = append(result.Files, got)
		}
		f.done = append(f.done, result)
	}
	return nil
}

func (f *fetching) one(ctx context.Context, e registry.Entry, file registry.File) (fetchedFileJSON, error) {
	if e.Check(ctx, file, f.folders) == nil {
		path, _ := file.Locate(f.folders)
		return described(path, false)
	}
	download := file.Download(f.to)
	name := filepath.Base(download.Path)
	client := fetch.Client{Progress: func(done, total int64) {
		if total > 0 && f.progress != nil {
			f.progress(name, int(done), int(total))
		}
	}}
	if err := client.Fetch(ctx, download); err != nil {
		return fetchedFileJSON{}, err
	}
	if err := e.Check(ctx, file, f.folders); err != nil {
		f.notes = append(f.notes, fmt.Sprintf("%s is there now, but another file comes before it: %v", download.Path, err))
	}
	return described(download.Path, true)
}

func described(path string, fetched bool) (fetchedFileJSON, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fetchedFileJSON{}, fault.New(fault.Data, "%w", err)
	}
	return fetchedFileJSON{path, info.Size(), fetched}, nil
}

func (f *fetching) print(a *app) error {
	var err error
	for _, e := range f.done {
		for _, file := range e.Files {
			how := "was there"
			if file.Fetched {
				how = "fetched"
			}
			_, err = fmt.Fprintf(a.stdout, "%s: %s %s (%s)\n", e.Name, file.Path, how, memory.Text(float64(file.Bytes)))
		}
	}
	return err
}
