package repro

import (
	"cmp"
	"slices"

	"rvflplus/dataset"
	"rvflplus/internal/categories"
	"rvflplus/internal/noise"
	"rvflplus/internal/registry"
	"rvflplus/internal/roles"
	"rvflplus/internal/split"
)

// noisePower is what the paper adds in its section on noise, in dBW.
const noisePower = 10

// pool is a data set before it is split.
type pool struct {
	Dataset
	data    *roles.Data    // all rows
	sizes   registry.Sizes // of the published parts
	noise   bool
	norm    string // see Reading
	classes []int  // of each row; nil in a regression
}

// newPool gives a loaded data set its classes and roles.
func newPool(set *registry.Set, d Dataset, noise bool) (*pool, error) {
	table := *set.Table
	table.Columns = slices.Clone(table.Columns)
	if d.Group != nil {
		regroup(table.Find(set.Entry.Targets[0]), d.Group)
	}
	selection := set.Selection
	if d.Roles != nil {
		selection = *d.Roles
	}
	if noise {
		selection.Priv = ""
	}
	data, err := roles.Assign(&table, selection)
	if err != nil {
		return nil, err
	}
	p := &pool{Dataset: d, data: data, sizes: set.Entry.Split, noise: noise}
	if cmp.Or(d.Task, set.Entry.Task) == "classification" {
		p.classes, err = split.Classes(data.Pick(data.Roles.Target)[0])
	}
	return p, err
}

// regroup renames the classes of a column.
func regroup(c *dataset.Column, group map[string]string) {
	codes, levels := make([]int, max(len(c.Numbers), len(c.Codes))), categories.New()
	for i := range codes {
		codes[i] = levels.Code(group[c.Text(i)])
	}
	c.Numbers, c.Codes, c.Levels = nil, codes, levels.Levels
}

// parts are the rows of a trial. validation is nil where settings are chosen on training rows.
type parts struct{ train, validation, test *roles.Data }

// split returns the rows of a trial. Every trial has noise of its own.
func (p *pool) split(trial int, seed uint64) (parts, error) {
	out, err := p.drawn(trial, seed)
	if err != nil || p.norm == "" {
		return out, err
	}
	return out.normalise(p.norm), nil
}

// drawn returns the rows of a trial as they are in the table.
func (p *pool) drawn(trial int, seed uint64) (parts, error) {
	data := p.data
	if p.noise {
		var err error
		if data, err = data.WithNoise(noise.White{DBW: noisePower, Seed: seed}); err != nil {
			return parts{}, err
		}
	}
	if p.Fixed || p.Published && trial == 0 && p.Train == p.sizes.Train && p.Test == p.sizes.Test {
		return p.published(data, seed)
	}
	var s split.Split
	var err error
	if p.classes == nil {
		s, err = split.Shuffled(data.Rows, split.Rows(p.Train+p.Unlabelled), split.Rows(p.Test), seed)
	} else {
		s, err = split.Stratified(p.classes, split.Rows(p.Train+p.Unlabelled), split.Rows(p.Test), seed)
	}
	if err != nil {
		return parts{}, err
	}
	out := parts{train: data.Only(s.Train), test: data.Only(s.Test)}
	if p.Unlabelled > 0 {
		out.train, err = hideTargets(out.train, p.classes != nil, p.Train, seed)
	}
	return out, err
}

// hideTargets keeps the targets of so many rows, with the same mixture of classes, and makes the others rows without a
// target.
func hideTargets(d *roles.Data, classes bool, labelled int, seed uint64) (*roles.Data, error) {
	rows, err := draw(d, classes, labelled, seed)
	if err != nil {
		return nil, err
	}
	var rest []int
	for i := range d.Rows {
		if _, kept := slices.BinarySearch(rows, i); !kept {
			rest = append(rest, i)
		}
	}
	out := d.Only(rows)
	out.Unlabelled = d.Subset(rest)
	return out, nil
}

// published takes rows from the published parts, which stand one below the other: all rows of a part, or as many as
// p.Train, p.Validation and p.Test say, with the same mixture of classes.
func (p *pool) published(data *roles.Data, seed uint64) (parts, error) {
	var out parts
	at := 0
	for _, part := range []struct {
		dst        **roles.Data
		size, want int
	}{
		{&out.train, p.sizes.Train, p.Train},
		{&out.validation, p.sizes.Validation, p.Validation},
		{&out.test, p.sizes.Test, p.Test},
	} {
		if part.size == 0 {
			continue
		}
		whole := data.Only(numbers(at, at+part.size))
		at += part.size
		rows, err := draw(whole, p.classes != nil, part.want, seed)
		if err != nil {
			return parts{}, err
		}
		*part.dst = whole.Only(rows)
	}
	return out, nil
}

// draw returns at most want rows of d, with the same mixture of classes.
func draw(d *roles.Data, classes bool, want int, seed uint64) ([]int, error) {
	if want == 0 || want >= d.Rows {
		return numbers(0, d.Rows), nil
	}
	if !classes {
		s, err := split.Shuffled(d.Rows, split.Rows(want), split.Size{}, seed)
		return s.Train, err
	}
	of, err := split.Classes(d.Pick(d.Roles.Target)[0])
	if err != nil {
		return nil, err
	}
	s, err := split.Stratified(of, split.Rows(want), split.Size{}, seed)
	return s.Train, err
}

func numbers(from, to int) []int {
	out := make([]int, to-from)
	for i := range out {
		out[i] = from + i
	}
	return out
}

// withAll makes privileged columns normal ones. Rows without a target are left out: nothing learns from them then.
func (p parts) withAll() parts {
	for _, d := range []**roles.Data{&p.train, &p.validation, &p.test} {
		if *d == nil {
			continue
		}
		all := **d
		all.Roles.Normal = slices.Concat(all.Roles.Normal, all.Roles.Priv)
		all.Roles.Priv, all.Unlabelled = nil, nil
		*d = &all
	}
	return p
}
