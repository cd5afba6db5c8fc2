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
				return fault.New(fault.Usage, "%s: the argument NAME is missing", c.CommandPath()).
					WithHint("rvfl data list shows the names")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.fetch(c.Context(), args, &l) },
	}
	l.addDataDir(c.Flags())
	completeNames(c, false)
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
	f := fetching{to: l.dataDir}
	var err error
	if f.to == "" {
		if f.to, err = fetch.Cache(); err != nil {
			return err
		}
	} else if err := os.MkdirAll(f.to, 0o777); err != nil {
		return fault.New(fault.Usage, "cannot make the folder %s: %w", f.to, errors.Unwrap(err))
	}
	if f.folders, err = registry.Folders(l.dataDir); err != nil {
		return err
	}
	var end func()
	f.progress, end = a.progress()
	err = f.all(ctx, entries)
	end()
	if err != nil {
		return err
	}
	a.note(f.notes...)
	if a.json {
		return a.writeJSON(f.done)
	}
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

// fetching is one run of data fetch.
type fetching struct {
	to       string   // folder of the downloads
	folders  []string // where data sets are looked for
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

// all fetches the files of data sets that are not there and right.
func (f *fetching) all(ctx context.Context, entries []registry.Entry) error {
	for _, e := range entries {
		result := fetchJSON{Name: e.Name}
		for _, file := range e.Files() {
			var path string
			here := e.Check(ctx, file, f.folders) == nil
			if here {
				path, _ = file.Locate(f.folders)
			} else {
				download := file.Download(f.to)
				path = download.Path
				client := fetch.Client{Progress: func(done, total int64) {
					if total > 0 && f.progress != nil {
						f.progress(filepath.Base(path), int(done), int(total))
					}
				}}
				if err := client.Fetch(ctx, download); err != nil {
					return err
				}
				if err := e.Check(ctx, file, f.folders); err != nil {
					f.notes = append(f.notes,
						fmt.Sprintf("%s is there now, but another file comes before it: %v", path, err))
				}
			}
			info, err := os.Stat(path)
			if err != nil {
				return fault.New(fault.Data, "%w", err)
			}
			result.Files = append(result.Files, fetchedFileJSON{path, info.Size(), !here})
		}
		f.done = append(f.done, result)
	}
	return nil
}
