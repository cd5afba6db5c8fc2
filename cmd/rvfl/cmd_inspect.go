package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"rvflplus/internal/memory"
	"rvflplus/internal/modelfile"
	"rvflplus/internal/namelist"
	"rvflplus/internal/pipeline"
)

func (a *app) inspectCommand() *cobra.Command {
	var plot string
	c := &cobra.Command{
		Use:   "inspect MODEL [--plot FILE]",
		Short: "Show what is in a model file",
		Long: `Show a model file's schema, configuration, training report and sizes. Model files
of LIBSVM (svm-train) are read too.

A model that training chose without -m, or with --width relevance, tells which columns
count: how much its answers change when a column always says its mean. --plot draws the
25 columns that count most. docs/relevance.md says how to read it.`,
		Example: `  rvfl inspect model.rvfl
  rvfl inspect model.rvfl --plot columns.svg`,
		Args: arguments("MODEL"),
		RunE: func(c *cobra.Command, args []string) error { return a.inspect(c.Context(), args[0], plot) },
	}
	c.Flags().StringVar(&plot, "plot", "", plotUsage("the columns that count"))
	return c
}

type inspectJSON struct {
	Model string `json:"model"`
	Bytes int64  `json:"bytes"`
	modelfile.Contents
}

func (a *app) inspect(ctx context.Context, path, plot string) error {
	if err := errors.Join(checkPicture(plot), checkOutput(plot, path)); err != nil {
		return err
	}
	m, contents, size, err := modelfile.Inspect(path)
	if err != nil {
		return err
	}
	if plot != "" {
		if err := drawColumnShares(ctx, plot, path, m); err != nil {
			return err
		}
	}
	if a.json {
		return a.writeJSON(inspectJSON{path, size, contents})
	}
	origin := "trained on " + describeRows(m)
	if m.Foreign() {
		origin = fmt.Sprintf("a model file of LIBSVM, %s", count(m.Report.SystemSize, "support vector"))
	}
	fmt.Fprintf(a.stdout, "%s: %s, %s, %s\n", path, m.Kind.Name, origin, describeColumns(m))
	a.section("Columns")
	a.printSchema(m)
	a.section("Configuration")
	a.printSettings(contents.Config)
	if m.Report.Outcome != nil {
		a.section("What training tried")
		a.printOutcome(m)
	}
	if !m.Foreign() {
		a.section("Training report")
		a.printFit(m)
		fmt.Fprintf(a.stdout, "  %s\n", describeSolution(m.Report))
		for _, warning := range m.Report.Warnings {
			fmt.Fprintf(a.stdout, "  warning: %s\n", printable(warning.String()))
		}
	}
	if m.Report.Columns != nil {
		a.section("Columns that count")
		a.printColumnShares(m)
	}
	a.section("Contents")
	t := a.newTable()
	t.AppendHeader(table.Row{"tensor", "shape", "size"})
	for _, tensor := range contents.Tensors {
		shape := strings.Trim(strings.ReplaceAll(fmt.Sprint(tensor.Shape), " ", " × "), "[]")
		t.AppendRow(table.Row{tensor.Name, shape, memory.Text(float64(tensor.Bytes))})
	}
	t.Render()
	fmt.Fprintf(a.stdout, "  file of %s, format version %s", memory.Text(float64(size)), contents.FormatVersion)
	if contents.SHA256 != "" {
		fmt.Fprintf(a.stdout, ", SHA-256 of the tensors %s", contents.SHA256)
	}
	_, err = fmt.Fprintln(a.stdout)
	return err
}

// printSchema writes the names that play a role in the model.
func (a *app) printSchema(m *pipeline.Model) {
	t := a.newTextTable()
	row := func(role string, names ...string) {
		if len(names) > 0 {
			t.AppendRow(table.Row{role, printable(namelist.Abbreviate(names))})
		}
	}
	row("target", m.Coder.Names...)
	row("classes", m.Coder.Classes...)
	row("normal", columnNames(m.Schema.Normal)...)
	row("privileged", columnNames(m.Schema.Privileged)...)
	if m.Schema.ID != "" {
		row("id", m.Schema.ID)
	}
	if m.Schema.Weight != "" {
		row("weight", m.Schema.Weight)
	}
	t.Render()
}

// columnNames lists columns and marks those of categories.
func columnNames(columns []pipeline.SchemaColumn) []string {
	var names []string
	for _, c := range columns {
		name := c.Name
		if c.Type == "categorical" {
			name += " (categories)"
		}
		names = append(names, name)
	}
	return names
}

// printSettings shows a flat JSON object of settings in its order.
func (a *app) printSettings(config json.RawMessage) {
	d := json.NewDecoder(bytes.NewReader(config))
	d.UseNumber()
	t := a.newTextTable()
	var key string
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		if _, isDelim := token.(json.Delim); isDelim {
			continue
		}
		if key == "" {
			key = fmt.Sprint(token)
			continue
		}
		t.AppendRow(table.Row{key, fmt.Sprint(token)})
		key = ""
	}
	t.Render()
}
