package repro

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// narrowest is the least width that text is laid out for.
const narrowest = 60

// WriteText writes the result for a terminal that is width characters wide. Columns that do not fit stand in a table of
// their own below.
func (r *Result) WriteText(w io.Writer, width int) error {
	width = max(width, narrowest)
	out := bufio.NewWriter(w)
	d := r.document()
	wrapped(out, "", d.Title, width)
	for i := range d.Sections {
		s := &d.Sections[i]
		if s.Heading != "" {
			fmt.Fprintf(out, "\n%s\n", s.Heading)
		}
		for _, text := range s.Text {
			wrapped(out, "", text, width)
		}
		s.Table.text(out, width)
		for _, l := range s.Lists {
			textList(out, l.Heading, l.Items, width)
		}
	}
	textList(out, "Findings", d.Findings, width)
	for i, text := range append(d.Run, d.Legend) {
		if i == 0 && text != "" {
			fmt.Fprintln(out)
		}
		wrapped(out, "", text, width)
	}
	return out.Flush()
}

func textList(out io.Writer, heading string, items []string, width int) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n", heading)
	for _, item := range items {
		wrapped(out, "- ", item, width)
	}
}

// wrapped writes text in lines of at most width characters. Lines after the first are indented as far as the prefix.
func wrapped(out io.Writer, prefix, text string, width int) {
	line, indent := prefix, strings.Repeat(" ", len(prefix))
	some := false
	for _, word := range strings.Fields(text) {
		if some && runes(line)+1+runes(word) > width {
			fmt.Fprintln(out, line)
			line, some = indent, false
		}
		if some {
			line += " "
		}
		line, some = line+word, true
	}
	if some {
		fmt.Fprintln(out, line)
	}
}

func runes(s string) int { return utf8.RuneCountInString(s) }

// apart is the distance of columns.
const apart = 2

// text writes the table in parts that fit the width, each with the names.
func (t *table) text(out io.Writer, width int) {
	widths := t.widths()
	names := 0
	for _, w := range widths[:t.Names] {
		names += w + apart
	}
	for from := t.Names; from < len(widths); {
		to, used := from, names
		for to < len(widths) && (to == from || used+widths[to]+apart <= width) {
			used += widths[to] + apart
			to++
		}
		t.part(out, widths, from, to)
		from = to
	}
}

// widths returns the width of every column; heads of two words may take two lines.
func (t *table) widths() []int {
	widths := make([]int, len(t.Head))
	for i, name := range t.Head {
		for _, word := range headLines(name) {
			widths[i] = max(widths[i], runes(word))
		}
		for _, row := range t.Rows {
			for k, line := range row[i].Lines {
				widths[i] = max(widths[i], runes(row[i].shown(k, line)))
			}
		}
	}
	return widths
}

// headLines divides a name at its comma, or the head of a column at its last blank.
func headLines(name string) []string {
	if lines := nameLines(name); len(lines) > 1 {
		return lines
	}
	if i := strings.LastIndex(name, " "); i > 0 {
		return []string{name[:i], name[i+1:]}
	}
	return []string{name}
}

// nameLines divides a name at its comma.
func nameLines(name string) []string {
	if before, after, found := strings.Cut(name, ", "); found {
		return []string{before + ",", after}
	}
	return []string{name}
}

// shown is a line of a slot with the mark of the best.
func (s *slot) shown(line int, text string) string {
	if s.Best && line == 0 {
		return "*" + text
	}
	return text
}

// part writes the columns of names and those from one to before another.
func (t *table) part(out io.Writer, widths []int, from, to int) {
	heads := make([]slot, len(t.Head))
	for i, name := range t.Head {
		heads[i].Lines = headLines(name)
	}
	fmt.Fprintln(out)
	t.row(out, heads, widths, from, to)
	for _, row := range t.Rows {
		t.row(out, row, widths, from, to)
	}
}

func (t *table) row(out io.Writer, row []slot, widths []int, from, to int) {
	height := 0
	var shown []int
	for i, s := range row {
		if i < t.Names || i >= from && i < to {
			shown, height = append(shown, i), max(height, len(s.Lines))
		}
	}
	for k := range height {
		line := ""
		for _, i := range shown {
			text := ""
			if k < len(row[i].Lines) {
				text = row[i].shown(k, row[i].Lines[k])
			}
			blanks := strings.Repeat(" ", widths[i]-runes(text))
			if i < t.Names {
				line += text + blanks + strings.Repeat(" ", apart)
			} else {
				line += blanks + text + strings.Repeat(" ", apart)
			}
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
}
