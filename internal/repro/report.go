package repro

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/report"
)

// PageName is the page in the folder of a report.
const PageName = "index.html"

// WriteReport writes one page of all results to a folder, which is made if it is not there, and for each result
// NAME.md, NAME.json, NAME.csv and NAME.svg. The pictures are also written in the formats of further endings (see
// report.Endings). command is the command line that made the results; their Run notes it. A
// folder that cannot be made or written to is a fault.Usage error, a full disk fault.Resource.
func WriteReport(ctx context.Context, dir, command string, results []*Result, further ...string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fault.New(fault.Usage, "%s: %w", fault.Name("report"), err)
	}
	for _, r := range results {
		r.Run.Command = command
		if err := r.writeFiles(ctx, filepath.Join(dir, r.Experiment.Name), command, further); err != nil {
			return err
		}
	}
	return atomicfile.Write(ctx, filepath.Join(dir, PageName), func(w io.Writer) error { return WritePage(w, results) })
}

// CheckReport returns the error that WriteReport would give because of where the folder is: before long work, not
// after it. Nothing is made.
func CheckReport(dir string) error { return checkFolder(dir, "report") }

// checkFolder returns an error if dir, the value of a parameter, is no folder and cannot be made one, or cannot be
// written to.
func checkFolder(dir string, parameter fault.Name) error {
	there := filepath.Clean(dir)
	for {
		info, err := os.Stat(there)
		if err == nil && !info.IsDir() {
			return fault.New(fault.Usage, "%s: %s is no folder", parameter, there).
				WithHint("name another with %s", parameter)
		}
		if up := filepath.Dir(there); errors.Is(err, fs.ErrNotExist) && up != there {
			there = up
			continue
		}
		err = atomicfile.Check(filepath.Join(there, PageName))
		if err == nil {
			return nil
		}
		k := fault.Usage
		if errors.Is(err, fault.Resource) {
			k = fault.Resource
		}
		return fault.New(k, "%s: %w", parameter, err).WithHint("%s", fault.HintText(err))
	}
}

// writeFiles writes a result to files whose names begin as said.
func (r *Result) writeFiles(ctx context.Context, name, command string, further []string) error {
	for ending, write := range map[string]func(io.Writer) error{
		".md": func(w io.Writer) error { return r.WriteMarkdown(w, command) }, ".json": r.writeJSON, ".csv": r.WriteCSV,
	} {
		if err := atomicfile.Write(ctx, name+ending, write); err != nil {
			return err
		}
	}
	for _, p := range r.pictures() {
		for _, ending := range append([]string{".svg"}, further...) {
			write := func(w io.Writer) error { return report.Write(w, ending, p.drawing) }
			if err := atomicfile.Write(ctx, name+p.suffix(ending), write); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Result) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	return e.Encode(r)
}
