package repro

import (
	"cmp"
	"slices"
	"strings"
)

// readings reports whether an experiment compares readings of the paper, not methods.
func (e *Experiment) readings() bool { return e.Numbers != "" }

// The names of the experiments on readings.
const (
	ReadingsName           = "readings"
	ReadingsRegressionName = "readings-regression"
)

// readingsOfClassifications runs table 4 under every reading of what the paper leaves open: which columns are normal,
// and over what the L1 norm is taken. The cells of the first reading are those of the table. Shuttle is left out: each
// of its cells takes minutes, and all of them are near 100 %.
func readingsOfClassifications() *Experiment {
	return &Experiment{
		Name: ReadingsName, Numbers: "table4", Metric: accuracy,
		Title:     "What table 4 leaves open: normal columns and normalisation",
		Protocols: readingsOf(published("folds", tableDraws)),
		Datasets: slices.DeleteFunc(classifications(nil), func(d Dataset) bool {
			return d.Entry == "shuttle"
		}),
		Methods: readMethods(),
	}
}

// readingsOfRegressions does so with table 6. SCM1D, of which only a part is at hand, is left out.
func readingsOfRegressions() *Experiment {
	return &Experiment{
		Name: ReadingsRegressionName, Numbers: "table6", Metric: rmse,
		Title:     "What table 6 leaves open: normal columns and normalisation",
		Protocols: readingsOf(published("folds", tableDraws)),
		Datasets:  slices.DeleteFunc(regressions(), func(d Dataset) bool { return d.Entry == "scm1d" }),
		Methods:   readMethods(),
	}
}

// readMethods are the paper's best method and its baseline.
func readMethods() []Method {
	return []Method{kernelMethod("KRVFL+", "krvfl+"), layerMethod("RVFL", "rvfl", "sigmoid", sigmoid)}
}

// normalisation and normalColumns are the two words of a reading's name.
func normalisation(p Protocol) string { return strings.SplitN(p.Name, ", ", 2)[1] }

func normalColumns(p Protocol) string { return strings.SplitN(p.Name, ", ", 2)[0] }

// normalOf tells which columns are normal, in words.
var normalOf = map[string]string{
	"":            "the first half of the columns normal",
	secondColumns: "the second half of the columns normal",
	oddColumns:    "every other column from the first normal",
	evenColumns:   "every other column from the second normal",
}

// readingsOf returns a protocol under every reading, the joint norm of rows last. The first is the protocol itself.
func readingsOf(base Protocol) []Protocol {
	var out []Protocol
	for _, s := range []struct{ name, scale, norm, words string }{
		{"rows", "l1", "", "rows divided by their L1 norm in each space"},
		{"columns", "none", normOfColumns, "columns divided by their L1 norm in the training rows"},
		{"standardised", "standard", "", "columns standardised"},
		{"joint rows", "none", normOfRows, "rows divided by one L1 norm over both spaces"},
	} {
		for _, columns := range []string{"", secondColumns, oddColumns, evenColumns} {
			if s.norm == normOfRows && columns != "" && columns != secondColumns {
				continue // both halves show what a joint norm does
			}
			p := base
			p.Of, p.Reading = base.Name, Reading{Columns: columns, Norm: s.norm}
			p.Scale, p.Name = s.scale, cmp.Or(columns, "first")+", "+s.name
			p.Title = normalOf[columns] + ", " + s.words
			out = append(out, p)
		}
	}
	return out
}
