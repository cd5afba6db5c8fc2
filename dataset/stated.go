package dataset

import (
	"slices"
	"strconv"
	"strings"
)

// Or returns s completed by the roles that a file states of its columns, which are
// called names: privileged ones and targets, where s names none. Targets of the
// file to which s gives no role are no features: they are dropped and returned.
// An empty s.Target or s.Priv is left so if elsewhere says that these are in
// another file.
func (s Selection) Or(file Selection, names []string, elsewhere Selection) (out Selection, dropped []string) {
	out = s
	if s.Priv == "" && elsewhere.Priv == "" {
		out.Priv = Positions(minus(chosen(file.Priv, names), chosen(s.Normal, names)))
	}
	if s.Target == "" && elsewhere.Target == "" {
		out.Target = file.Target
		return out, nil
	}
	if s.Normal != "" {
		return out, nil
	}
	given := slices.Concat(chosen(s.ID, names), chosen(s.Weight, names), chosen(s.Group, names), chosen(s.Drop, names))
	if elsewhere.Target == "" {
		given = append(given, chosen(s.Target, names)...)
	}
	if elsewhere.Priv == "" {
		given = append(given, chosen(s.Priv, names)...)
	}
	left := minus(chosen(file.Target, names), given)
	for _, i := range left {
		dropped = append(dropped, names[i])
	}
	out.Drop = both(s.Drop, Positions(left), names)
	return out, dropped
}

// chosen returns what a selector selects; who uses the selector reports its errors.
func chosen(selector string, names []string) []int {
	columns, _, _ := Select(selector, names)
	return columns
}

func minus(columns, without []int) []int {
	return slices.DeleteFunc(columns, func(i int) bool { return slices.Contains(without, i) })
}

// Positions returns a selector of the columns at positions from 0, which gives way
// to one that names them.
func Positions(columns []int) string {
	parts := make([]string, len(columns))
	for k, i := range columns {
		parts[k] = strconv.Itoa(i+1) + ":" + strconv.Itoa(i+1)
	}
	return strings.Join(parts, ",")
}

// both joins two selectors.
func both(a, b string, names []string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	case slices.Contains(names, a): // perhaps with a comma
		a = List([]string{a})
	}
	return a + "," + b
}
