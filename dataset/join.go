package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/memory"
)

// keyColumns finds the key columns of a join, "COL" or "COL=COL2": in DATA, whose
// columns are called left, and in the privileged file. A name of DATA that
// contains = is taken first.
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
	switch {
	case err != nil:
		return -1, fault.New(fault.Usage, "--key, in %s: %w", file, err).WithHint("%s", fault.HintOf(err))
	case len(columns) != 1:
		return -1, fault.New(fault.Usage, "--key names one column of %s; %q selects %d", file, selector, len(columns)).
			WithHint("write --key COL, or --key COL=COL2 where the privileged file calls it COL2")
	}
	return columns[0], nil
}

// key returns the key in row i of a column read as text, without the blanks around
// it, and whether there is one.
func (c *Column) key(i int) (string, bool) {
	text := strings.TrimSpace(c.Text(i))
	_, kind := ParseCell(text)
	return text, kind != Missing
}

// checkEvery is the number of rows between two looks at a context.
const checkEvery = 4096

// keyRows returns the row of each key. A key that two rows have is a fault.Data
// error; rows without a key are left out.
func keyRows(ctx context.Context, c *Column, rows int) (map[string]int, error) {
	at := make(map[string]int, rows)
	for i := range rows {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		key, present := c.key(i)
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

// mapEntry is about what a key takes in the map of keys, beside its text, in bytes.
const mapEntry = 48

// joined returns the rows of the privileged table that belong to the rows of d,
// in d's order. Rows of d that have none, told by d.Matched, get missing cells.
func (d *Data) joined(ctx context.Context, priv *Table, key *Column) (*Table, error) {
	if priv.Rows == 0 {
		return nil, priv.NoRows()
	}
	own := &d.Columns[d.Roles.Key]
	need := 8*float64(d.Rows)*float64(len(priv.Columns)+2) + mapEntry*float64(priv.Rows)
	if err := memory.Check(need, "joining "+key.file()+" to "+own.file(), "use fewer privileged columns or rows"); err != nil {
		return nil, err
	}
	at, err := keyRows(ctx, key, priv.Rows)
	if err != nil {
		return nil, err
	}
	d.Matched = make([]bool, d.Rows)
	from, used := make([]int, d.Rows), make([]bool, priv.Rows)
	for i := range from {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		from[i] = -1
		if row, found := own.lookUp(i, at); found {
			from[i], used[row], d.Matched[i] = row, true, true
		}
	}
	d.noteUnused(used, key)
	return priv.Subset(from), nil
}

func (c *Column) lookUp(i int, at map[string]int) (row int, found bool) {
	key, present := c.key(i)
	if present {
		row, found = at[key]
	}
	return row, found
}

func (d *Data) noteUnused(used []bool, key *Column) {
	unused := 0
	for _, u := range used {
		if !u {
			unused++
		}
	}
	if unused > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("%d of %d rows of %s are not used: their keys are in no row of %s",
			unused, len(used), key.file(), d.Columns[d.Roles.Key].file()))
	}
}

// maxUnmatched is the number of keys that an error shows.
const maxUnmatched = 3

// Unmatched returns the fault.Data error for rows whose key the privileged file
// lacks, with the places of the first few, or nil when every row has its match or
// no file was joined.
func (d *Data) Unmatched(hint string) error {
	var shown []string
	count := 0
	for i, matched := range d.Matched {
		if matched {
			continue
		}
		if count++; count <= maxUnmatched {
			shown = append(shown, d.unmatched(i))
		}
	}
	if count == 0 {
		return nil
	}
	if count > maxUnmatched {
		shown = append(shown, "…")
	}
	return fault.New(fault.Data, "%d of %d rows have no match among the keys of the privileged file: %s", count, d.Rows, strings.Join(shown, "; ")).
		WithHint("%s", hint)
}

// unmatched says what key row i has.
func (d *Data) unmatched(i int) string {
	c := &d.Columns[d.Roles.Key]
	key, present := c.key(i)
	if !present {
		return c.Place(i) + " has no key"
	}
	return c.Place(i) + " has " + quoted(key)
}
