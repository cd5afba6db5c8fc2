package compare

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rvflplus/fault"
	"rvflplus/internal/heldout"
	"rvflplus/internal/lead"
	"rvflplus/internal/rng"
	"rvflplus/internal/split"
	"rvflplus/internal/target"
	"rvflplus/learn"
)

// Rows of a group have something in common that no column tells, and so have rows that are near in time. Both would
// make privileged columns that tell groups or times apart look as if they knew the target. So whole groups, or whole
// blocks of rows that follow each other in time, are left out together, and residuals are exchanged such that what
// rows have in common stays in common.
const (
	minGroups  = 12 // of fewer, too few exchanges exist
	mostBlocks = 24
	blockRows  = 5    // of a block, while there are at least minGroups of them
	mostFolds  = 10   // that groups are dealt to
	window     = 0.8  // the share of rows, in the order of time, that a split takes: training rows, then test rows
	mostTested = 1.5  // a group is not tested on where the test rows would be so many times as many as wanted
	shortest   = 0.05 // the share of a series that it is shifted by at least
)

// orderByTime brings the rows into the order of the column of times.
func (r *run) orderByTime() error {
	if r.data.Roles.Time < 0 {
		return nil
	}
	before, err := lead.Times(&r.data.Columns[r.data.Roles.Time])
	if err != nil {
		return err
	}
	order := make([]int, r.data.Rows)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, before)
	r.data, r.series = r.data.Only(order), true
	return nil
}

// findGroups finds the rows that are left out together: those of a group or, of a series, blocks of rows.
func (r *run) findGroups() (err error) {
	if r.group, err = r.data.Groups(); err != nil {
		return err
	}
	if r.group == nil && r.series {
		r.blocks = true
		n := min(max(r.rows/blockRows, minGroups), mostBlocks)
		for i := range r.rows {
			r.group = append(r.group, i*n/r.rows)
		}
	}
	if r.groups = len(split.Members(r.group)); r.group != nil && r.groups < minGroups {
		return fault.New(fault.Data, "column %q has %d groups: with fewer than %d a comparison cannot tell what "+
			"groups have in common from what the privileged columns tell", r.data.Columns[r.data.Roles.Group].Name,
			r.groups, minGroups).
			WithHint("name a column with more groups with %s, or collect more", fault.Name("group"))
	}
	return nil
}

// leftOut names what leaves together.
func (r *run) leftOut() string {
	switch {
	case r.blocks:
		return "blocks"
	case r.group != nil:
		return "groups"
	}
	return "rows"
}

// assumes says what the verdict takes for granted.
func (r *run) assumes() fault.Text {
	switch {
	case r.blocks:
		return fault.Textf("rows that are far from each other in time depend little on each other, and " +
			"the privileged columns' residuals, given the normal columns, behave alike at all times")
	case r.group != nil:
		return fault.Textf("groups are independent of each other, rows of a group need not be; residuals of the "+
			"privileged columns, given the normal columns, are alike but for their local spread, which is estimated; "+
			"%s names the groups", fault.Name("group"))
	}
	return fault.Textf("rows are independent of each other (else name their groups with %s or their times with %s); "+
		"residuals of the privileged columns, given the normal columns, are alike but for their local spread, which "+
		"is estimated", fault.Name("group"), fault.Name("time"))
}

// grouped returns a problem of the given rows with their groups.
func (r *run) grouped(p learn.Problem, rows []int) learn.Problem {
	p.Group = learn.Gather(r.group, rows)
	return p
}

// foldsOf returns the rows that are left out together, nil for every row alone.
func foldsOf(p learn.Problem, seed uint64) (heldout.Folds, error) {
	if p.Group == nil {
		return nil, nil
	}
	return split.Groups(p.Group, min(mostFolds, len(split.Members(p.Group))), seed)
}

// draw returns the rows of split i: rows at random, whole groups, or rows of a time and those that follow.
func (r *run) draw(i int, seed uint64) (split.Split, error) {
	train, test := r.sizes()
	switch {
	case r.blocks:
		first := 0
		if r.Splits > 1 {
			first = i * (r.rows - train - test) / (r.Splits - 1)
		}
		at := first + train
		return split.Split{Train: from(first, at), Test: from(at, at+test)}, nil
	case r.group != nil:
		return r.wholeGroups(train, test, seed)
	}
	return r.divide(split.Rows(train), split.Rows(test), seed)
}

