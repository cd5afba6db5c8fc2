package dataset

import (
	"slices"

	"rvflplus/fault"
)

// Selection names columns by role, each with a selector (see Select); "" selects
// none. Columns that no selector names are normal features, unless Normal is
// given: then they are left out.
type Selection struct {
	Target, Priv, Normal, Drop, Weight, ID string
	Group                                  string // the column that tells which rows belong together
	Categorical                            string // columns whose cells are categories even if they look like numbers
}

// Roles holds the positions of the columns in each role. Weight, ID, Group and Key, by
// which the privileged file was joined, are -1 when there is none. The id may be
// the key too.
type Roles struct {
	Target, Priv, Normal   []int
	Weight, ID, Group, Key int
}

func noRoles() Roles { return Roles{Weight: -1, ID: -1, Group: -1, Key: -1} }

// Resolve finds the roles of the columns called names. A column that two
// selectors name exactly is a fault.Usage error; where a position or a glob also
// covers it, target, id, weight and group come first, then dropped, then privileged.
func (s Selection) Resolve(names []string) (Roles, error) { return s.resolve(names, -1) }

// resolve is Resolve where a column is the key of a join, or -1. It comes after
// target and id.
func (s Selection) resolve(names []string, key int) (Roles, error) {
	r := resolver{names: names, owner: make([]string, len(names)), exact: make([]bool, len(names))}
	target := r.take("target", s.Target)
	id := r.take("id", s.ID)
	r.takeKey(key)
	weight := r.take("weight", s.Weight)
	group := r.take("group", s.Group)
	r.take("dropped", s.Drop)
	priv := r.take("privileged", s.Priv)
	normal := r.take("normal", s.Normal)
	if r.err != nil {
		return Roles{}, r.err
	}
	if s.Normal == "" {
		for i, owner := range r.owner {
			if owner == "" {
				normal = append(normal, i)
			}
		}
	}
	roles := Roles{Target: target, Priv: priv, Normal: normal, Weight: -1, ID: -1, Group: -1, Key: key}
	return roles, roles.setSingles(id, weight, group)
}

func (r *Roles) setSingles(id, weight, group []int) error {
	if len(id) > 1 || len(weight) > 1 || len(group) > 1 {
		return fault.New(fault.Usage, "--id, --weight and --group name one column each; %d, %d and %d are selected", len(id), len(weight), len(group))
	}
	for _, single := range []struct {
		columns []int
		dst     *int
	}{{id, &r.ID}, {weight, &r.Weight}, {group, &r.Group}} {
		if len(single.columns) == 1 {
			*single.dst = single.columns[0]
		}
	}
	return nil
}

type resolver struct {
	names []string
	owner []string // the role of each column so far
	exact []bool   // it was named exactly for that role
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
				r.err = fault.New(fault.Usage, "column %q is selected twice, as %s and as %s", r.names[i], r.owner[i], role)
			}
			return true
		}
		r.owner[i], r.exact[i] = role, exact[i]
		return false
	})
}

// takeKey makes a column the key, which the id may be too; -1 is none.
func (r *resolver) takeKey(i int) {
	if i < 0 || r.owner[i] == "id" {
		return
	}
	if r.err == nil && r.owner[i] != "" {
		r.err = fault.New(fault.Usage, "column %q is selected twice, as %s and as key", r.names[i], r.owner[i])
	}
	r.owner[i], r.exact[i] = "key", true
}

// wants says how the columns of the roles are read; all others are skipped.
func (r Roles) wants(columns int) []Want {
	want := make([]Want, columns)
	for i := range want {
		want[i] = Skip
	}
	for _, i := range slices.Concat(r.Target, r.Priv, r.Normal) {
		want[i] = Auto
	}
	if r.Weight >= 0 {
		want[r.Weight] = Auto
	}
	for _, i := range []int{r.ID, r.Group, r.Key} {
		if i >= 0 {
			want[i] = Text
		}
	}
	return want
}

// empty reports whether no column has a role.
func (r Roles) empty() bool {
	return len(r.Target)+len(r.Priv)+len(r.Normal) == 0 && r.Weight < 0 && r.ID < 0 && r.Group < 0 && r.Key < 0
}

// moved returns the roles after positions were mapped by move; -1 stays -1.
func (r Roles) moved(move func(int) int) Roles {
	each := func(v []int) []int {
		out := make([]int, len(v))
		for i, c := range v {
			out[i] = move(c)
		}
		return out
	}
	one := func(c int) int {
		if c < 0 {
			return -1
		}
		return move(c)
	}
	return Roles{Target: each(r.Target), Priv: each(r.Priv), Normal: each(r.Normal), Weight: one(r.Weight), ID: one(r.ID), Group: one(r.Group), Key: one(r.Key)}
}
