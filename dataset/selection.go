package dataset

// Selection names columns by role, each with a selector; "" selects none. Columns that no selector names are normal
// features, unless Normal is given: then they are left out.
//
// A selector is a comma list. Each element is first an exact name, then a:b with two positions (from 1, inclusive),
// then a glob with *, ? and [a-z]: "age,3:5,lab_*". A name that contains a comma is put in double quotes, or given as
// the whole selector. An element that selects nothing is an error.
//
// A column that two selectors name exactly is an error. Where a position or a glob also covers it, target, id, weight,
// group and time come first, then dropped, then privileged.
type Selection struct {
	Target      string // what is predicted
	Priv        string // privileged features, known in training only
	Normal      string // features
	Drop        string // columns that are left out
	Weight      string // the column of weights of the rows, numbers >= 0
	ID          string // the column that names the rows; it is not a feature
	Group       string // the column that tells which rows belong together; it is not a feature
	Time        string // the column of times, numbers or ISO 8601 dates and times; it is not a feature
	Categorical string // columns whose cells are categories even if they look like numbers
}
