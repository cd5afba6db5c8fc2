package dataset

import (
	"context"
	"slices"

	"rvflplus/fault"
)

// Data is a table and the roles of its columns.
type Data struct {
	*Table
	Roles Roles
	// TargetFile says that the targets came from a file of their own.
	TargetFile bool
	// PrivSkipped is the number of privileged columns that were not read because
	// nothing learns from them.
	PrivSkipped int
	// Matched tells which rows found their key in the privileged file; nil when no
	// file was joined. The privileged cells of the other rows are missing.
	Matched []bool
	Notes   []string // what the user should know about the files
}

// Sources are the files a Data is read from. Row i of all describes the same
// case, unless Key joins the privileged file. Priv and Target may be nil.
type Sources struct {
	Main   Source
	Priv   Source // its columns are privileged: those that Selection.Priv names there, or all
	Target Source // its columns are targets: those that Selection.Target names there, or all
	// Key joins Priv to Main by a column that both have, "COL", or by one that they
	// call by two names, "COL=COL2". Keys are compared as written but for the blanks
	// around them; each may stand once in Priv, in any order. The column is not a
	// feature. "" takes row i of Priv for row i of Main.
	Key string
	// SkipPriv leaves the privileged columns unread.
	SkipPriv bool
}

// Load reads the columns that have a role. Rows whose key Priv lacks are told by
// Data.Matched.
func (s Sources) Load(ctx context.Context, sel Selection) (*Data, error) {
	parts, err := s.plan(sel)
	if err != nil {
		return nil, err
	}
	data := &Data{TargetFile: s.Target != nil, Roles: noRoles()}
	for _, part := range parts {
		data.PrivSkipped += part.skipped
		if part.roles.empty() {
			continue
		}
		if err := data.append(ctx, part); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// part is one file and what is wanted of it.
type part struct {
	source Source
	roles  Roles
	want   []Want
	// skipped is the number of privileged columns left unread.
	skipped int
	// joins says that the rows are found by roles.Key.
	joins bool
}

func (s Sources) plan(sel Selection) ([]part, error) {
	main := sel
	if s.Priv != nil {
		main.Priv = ""
	}
	if s.Target != nil {
		main.Target = ""
	}
	key, privKey, err := s.keys()
	if err != nil {
		return nil, err
	}
	roles, err := main.resolve(Names(s.Main.Fields()), key)
	if err != nil {
		return nil, err
	}
	parts := []part{{source: s.Main, roles: roles}}
	if s.Priv != nil {
		roles, err := Selection{Priv: orAll(sel.Priv)}.others(Names(s.Priv.Fields()), privKey)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{source: s.Priv, roles: roles, joins: privKey >= 0})
	}
	if s.Target != nil {
		roles, err := Selection{Target: orAll(sel.Target)}.others(Names(s.Target.Fields()), -1)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{source: s.Target, roles: roles})
	}
	if s.SkipPriv {
		for i := range parts {
			parts[i].skipPriv()
		}
	}
	return parts, addWants(parts, sel.Categorical)
}

// keys returns the positions of the key columns, or -1.
func (s Sources) keys() (main, priv int, err error) {
	switch {
	case s.Key == "":
		return -1, -1, nil
	case s.Priv == nil:
		return -1, -1, fault.New(fault.Usage, "--key joins a file of privileged columns, but there is none").
			WithHint("name the file with --priv-data")
	}
	return keyColumns(s.Key, Names(s.Main.Fields()), Names(s.Priv.Fields()))
}

func (p *part) skipPriv() {
	p.skipped, p.roles.Priv, p.roles.Key = len(p.roles.Priv), nil, -1
}

// others is resolve for a file whose columns have the roles that s names or none.
func (s Selection) others(names []string, key int) (Roles, error) {
	roles, err := s.resolve(names, key)
	roles.Normal = nil
	return roles, err
}

