package repro

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteMarkdown writes the result as a Markdown page, with the command line that made it unless command is "".
func (r *Result) WriteMarkdown(w io.Writer, command string) error {
	out := bufio.NewWriter(w)
	d := r.document()
	fmt.Fprintf(out, "# %s\n", escaped(d.Title))
	if command != "" {
		fmt.Fprintf(out, "\n```sh\n%s\n```\n", command)
	}
	if len(d.Run) > 0 {
		fmt.Fprintf(out, "\n%s\n", escaped(strings.Join(d.Run, " ")))
	}
	markdownList(out, "Findings", d.Findings)
	for i := range d.Sections {
		d.Sections[i].markdown(out)
	}
	if d.Legend != "" {
		fmt.Fprintf(out, "\n%s\n", escaped(d.Legend))
	}
	return out.Flush()
}

func (s *section) markdown(out io.Writer) {
	if s.Heading != "" {
		fmt.Fprintf(out, "\n## %s\n", escaped(s.Heading))
	}
	for _, text := range s.Text {
		fmt.Fprintf(out, "\n%s\n", escaped(text))
	}
	s.Table.markdown(out)
	for _, l := range s.Lists {
		markdownList(out, l.Heading, l.Items)
	}
}

func markdownList(out io.Writer, heading string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n\n", escaped(heading))
	for _, item := range items {
		fmt.Fprintf(out, "- %s\n", escaped(item))
	}
}

// markdown writes names to the left and numbers to the right, lines of a slot one below
// the other.
func (t *table) markdown(out io.Writer) {
	head, rule := "\n|", "|"
	for i, name := range t.Head {
		head += " " + escaped(name) + " |"
		if i < t.Names {
			rule += "---|"
		} else {
			rule += "---:|"
		}
	}
	fmt.Fprintf(out, "%s\n%s\n", head, rule)
	for _, row := range t.Rows {
		line := "|"
		for _, s := range row {
			line += " " + s.markdown() + " |"
		}
		fmt.Fprintln(out, line)
	}
}

func (s *slot) markdown() string {
	lines := slices.Clone(s.Lines)
	for i := range lines {
		lines[i] = escaped(lines[i])
	}
	if s.Best {
		lines[0] = "**" + lines[0] + "**"
	}
	return strings.Join(lines, "<br>")
}

var markdownEscapes = strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "\n", " ")

func escaped(text string) string { return markdownEscapes.Replace(text) }
