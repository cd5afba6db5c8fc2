package arff

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Write writes a table as dense ARFF text: numeric columns as numeric attributes, categorical columns as nominal
// attributes with all their levels, in order. It is read back as the same table, bit for bit. relation is the table's
// name, "table" if empty; a name that ends in ": -C -2" marks the last two columns as targets for MEKA and
// Reader.Targets.
func Write(ctx context.Context, w io.Writer, outline dataset.Outline, blocks dataset.Blocks, relation string) error {
	if relation == "" {
		relation = "table"
	}
	out := &writer{w: bufio.NewWriterSize(w, 1<<16), fields: outline.Fields}
	if err := out.header(relation); err != nil {
		return err
	}
	for block, err := range blocks {
		if err != nil {
			return err
		}
		if err := out.block(ctx, block); err != nil {
			return err
		}
	}
	return out.w.Flush()
}

type writer struct {
	w      *bufio.Writer
	fields []dataset.Field
	quoted []map[string]string // the levels of each nominal column, as written
}

func (out *writer) header(relation string) error {
	fmt.Fprintf(out.w, "@relation %s\n\n", quote(relation))
	for _, f := range out.fields {
		if !utf8.ValidString(relation + f.Name + strings.Join(f.Levels, "")) {
			return fault.New(fault.Data, "column %q or one of its categories is not UTF-8 text", f.Name)
		}
		if f.Kind != dataset.Nominal {
			out.quoted = append(out.quoted, nil)
			fmt.Fprintf(out.w, "@attribute %s numeric\n", quote(f.Name))
			continue
		}
		quoted, texts := map[string]string{}, make([]string, len(f.Levels))
		for i, l := range f.Levels {
			texts[i] = quote(l)
			quoted[l] = texts[i]
		}
		out.quoted = append(out.quoted, quoted)
		fmt.Fprintf(out.w, "@attribute %s {%s}\n", quote(f.Name), strings.Join(texts, ","))
	}
	_, err := out.w.WriteString("\n@data\n")
	return err
}

func (out *writer) block(ctx context.Context, t *dataset.Table) error {
	if len(t.Columns) != len(out.fields) {
		return fault.New(fault.Usage, "a block of %d columns in a table of %d", len(t.Columns), len(out.fields))
	}
	for row := range t.Rows {
		if row%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for i := range t.Columns {
			if i > 0 {
				_ = out.w.WriteByte(',') // Flush reports the error
			}
			if err := out.cell(i, &t.Columns[i], row); err != nil {
				return err
			}
		}
		_ = out.w.WriteByte('\n')
	}
	return ctx.Err()
}

func (out *writer) cell(i int, c *dataset.Column, row int) (err error) {
	text, known := "?", true
	switch {
	case c.Missing(row):
	case out.fields[i].Kind == dataset.Nominal:
		text, known = out.quoted[i][c.Text(row)]
	case c.Numeric() && !math.IsInf(c.Numbers[row], 0):
		_, err = out.w.Write(strconv.AppendFloat(out.w.AvailableBuffer(), c.Numbers[row], 'g', -1, 64))
		return err
	default:
		known = false
	}
	if !known {
		return fault.New(fault.Usage, "%s: %q does not fit the outline of the table", c.Place(row), c.Text(row))
	}
	_, err = out.w.WriteString(text)
	return err
}

// quote quotes a name or category where that is needed.
func quote(text string) string {
	if !strings.ContainsFunc(text, special) && text != "" && text != "?" {
		return text
	}
	var out strings.Builder
	out.WriteByte('\'')
	for _, c := range text {
		switch {
		case c == '\'' || c == '\\':
			out.WriteByte('\\')
			out.WriteRune(c)
		case c < ' ' || c == 0x7F:
			fmt.Fprintf(&out, `\%03o`, c)
		default:
			out.WriteRune(c)
		}
	}
	out.WriteByte('\'')
	return out.String()
}

func special(c rune) bool {
	return strings.ContainsRune(`'"\%,{}`, c) || unicode.IsSpace(c) || !unicode.IsPrint(c)
}
