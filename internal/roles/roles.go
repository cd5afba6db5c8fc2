package roles

import (
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Columns holds the positions of the columns in each role. Weight, ID, Group, Time and Key (by which the privileged
// file was joined) are -1 when there is none. The id may be the key too.
type Columns struct {
	Target, Priv, Normal         []int
	Weight, ID, Group, Time, Key int
}

func noColumns() Columns { return Columns{Weight: -1, ID: -1, Group: -1, Time: -1, Key: -1} }

// Resolve finds the roles of the columns called names. A column that two selectors name exactly is a fault.Usage error;
// where a position or a glob also covers it, target, id, weight, group and time come first, then dropped, then
// privileged.
func Resolve(s dataset.Selection, names []string) (Columns, error) { return resolve(s, names, -1) }

// resolve is Resolve where a column is the key of a join, or -1. It comes after target and id.
func resolve(s dataset.Selection, names []string, key int) (Columns, error) {
	r := resolver{names: names, owner: make([]string, len(names)), exact: make([]bool, len(names))}
	out := noColumns()
	out.Key = key
	out.Target = r.take("target", s.Target)
	id := r.take("id", s.ID)
	if key >= 0 && r.owner[key] != "id" {
		if r.err == nil && r.owner[key] != "" {
			r.err = fault.New(fault.Usage, "column %q is selected twice, as %s and as key", names[key], r.owner[key])
		}
		r.owner[key], r.exact[key] = "key", true
	}
	weight := r.take("weight", s.Weight)
	group := r.take("group", s.Group)
	time := r.take("time", s.Time)
	r.take("dropped", s.Drop)
	out.Priv = r.take("privileged", s.Priv)
	out.Normal = r.take("normal", s.Normal)
	if r.err != nil {
		return Columns{}, r.err
	}
	if s.Normal == "" {
		for i, owner := range r.owner {
			if owner == "" {
				out.Normal = append(out.Normal, i)
			}
		}
	}
	for _, single := range []struct {
		name    fault.Name
		columns []int
		dst     *int
	}{{"id", id, &out.ID}, {"weight", weight, &out.Weight}, {"group", group, &out.Group}, {"time", time, &out.Time}} {
		if len(single.columns) > 1 {
			return out, fault.New(fault.Usage, "%s names one column; %d are selected", single.name, len(single.columns))
		}
		if len(single.columns) == 1 {
			*single.dst = single.columns[0]
		}
	}
	return out, nil
}

// resolver gives columns to roles, one role after the other.
type resolver struct {
	names []string
	owner []string // the role of each column so far
	exact []bool   // the column was named exactly for its role
	err   error
}

// take gives the columns of a selector the role, except those that have one.
func (r *resolver) take(role, selector string) []int {
	columns, exact, err := Select(selector, r.names)
	if r.err == nil && err != nil {
		r.err = err
	}
	return slices.DeleteFunc(columns, func(i int) bool {
		if r.owner[i] != "" {
			if r.err == nil && r.exact[i] && exact[i] {
				r.err = fault.New(fault.Usage, "column %q is selected twice, as %s and as %s", r.names[i], r.owner[i],
					role)
			}
			return true
		}
		r.owner[i], r.exact[i] = role, exact[i]
		return false
	})
}

// readAs says how n columns of a file are read; columns without a role are skipped.
func (c Columns) readAs(n int) []dataset.ReadAs {
	as := make([]dataset.ReadAs, n)
	for i := range as {
		as[i] = dataset.Skip
	}
	for _, i := range slices.Concat(c.Target, c.Priv, c.Normal) {
		as[i] = dataset.Auto
	}
	for _, i := range []int{c.Weight, c.Time} {
		if i >= 0 {
			as[i] = dataset.Auto
		}
	}
	for _, i := range []int{c.ID, c.Group, c.Key} {
		if i >= 0 {
			as[i] = dataset.Text
		}
	}
	return as
}

// empty reports whether no column has a role.
func (c Columns) empty() bool {
	return len(c.Target)+len(c.Priv)+len(c.Normal) == 0 && c.Weight < 0 && c.ID < 0 && c.Group < 0 &&
		c.Time < 0 && c.Key < 0
}

// moved returns the roles after positions were mapped by move; -1 stays -1.
func (c Columns) moved(move func(int) int) Columns {
	each := func(v []int) []int {
		out := make([]int, len(v))
		for i, p := range v {
			out[i] = move(p)
		}
		return out
	}
	one := func(p int) int {
		if p < 0 {
			return -1
		}
		return move(p)
	}
	return Columns{
		Target: each(c.Target), Priv: each(c.Priv), Normal: each(c.Normal),
		Weight: one(c.Weight), ID: one(c.ID), Group: one(c.Group), Time: one(c.Time),
		Key: one(c.Key),
	}
}

// union returns the columns of both; a single column, such as the weight, is in one of them at most.
func (c Columns) union(other Columns) Columns {
	return Columns{
		Target: slices.Concat(c.Target, other.Target),
		Priv:   slices.Concat(c.Priv, other.Priv),
		Normal: slices.Concat(c.Normal, other.Normal),
		Weight: max(c.Weight, other.Weight),
		ID:     max(c.ID, other.ID),
		Group:  max(c.Group, other.Group),
		Time:   max(c.Time, other.Time),
		Key:    max(c.Key, other.Key),
	}
}
