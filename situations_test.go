package rvflplus

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
	"rvflplus/internal/pipeline"
)

// situation is an entry of testdata/situations.txt.
type situation struct {
	title, text string
	options     CSVOptions
	read        map[string]string // the cells of each column
	notes       []string
	later       [][3]string // column, cell, what it is
	err, hint   string
}

// The table of files as people have them is what the reader does.
func TestSituations(t *testing.T) {
	all := situations(t)
	if len(all) < 40 {
		t.Fatalf("only %d situations", len(all))
	}
	for _, s := range all {
		t.Run(s.title, s.check)
	}
}

func situations(t *testing.T) (all []*situation) {
	t.Helper()
	data, err := os.ReadFile("testdata/situations.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range strings.Split(string(data), "\n== ")[1:] {
		title, body, _ := strings.Cut(entry, "\n")
		s := &situation{title: title, read: map[string]string{}, options: CSVOptions{Name: "t.csv"}}
		for line := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
			s.add(t, line)
		}
		all = append(all, s)
	}
	return all
}

// add takes a line of an entry.
func (s *situation) add(t *testing.T, line string) {
	t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	name, value, _ := strings.Cut(rest, ": ")
	switch word {
	case "with":
		option, value, _ := strings.Cut(rest, "=")
		switch option {
		case "na":
			s.options.Cells.Missing = celltext.ParseMarkers(value)
		case "decimal":
			s.options.Cells.Decimal = value
		case "date-format":
			s.options.Cells.DateFormat = value
		case "sep":
			s.options.Separator = value
		default:
			t.Fatalf("%s: no option is called %q", s.title, option)
		}
	case "read":
		s.read[name] = value
	case "later":
		cell, is, _ := strings.Cut(value, " is ")
		s.later = append(s.later, [3]string{name, cell, is})
	case "note:":
		s.notes = append(s.notes, rest)
	case "error:":
		s.err = rest
	case "hint:":
		s.hint = rest
	default:
		s.text += line + "\n"
	}
}

func (s *situation) check(t *testing.T) {
	table, err := ReadCSV(context.Background(), strings.NewReader(s.text), s.options)
	if s.err != "" {
		if err == nil || !strings.HasPrefix(err.Error(), s.err) || !strings.Contains(fault.HintOf(err), s.hint) {
			t.Errorf("error %v\nhint %q", err, fault.HintOf(err))
		}
		return
	}
	if err != nil {
		t.Fatalf("%v\nhint %q", err, fault.HintOf(err))
	}
	if len(s.read) != len(table.Names()) {
		t.Errorf("columns %q", table.Names())
	}
	for name, want := range s.read {
		if got := cells(table.t.Find(name)); got != want {
			t.Errorf("column %q is %s", name, got)
		}
	}
	said := pipeline.Assumed(table.t)
	for _, note := range s.notes {
		if !strings.Contains(said, note) {
			t.Errorf("the note is %q", said)
		}
	}
	if said != "" && s.title == "plain numbers" {
		t.Errorf("said of plain numbers: %q", said)
	}
	for _, later := range s.later {
		if got := s.readLater(t, table, later[0], later[1]); got != later[2] {
			t.Errorf("later %s: %s is %s", later[0], later[1], got)
		}
	}
}

// cells writes the cells of a column as the table of situations does.
func cells(c *dataset.Column) string {
	var out []string
	for i := range max(len(c.Numbers), len(c.Codes)) {
		switch {
		case c.Missing(i):
			out = append(out, "-")
		case c.Numeric():
			out = append(out, decimal(c.Numbers[i]))
		default:
			out = append(out, strconv.Quote(c.Text(i)))
		}
	}
	return strings.Join(out, " ")
}

// readLater reads a cell of a later table by the model: alone in a file, whatever the file alone would be taken for,
// and as a cell that is read as a category. Both must agree.
func (s *situation) readLater(t *testing.T, trained *Table, name, cell string) string {
	t.Helper()
	reading := pipeline.SchemaColumn{Name: name, Type: "numeric", Reading: trained.t.Find(name).Reading}.ReadBy()
	missing := dataset.Cells{Missing: s.options.Cells.Missing}
	is := func(c *dataset.Column, err error) string {
		switch {
		case err != nil:
			return "an error"
		case math.IsNaN(c.Numbers[0]):
			return "missing"
		}
		return decimal(c.Numbers[0])
	}
	open := func() dataset.Source {
		r, err := csv.NewReader(strings.NewReader(fmt.Sprintf("%q\n%q\n", name, cell)),
			csv.Options{Name: "later.csv", Missing: missing.Missing})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	var file, category string
	later, err := dataset.Read(context.Background(), open(), make([]dataset.ReadAs, 1), missing,
		[]*dataset.Reading{reading})
	if err != nil {
		file = is(nil, err)
	} else {
		file = is(later.Find(name), nil)
	}
	later, err = dataset.Read(context.Background(), open(), []dataset.ReadAs{dataset.Categorical}, missing, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := later.Find(name)
	category = is(c, c.ReadBy(reading, missing.Missing))
	if file != category {
		return file + " or " + category
	}
	return file
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
