package roles

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
	"rvflplus/internal/memory"
)

// keyColumns finds the key columns of a join, "COL" or "COL=COL2": in DATA, whose columns are called left, and in the
// privileged file. A name of DATA that contains = is taken first.
func keyColumns(key string, left, right []string) (l, r int, err error) {
	a, b, cut := strings.Cut(key, "=")
	if !cut || slices.Contains(left, key) {
		a, b = key, key
	}
	if l, err = keyColumn(a, "DATA", left); err == nil {
		r, err = keyColumn(b, "the privileged file", right)
	}
	return l, r, err
}

func keyColumn(selector, file string, names []string) (int, error) {
	columns, _, err := Select(selector, names)
	name := fault.Name("key")
	switch {
	case err != nil:
		return -1, fault.New(fault.Usage, "%s, in %s: %w", name, file, err).WithHint("%s", fault.HintText(err))
	case len(columns) != 1:
		return -1, fault.New(fault.Usage, "%s names one column of %s; %q selects %d", name, file, selector,
			len(columns)).
			WithHint("write %s, or %s where the privileged file calls it COL2", fault.Set("key", "COL"),
				fault.Set("key", "COL=COL2"))
	}
	return columns[0], nil
}

// keyOf returns the key in row i of a column read as text, without the blanks around it, and whether there is one.
func keyOf(c *dataset.Column, i int) (string, bool) {
	text := strings.TrimSpace(c.Text(i))
	_, kind := celltext.Parse(text)
	return text, kind != celltext.Missing
}

// checkEvery is the number of rows between two looks at a context.
const checkEvery = 4096

// rowsByKey returns the row of each key. A key that two rows have is a fault.Data error; rows without a key are left
// out.
func rowsByKey(ctx context.Context, c *dataset.Column, rows int) (map[string]int, error) {
	at := make(map[string]int, rows)
	for i := range rows {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		key, present := keyOf(c, i)
		if !present {
			continue
		}
		if first, again := at[key]; again {
			return nil, fault.New(fault.Data, "%s: the key %s is also in %s", c.Place(i), quoted(key), c.Place(first)).
				WithHint("each key may stand once in the privileged file")
		}
		at[key] = i
	}
	return at, nil
}

// quoted returns a key for an error, in quotes and not too long.
func quoted(key string) string {
	if r := []rune(key); len(r) > 40 {
		key = string(r[:40]) + "…"
	}
	return fmt.Sprintf("%q", key)
}

// mapEntry is about the bytes of a key in the map of keys, beside its text.
const mapEntry = 48

// joined returns the table of the privileged part in the order of d: row i holds the cells whose key d's row i has, or
// missing cells if no key matches. It takes the key column out and notes which rows of d found a match.
func (d *Data) joined(ctx context.Context, p *filePart, priv *dataset.Table) (*dataset.Table, error) {
	privFile := priv.FileName()
	key := p.takeKey(priv)
	if priv.Rows == 0 {
		return nil, NoRows(priv)
	}
	own := &d.Columns[d.Roles.Key]
	need := 8*float64(d.Rows)*float64(len(priv.Columns)+2) + mapEntry*float64(priv.Rows)
	what := "joining " + privFile + " to " + d.FileName()
	if err := memory.Check(need, what, "use fewer privileged columns or rows"); err != nil {
		return nil, err
	}
	at, err := rowsByKey(ctx, &key, priv.Rows)
	if err != nil {
		return nil, err
	}
	d.Matched = make([]bool, d.Rows)
	from, unused := make([]int, d.Rows), priv.Rows
	used := make([]bool, priv.Rows)
	for i := range from {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		from[i] = -1
		text, present := keyOf(own, i)
		if row, found := at[text]; present && found {
			if !used[row] {
				unused--
			}
			from[i], used[row], d.Matched[i] = row, true, true
		}
	}
	if unused > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d of %d rows of %s are not used: their keys are in no row of %s",
			unused, priv.Rows, privFile, d.FileName()))
	}
	return priv.Subset(from), nil
}

// maxUnmatched is the number of keys that an error shows.
const maxUnmatched = 3

// Unmatched returns the fault.Data error for rows whose key the privileged file lacks, with the places of the first
// few, or nil when every row has its match or no file was joined. The operands belong to the hint.
func (d *Data) Unmatched(hint string, operands ...any) error {
	var shown []string
	count := 0
	for i, matched := range d.Matched {
		if matched {
			continue
		}
		if count++; count > maxUnmatched {
			continue
		}
		c := &d.Columns[d.Roles.Key]
		if key, present := keyOf(c, i); present {
			shown = append(shown, c.Place(i)+" has "+quoted(key))
		} else {
			shown = append(shown, c.Place(i)+" has no key")
		}
	}
	if count == 0 {
		return nil
	}
	if count > maxUnmatched {
		shown = append(shown, "…")
	}
	return fault.New(fault.Data, "%d of %d rows have no match among the keys of the privileged file: %s",
		count, d.Rows, strings.Join(shown, "; ")).WithHint(hint, operands...)
}