func orAll(selector string) string {
	if selector == "" {
		return "*"
	}
	return selector
}

// addWants sets how each part is read. A categorical selector may name columns
// of any file, but each of its parts must name one.
func addWants(parts []part, categorical string) error {
	var all []string
	for i, p := range parts {
		names := Names(p.source.Fields())
		all = append(all, names...)
		parts[i].want = p.roles.wants(len(names))
	}
	columns, _, err := Select(categorical, all)
	if err != nil {
		return err
	}
	base := 0
	for _, p := range parts {
		for i := range p.want {
			if p.want[i] == Auto && slices.Contains(columns, base+i) {
				p.want[i] = Categorical
			}
		}
		base += len(p.want)
	}
	return nil
}

// append reads a part and adds its columns and roles.
func (d *Data) append(ctx context.Context, p part) error {
	table, err := Collect(ctx, p.source, p.want)
	if err != nil {
		return err
	}
	if p.joins {
		key := p.takeKey(table)
		if table, err = d.joined(ctx, table, &key); err != nil {
			return err
		}
	}
	base, position := 0, make([]int, len(p.want))
	if d.Table != nil {
		base = len(d.Columns)
	}
	for i, w := range p.want {
		position[i] = base
		if w != Skip {
			base++
		}
	}
	roles := p.roles.moved(func(i int) int { return position[i] })
	d.Roles = d.Roles.join(roles)
	if d.Table == nil {
		d.Table = table
		return nil
	}
	d.Table, err = d.Beside(table)
	return err
}

// takeKey takes the key column out of the part's table.
func (p *part) takeKey(t *Table) Column {
	at := 0
	for _, w := range p.want[:p.roles.Key] {
		if w != Skip {
			at++
		}
	}
	key := t.Columns[at]
	t.Columns = slices.Delete(t.Columns, at, at+1)
	p.want[p.roles.Key], p.roles.Key = Skip, -1
	return key
}

func (r Roles) join(other Roles) Roles {
	return Roles{
		Target: slices.Concat(r.Target, other.Target),
		Priv:   slices.Concat(r.Priv, other.Priv),
		Normal: slices.Concat(r.Normal, other.Normal),
		Weight: max(r.Weight, other.Weight),
		ID:     max(r.ID, other.ID),
		Group:  max(r.Group, other.Group),
		Key:    max(r.Key, other.Key),
	}
}

// WithRoles gives the columns of a table in memory their roles.
func WithRoles(t *Table, sel Selection) (*Data, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	roles, err := sel.Resolve(t.Names())
	if err != nil {
		return nil, err
	}
	categorical, _, err := Select(sel.Categorical, t.Names())
	if err != nil {
		return nil, err
	}
	return &Data{Table: t.asCategories(categorical), Roles: roles}, nil
}

// Only returns the given rows as new data.
func (d *Data) Only(rows []int) *Data {
	out := *d
	out.Table, out.Matched = d.Subset(rows), pick(d.Matched, rows, false)
	return &out
}

// Weights returns the weights of the rows, nil without a weight column. A weight
// that is missing, negative or not a number is a fault.Data error.
func (d *Data) Weights() ([]float64, error) {
	if d.Roles.Weight < 0 {
		return nil, nil
	}
	c := &d.Columns[d.Roles.Weight]
	if !c.Numeric() {
		return nil, fault.New(fault.Data, "%s: a weight must be a number >= 0, got %q", c.Place(0), c.Text(0))
	}
	for i, v := range c.Numbers {
		if !(v >= 0) {
			return nil, fault.New(fault.Data, "%s: a weight must be a number >= 0, got %q", c.Place(i), c.Text(i))
		}
	}
	return c.Numbers, nil
}

// Pick returns the columns at the given positions.
func (t *Table) Pick(columns []int) []*Column {
	out := make([]*Column, len(columns))
	for i, c := range columns {
		out[i] = &t.Columns[c]
	}
	return out
}
