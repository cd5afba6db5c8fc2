package compare

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Where no groups are named, rows that seem to depend on each other are warned of.
const (
	mostAlone     = 1.5  // rows a group on average, from which on a column may name groups
	mostGroupRows = 10   // the most of them of a column of texts whose name does not tell
	twinShare     = 0.1  // of rows that have the same normal columns as another row
	twinChance    = 100. // as many times as there are rows, normal columns could differ in
)

// caseWords are words of which the name of a column that names cases often has one.
var caseWords = []string{
	"id", "patient", "subject", "person", "user", "customer", "client", "participant", "animal", "household", "family",
	"school", "student", "site", "batch", "device", "session", "group", "cluster",
}

// suspects returns warnings of rows that may depend on each other.
func (r *run) suspects() []fault.Text {
	if r.group != nil {
		return nil
	}
	var out []fault.Text
	ids := slices.DeleteFunc([]int{r.data.Roles.ID, r.data.Roles.Key}, func(i int) bool { return i < 0 })
	for k, i := range append(ids, r.data.Roles.Normal...) {
		c := &r.data.Columns[i]
		n := distinct(c, r.rows)
		if (k < len(ids) || namesCases(c, n, r.rows)) && float64(r.rows) >= mostAlone*float64(n) {
			out = append(out, fault.Textf("column %q has %d different cells in %d rows: if rows with the same cell "+
				"belong together, as the visits of a patient do, leave them out together with %s", c.Name, n, r.rows,
				fault.Set("group", c.Name)))
		}
	}
	if n := r.twins(); float64(n) >= twinShare*float64(r.rows) {
		out = append(out, fault.Textf("%d of %d rows have the same normal columns as another row: if such rows belong "+
			"together, name a column of groups with %s", n, r.rows, fault.Name("group")))
	}
	return out
}

// distinct counts the different cells of a column.
func distinct(c *dataset.Column, rows int) int {
	seen := map[string]bool{}
	for i := range rows {
		seen[c.Text(i)] = true
	}
	return len(seen)
}

// namesCases reports whether a normal column with n different cells seems to name cases.
func namesCases(c *dataset.Column, n, rows int) bool {
	if n < minGroups {
		return false
	}
	if c.Codes != nil && rows <= mostGroupRows*n {
		return true
	}
	whole := !slices.ContainsFunc(c.Numbers, func(v float64) bool { return v != math.Trunc(v) })
	words := strings.FieldsFunc(strings.ToLower(c.Name), func(r rune) bool { return !unicode.IsLetter(r) })
	return whole && slices.ContainsFunc(words, func(w string) bool {
		before, _ := strings.CutSuffix(w, "id")
		return slices.Contains(caseWords, strings.TrimSuffix(w, "s")) || slices.Contains(caseWords, before)
	})
}

// twins counts the rows that have the same normal columns as another row; 0 where so few different rows are possible
// that some are alike by chance.
func (r *run) twins() int {
	possible := 1.0
	for _, i := range r.data.Roles.Normal {
		possible *= float64(distinct(&r.data.Columns[i], r.rows))
	}
	if possible < twinChance*float64(r.rows) {
		return 0
	}
	same := map[string]int{}
	keys := make([]string, r.rows)
	for row := range keys {
		var key []byte
		for _, i := range r.data.Roles.Normal {
			text := r.data.Columns[i].Text(row)
			key = append(binary.AppendUvarint(key, uint64(len(text))), text...)
		}
		keys[row] = string(key)
		same[keys[row]]++
	}
	n := 0
	for _, key := range keys {
		if same[key] > 1 {
			n++
		}
	}
	return n
}
