package repro

import (
	"math"
	"testing"
)

// bold is the method that the paper prints in bold in every row of a table, in the
// rows' order.
var bold = map[string][]string{
	"table1": {"Triangular basis function"},
	"table2": {"KRVFL+"},
	"table4": {"KRVFL+", "KRVFL+", "RVFL+", "KRVFL+", "RVFL+", "KRVFL+", "KRVFL+", "Fast SVM+"},
	"table6": {"KRVFL+", "RVFL+", "KRVFL+", "RVFL+", "KRVFL+"},
	"table7": {"KRVFL+", "KRVFL+", "KRVFL+", "KRVFL+", "Fast SVM+", "RVFL+", "KRVFL+", "KRVFL+"},
	"table8": {"KRVFL+", "RVFL+", "RVFL+", "KRVFL+", "KRVFL+"},
}

type sums struct {
	cells, over    int
	value, seconds float64
}

var tableSums = map[string]sums{
	"table1": {5, 0, 432.06, 0},
	"table2": {11, 0, 986.43, 14.883},
	"table4": {48, 2, 3150.32, 8534.21},
	"table6": {20, 0, 653.258, 36.9218},
	"table7": {48, 2, 2844.53, 10422.537},
	"table8": {20, 0, 643.453, 88.2483},
}

// A mistyped digit would most likely break one of these: what is bold is the best of
// its row, and sums over a table's values and seconds were taken from the paper's text
// by another program.
func TestPrintedTablesAreThePapers(t *testing.T) {
	for name, want := range tableSums {
		var got sums
		for i, row := range printed[name].rows {
			if len(row.cells) != len(printed[name].columns) {
				t.Fatalf("%s: %s has %d cells", name, row.dataset, len(row.cells))
			}
			best := printed[name].columns[bestOf(row.cells, name == "table6" || name == "table8")]
			if best.Method != bold[name][i] && best.Activation != bold[name][i] {
				t.Errorf("%s: best on %s is %+v, in bold %s", name, row.dataset, best, bold[name][i])
			}
			for _, c := range row.cells {
				got.cells++
				got.value += c.Value
				if c.Over {
					got.over++
				}
				if !math.IsNaN(c.Seconds) {
					got.seconds += c.Seconds
				}
			}
		}
		if got.cells != want.cells || got.over != want.over || math.Abs(got.value-want.value) > 1e-6 ||
			math.Abs(got.seconds-want.seconds) > 1e-6 {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if len(tableSums) != len(printed) {
		t.Errorf("%d tables have sums, of %d", len(tableSums), len(printed))
	}
}

func bestOf(cells []Published, least bool) int {
	best := 0
	for i, c := range cells {
		if c.Value != cells[best].Value && (c.Value < cells[best].Value) == least {
			best = i
		}
	}
	return best
}

func TestInPaper(t *testing.T) {
	for _, c := range []struct {
		table string
		key   Key
		want  float64 // 0: none
	}{
		{"table1", Key{"ours", "MNIST+", "RVFL+", "", "Triangular basis"}, 90.41},
		{"table2", Key{"published", "MNIST+", "RVFL+", "", "Triangular basis"}, 90.40},
		{"table2", Key{"published", "MNIST+", "RVFL+", "", "Sigmoid"}, 0},
		{"table2", Key{"published", "MNIST+", "SVM", "Gaussian kernel", ""}, 92.34},
		{"table2", Key{"published", "MNIST+", "SVM", "Linear kernel", ""}, 81.73},
		{"table4", Key{"ours", "Red Wine Quality, 3-4/5-6/7-8", "KRVFL+", "Gaussian kernel", ""}, 65.54},
		{"table4", Key{"ours", "Wine", "KRVFL", "Gaussian kernel", ""}, 0},
		{"table6", Key{"ours", "EDM", "SVR", "", ""}, 0.069},
		{"table3", Key{"ours", "EDM", "SVR", "", ""}, 0},
	} {
		got := InPaper(c.table, c.key)
		if got == nil && c.want != 0 || got != nil && got.Value != c.want {
			t.Errorf("%s %+v: %+v, want %g", c.table, c.key, got, c.want)
		}
	}
}