func from(first, end int) []int {
	rows := make([]int, 0, end-first)
	for i := first; i < end; i++ {
		rows = append(rows, i)
	}
	return rows
}

// wholeGroups draws groups to test on, about as many rows as wanted, and takes the others for training; of more than
// train rows so many at random. Every class stays in training.
func (r *run) wholeGroups(train, test int, seed uint64) (split.Split, error) {
	random := rng.New(seed, "groups to test on")
	classes := make([]int, r.rows) // of a regression all alike
	if r.config.Task == string(target.Classification) {
		var err error
		if classes, err = split.Classes(&r.data.Columns[r.data.Roles.Target[0]]); err != nil {
			return split.Split{}, err
		}
	}
	left := count(classes) // training rows of each class
	var s split.Split
	members := split.Members(r.group)
	for _, g := range random.Perm(len(members)) {
		rows := members[g]
		fits := len(s.Test) < test && float64(len(s.Test)+len(rows)) <= mostTested*float64(test)
		taken := count(learn.Gather(classes, rows))
		for class, n := range taken {
			fits = fits && n < left[class]
		}
		if !fits {
			s.Train = append(s.Train, rows...)
			continue
		}
		s.Test = append(s.Test, rows...)
		for class, n := range taken {
			left[class] -= n
		}
	}
	if len(s.Test) < 2 || len(s.Train) < minTrain {
		return s, fault.New(fault.Data, "groups are too large to leave whole groups out: %d rows are left for "+
			"training and %d for testing", len(s.Train), len(s.Test)).
			WithHint("name a column with smaller groups with %s", fault.Name("group"))
	}
	slices.Sort(s.Train)
	slices.Sort(s.Test)
	s.Train, s.Test = some(s.Train, train, random), some(s.Test, int(mostTested*float64(test)), random)
	return s, nil
}

// count returns how often each value occurs.
func count(values []int) map[int]int {
	n := map[int]int{}
	for _, v := range values {
		n[v]++
	}
	return n
}

// some returns at most n of ascending rows, at random.
func some(rows []int, n int, random *rand.Rand) []int {
	if len(rows) <= n {
		return rows
	}
	var out []int
	for _, k := range random.Perm(len(rows))[:n] {
		out = append(out, rows[k])
	}
	slices.Sort(out)
	return out
}

// exchanger brings rows into another order that chance could have brought them into as well.
type exchanger struct {
	groups [][]int // rows of each group; nil without groups
	series bool    // rows follow each other in time, all of them or, with groups, those of a group
}

// exchanger returns the exchanger of rows with the given groups.
func (r *run) exchanger(group []int) exchanger {
	if r.group == nil || r.blocks {
		return exchanger{series: r.series}
	}
	return exchanger{split.Members(group), r.series}
}

// exchanged returns the rows of v in another order. Independent rows are permuted. A series is shifted, its end coming
// first. Of groups the means are permuted, and within each group the differences from the mean are exchanged.
func (x exchanger) exchanged(v *mat.Dense, random *rand.Rand) *mat.Dense {
	rows, d := v.Dims()
	if x.groups == nil {
		return learn.GatherRows(v, x.order(rows, random))
	}
	out, means := mat.NewDense(rows, d, nil), mat.NewDense(len(x.groups), d, nil)
	for g, members := range x.groups {
		for _, i := range members {
			for j, value := range v.RawRowView(i) {
				means.Set(g, j, means.At(g, j)+value/float64(len(members)))
			}
		}
	}
	for g, other := range random.Perm(len(x.groups)) {
		members := x.groups[g]
		for k, from := range x.order(len(members), random) {
			row := out.RawRowView(members[k])
			for j, value := range v.RawRowView(members[from]) {
				row[j] = means.At(other, j) + value - means.At(g, j)
			}
		}
	}
	return out
}

// order returns where each of n rows comes from.
func (x exchanger) order(n int, random *rand.Rand) []int {
	if !x.series {
		return random.Perm(n)
	}
	least := max(1, int(shortest*float64(n)))
	if n < 2*least+1 {
		return random.Perm(n)
	}
	shift := least + random.IntN(n-2*least+1)
	order := make([]int, n)
	for i := range order {
		order[i] = (i + shift) % n
	}
	return order
}
