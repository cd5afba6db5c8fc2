package main

import (
	"encoding/json"
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
	return &cobra.Command{
		Use:   "inspect MODEL",
		Short: "Show what is in a model file",
		Long: `Show a model file's schema, configuration, training report and sizes. Model files
of LIBSVM (svm-train) are read too.`,
		Args: arguments("MODEL"),
		RunE: func(c *cobra.Command, args []string) error { return a.inspect(args[0]) },
	}
}

type inspectJSON struct {
	Model string `json:"model"`
	Bytes int64  `json:"bytes"`
	modelfile.Contents
}

func (a *app) inspect(path string) error {
	m, contents, size, err := modelfile.Inspect(path)
	if err != nil {
		return err
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
	if !m.Foreign() {
		a.section("Training report")
		a.printReport(m)
	}
	a.section("Contents")
	a.printTensors(contents, size)
	return nil
}

func (a *app) section(name string) { fmt.Fprintf(a.stdout, "\n%s\n", name) }

func (a *app) printSchema(m *pipeline.Model) {
	t := a.newTable()
	leftAligned(t)
	row := func(role string, names []string) {
		if len(names) > 0 {
			t.AppendRow(table.Row{role, printable(namelist.Abbreviate(names))})
		}
	}
	row("target", m.Coder.Names)
	row("classes", m.Coder.Classes)
	row("normal", columnNames(m.Schema.Normal))
	row("privileged", columnNames(m.Schema.Privileged))
	if m.Schema.ID != "" {
		row("id", []string{m.Schema.ID})
	}
	if m.Schema.Weight != "" {
		row("weight", []string{m.Schema.Weight})
	}
	t.Render()
}

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

func leftAligned(t table.Writer) { t.SetColumnConfigs(nil) }

// printSettings shows the configuration in the order of its JSON.
func (a *app) printSettings(config json.RawMessage) {
	d := json.NewDecoder(strings.NewReader(string(config)))
	d.UseNumber()
	t := a.newTable()
	leftAligned(t)
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

func (a *app) printReport(m *pipeline.Model) {
	rows := []scoredRow{{"training rows", m.Report.Train.Metrics}}
	if m.Report.LeaveOneOut != nil {
		rows = append(rows, scoredRow{"leave-one-out", m.Report.LeaveOneOut.Metrics})
	}
	a.printScores(rows)
	fmt.Fprintf(a.stdout, "  %s\n", describeSolution(m.Report))
	for _, warning := range m.Report.Warnings {
		fmt.Fprintf(a.stdout, "  warning: %s\n", printable(warning.String()))
	}
}

func (a *app) printTensors(c modelfile.Contents, size int64) {
	t := a.newTable()
	t.AppendHeader(table.Row{"tensor", "shape", "size"})
	for _, tensor := range c.Tensors {
		t.AppendRow(table.Row{tensor.Name, strings.Trim(strings.ReplaceAll(fmt.Sprint(tensor.Shape), " ", " × "), "[]"), memory.Text(float64(tensor.Bytes))})
	}
	t.Render()
	fmt.Fprintf(a.stdout, "  file of %s, format version %s", memory.Text(float64(size)), c.FormatVersion)
	if c.SHA256 != "" {
		fmt.Fprintf(a.stdout, ", SHA-256 of the tensors %s", c.SHA256)
	}
	fmt.Fprintln(a.stdout)
}
