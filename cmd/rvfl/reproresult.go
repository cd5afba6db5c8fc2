package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"rvflplus/internal/repro"
)

// showResults writes the results of rvfl repro: the report, if one is asked for, and
// JSON (an array for several results) or text.
func (a *app) showResults(c *cobra.Command, args []string, results []*repro.Result, report string) error {
	if report != "" {
		if err := repro.WriteReport(c.Context(), report, commandLine(c, args), results); err != nil {
			return err
		}
	}
	switch {
	case a.json && len(results) == 1:
		return a.writeJSON(results[0])
	case a.json:
		return a.writeJSON(results)
	}
	for i, r := range results {
		if i > 0 {
			_, _ = a.stdout.Write([]byte("\n"))
		}
		if err := r.WriteText(a.stdout, a.width()); err != nil {
			return err
		}
	}
	if report != "" {
		_, _ = a.stdout.Write([]byte("\nReport: " + filepath.ToSlash(filepath.Join(report, repro.PageName)) + "\n"))
	}
	return nil
}

// usualWidth is for output that is no terminal.
const usualWidth = 100

// width returns how many characters fit on a line of standard output.
func (a *app) width() int {
	if f, ok := a.stdout.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			return width
		}
	}
	return usualWidth
}

// elsewhere are flags that do not change the numbers.
var elsewhere = []string{"cells", "data-dir", "fresh", "json", "report", "threads"}

// commandLine spells the command with the flags that its numbers depend on.
func commandLine(c *cobra.Command, args []string) string {
	words := append([]string{c.CommandPath()}, args...)
	c.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(elsewhere, f.Name) {
			return
		}
		if f.Value.Type() == "bool" && f.Value.String() == "true" {
			words = append(words, "--"+f.Name)
			return
		}
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+f.Name, quoted(value))
		}
	})
	return strings.Join(words, " ")
}

// quoted returns an argument as a shell takes it.
func quoted(value string) string {
	if value != "" && strings.Trim(value, plain) == "" {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// plain are the characters that no shell gives a meaning.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,.:/_@+-"
