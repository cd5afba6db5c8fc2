package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/postgres"
	"rvflplus/internal/report"
)

// checkOutput refuses, before long work, an output file that cannot be written or is one of the inputs. "" is no file.
func checkOutput(output string, inputs ...string) error {
	switch output {
	case "":
		return nil
	case "-":
		return fault.New(fault.Usage, "this is not written to standard output (-)").
			WithHint("name a file to write; one called - is ./-")
	}
	if err := noDatabase(output); err != nil {
		return err
	}
	if info, err := os.Stat(output); err == nil {
		for _, input := range inputs {
			if other, err := os.Stat(input); err == nil && os.SameFile(info, other) {
				return fault.New(fault.Usage, "writing %s would overwrite the input %s", output, input).
					WithHint("give another file name")
			}
		}
	}
	return atomicfile.Check(output)
}

// noDatabase refuses the URL of a database as a file to write.
func noDatabase(output string) error {
	if !postgres.IsURL(output) {
		return nil
	}
	return fault.New(fault.Usage, "%s: only rvfl predict writes to a database", output).
		WithHint("name a file to write; psql's \\copy reads CSV files")
}

// distinctOutputs refuses a file that is named twice to be written, however it is spelt: the last would win. "" is no
// file.
func distinctOutputs(outputs ...string) error {
	for i, output := range outputs {
		for _, other := range outputs[:i] {
			if output != "" && other != "" && atomicfile.Same(output, other) {
				return fault.New(fault.Usage, "%s is named twice as a file to write, also as %s", output, other).
					WithHint("give another file name")
			}
		}
	}
	return nil
}

// checkPicture refuses, before long work, a picture whose name does not end in the name of a format. "" is no picture.
func checkPicture(path string) error {
	if path == "" || report.Known(filepath.Ext(path)) {
		return nil
	}
	endings := "one of " + strings.Join(report.Endings(), ", ")
	return fault.New(fault.Usage, "--plot %s: the name of a picture ends in %s", path, endings).
		WithHint("give it a name that ends in %s", endings)
}

// writePicture draws to a file in the format that its name ends in.
func writePicture(ctx context.Context, path string, d report.Drawing) error {
	return atomicfile.Write(ctx, path, func(w io.Writer) error { return report.Write(w, filepath.Ext(path), d) })
}

// plotUsage says what --plot draws.
func plotUsage(what string) string {
	return "picture to write, in the format of its ending (" + strings.Join(report.Endings(), ", ") + "): " + what
}
