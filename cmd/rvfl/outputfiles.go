package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/postgres"
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

// checkPlot refuses a plot, before long work, whose name does not end in .svg. "" is no plot.
func checkPlot(plot string) error {
	if plot != "" && filepath.Ext(plot) != ".svg" {
		return fault.New(fault.Usage, "--plot %s: only .svg files are drawn", plot).
			WithHint("give it a name that ends in .svg")
	}
	return nil
}

// checkPicture refuses, before long work, a picture whose name ends neither in .svg nor in .png. "" is no picture.
func checkPicture(path string) error {
	if ext := filepath.Ext(path); path != "" && ext != ".svg" && ext != ".png" {
		return fault.New(fault.Usage, "--plot %s: only .svg and .png files are drawn", path).
			WithHint("give it a name that ends in .svg or .png")
	}
	return nil
}

// picture is what can be drawn in either format.
type picture interface {
	WriteSVG(w io.Writer) error
	WritePNG(w io.Writer) error
}

// writePicture draws to a file in the format that its name ends in.
func writePicture(ctx context.Context, path string, p picture) error {
	write := p.WriteSVG
	if filepath.Ext(path) == ".png" {
		write = p.WritePNG
	}
	return atomicfile.Write(ctx, path, write)
}
