package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"rvflplus/internal/registry"
)

func (a *app) listCommand() *cobra.Command {
	var l layoutFlags
	var paper bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the data sets that have names",
		Long: `List the public data sets that commands know as @NAME, and whether their files are
here. With --paper, show what tables 3 and 5 of the RVFL+ paper (and its section on
MNIST+) say of them, with every figure marked in which the data differ.`,
		Args: arguments(),
		RunE: func(c *cobra.Command, args []string) error {
			if paper {
				return a.listPaper()
			}
			return a.list(&l)
		},
	}
	l.addDataDir(c.Flags())
	c.Flags().BoolVar(&paper, "paper", false, "the paper's tables of data sets, compared with the data")
	return c
}

func (a *app) list(l *layoutFlags) error {
	folders, err := registry.Folders(l.dataDir)
	if err != nil {
		return err
	}
	all := []registry.Summary{}
	for _, e := range registry.Entries() {
		all = append(all, e.Summary(e.Available(folders)))
	}
	if a.json {
		return a.writeJSON(all)
	}
	t := a.newTable()
	t.AppendHeader(table.Row{"name", "rows", "normal", "privileged", "task", "here", "title"})
	t.SetColumnConfigs(append(numbersRight(2, 4),
		table.ColumnConfig{Number: 7, WidthMax: 50, WidthMaxEnforcer: text.WrapSoft}))
	for _, s := range all {
		task, here := count(s.Targets, "target"), "no"
		if s.Classes > 0 {
			task = count(s.Classes, "class")
		}
		if s.Available {
			here = "yes"
		}
		t.AppendRow(table.Row{s.Name, s.Rows, s.Features, s.Privileged, task, here, s.Title})
	}
	t.Render()
	_, err = fmt.Fprintf(a.stdout, `
Unless -p says otherwise, as many of the first features are normal; the others are privileged.
Looked for in %s.
`, strings.Join(folders, " and "))
	return err
}

type paperJSON struct {
	Table       int                   `json:"table"` // 0 is the section on MNIST+
	Problem     string                `json:"problem"`
	Name        string                `json:"name"`
	Paper       registry.Figures      `json:"paper"`
	Data        registry.Figures      `json:"data"`
	Differences []registry.Difference `json:"differences"`
	Remark      string                `json:"remark"`
}

func paperRow(r registry.PaperRow) paperJSON {
	differences := append([]registry.Difference{}, r.Differences()...) // never nil
	return paperJSON{r.Table, r.Problem, r.Entry, r.Figures, r.Data(), differences, r.Remark}
}

func (a *app) listPaper() error {
	var rows []paperJSON
	for _, r := range registry.Paper() {
		rows = append(rows, paperRow(r))
	}
	if a.json {
		return a.writeJSON(rows)
	}
	for i, section := range []struct {
		table int
		title string
	}{{0, "The paper's section on MNIST+"}, {3, "Table 3: classification"}, {5, "Table 5: regression"}} {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintln(a.stdout, section.title)
		a.printPaper(rows, section.table)
	}
	_, err := fmt.Fprint(a.stdout, "\n* The data differ from the paper.\n")
	return err
}

// printPaper writes the rows of one of the paper's tables. A figure that differs in the data is marked with a star.
func (a *app) printPaper(rows []paperJSON, number int) {
	t := a.newTable()
	t.AppendHeader(table.Row{"", "train", "validation", "test", "attributes", "normal", "privileged", "classes", ""})
	t.SetColumnConfigs(append(numbersRight(2, 8),
		table.ColumnConfig{Number: 9, WidthMax: 46, WidthMaxEnforcer: text.WrapSoft}))
	for _, r := range rows {
		if r.Table != number {
			continue
		}
		cells := table.Row{r.Problem + " (@" + r.Name + ")"}
		p, d := r.Paper, r.Data
		for _, c := range []struct{ paper, data int }{
			{p.Train, d.Train}, {p.Validation, d.Validation}, {p.Test, d.Test}, {p.Attributes, d.Attributes},
			{p.Normal, d.Normal}, {p.Privileged, d.Privileged}, {p.Classes, d.Classes},
		} {
			switch {
			case c.paper != c.data:
				cells = append(cells, fmt.Sprintf("%d (data %d)*", c.paper, c.data))
			case c.paper == 0:
				cells = append(cells, "")
			default:
				cells = append(cells, strconv.Itoa(c.paper))
			}
		}
		t.AppendRow(append(cells, r.Remark))
	}
	t.SuppressEmptyColumns()
	t.Render()
}
