package repro

import (
	"math"
	"slices"
	"testing"

	"rvflplus/internal/roles"
)

// The nine features of Glass under every choice of normal columns.
func TestNormalColumnsOfReadings(t *testing.T) {
	normal, priv := []int{0, 1, 2, 3, 4}, []int{5, 6, 7, 8}
	for columns, want := range map[string][2][]int{
		"":            {normal, priv},
		secondColumns: {{4, 5, 6, 7, 8}, {0, 1, 2, 3}},
		oddColumns:    {{0, 2, 4, 6, 8}, {1, 3, 5, 7}},
		evenColumns:   {{1, 3, 5, 7}, {0, 2, 4, 6, 8}},
	} {
		first, rest := (Reading{Columns: columns}).divide(normal, priv)
		if !slices.Equal(first, want[0]) || !slices.Equal(rest, want[1]) {
			t.Errorf("%q: %v and %v, want %v", columns, first, rest, want)
		}
	}
}

// readPool returns the generated data of Abalone, one of whose features has categories, under a reading.
func readPool(t *testing.T, r Reading) *pool {
	t.Helper()
	d := classifications(nil)[2]
	if d.Entry != "abalone" {
		t.Fatalf("%s is not Abalone", d.Entry)
	}
	set := generated(entry(d.Entry), 1)
	sex := set.Table.Find("sex")
	sex.Codes, sex.Levels = make([]int, set.Table.Rows), []string{"M", "F", "I"}
	for i := range sex.Codes {
		sex.Codes[i] = i % 3
	}
	sex.Numbers = nil
	p, err := newPool(set, d, false)
	if err != nil {
		t.Fatal(err)
	}
	p.read(r)
	return p
}

// features returns the values of columns, row by row.
func features(d *roles.Data, columns []int) [][]float64 {
	out := make([][]float64, d.Rows)
	for i := range out {
		for _, c := range columns {
			out[i] = append(out[i], d.Columns[c].Numbers[i])
		}
	}
	return out
}

// sums adds absolute values by row or by column.
func sums1(values [][]float64, byRow bool) []float64 {
	out := make([]float64, len(values[0]))
	if byRow {
		out = make([]float64, len(values))
	}
	for i, row := range values {
		for k, v := range row {
			if byRow {
				k = i
			}
			out[k] += math.Abs(v)
		}
	}
	return out
}

// Columns have L1 norm 1 over the training rows, also the columns that categories become, and test rows are divided by
// the same numbers; joint rows have norm 1 over both spaces.
func TestNormsOfReadings(t *testing.T) {
	near := func(v float64) bool { return math.Abs(v-1) < 1e-12 }
	all := func(d *roles.Data) []int { return slices.Concat(d.Roles.Normal, d.Roles.Priv) }
	raw, err := readPool(t, Reading{}).split(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readPool(t, Reading{Norm: normOfColumns}).split(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(rows.train.Roles.Normal); n != 3+3 {
		t.Fatalf("%d normal columns: the sex is three", n)
	}
	for k, v := range sums1(features(rows.train, all(rows.train)), false) {
		if !near(v) {
			t.Errorf("column %d has L1 norm %g", k, v)
		}
	}
	const last = 3 // numeric columns before it are sex's, length, diameter and height
	before, after := raw.test.Columns[last].Numbers, rows.test.Columns[last].Numbers
	factor := raw.train.Columns[last].Numbers[0] / rows.train.Columns[last].Numbers[0]
	for i := range before {
		if math.Abs(after[i]*factor-before[i]) > 1e-9 {
			t.Fatalf("test row %d: %g, %g in training units", i, after[i]*factor, before[i])
		}
	}
	if rows, err = readPool(t, Reading{Norm: normOfRows}).split(0, 1); err != nil {
		t.Fatal(err)
	}
	for _, d := range []*roles.Data{rows.train, rows.test} {
		for i, v := range sums1(features(d, all(d)), true) {
			if !near(v) {
				t.Errorf("row %d has L1 norm %g", i, v)
			}
		}
	}
}

// Privileged values of test rows change normal features under the joint norm alone.
func TestOnlyTheJointNormLeaks(t *testing.T) {
	for _, p := range readingsOf(published("folds", tableDraws)) {
		whole, changed := readPool(t, p.Reading), readPool(t, p.Reading)
		data := *changed.data
		table := *data.Table
		table.Columns = slices.Clone(table.Columns)
		for _, i := range data.Roles.Priv {
			if c := &table.Columns[i]; c.Numeric() {
				c.Numbers = slices.Clone(c.Numbers)
				for row := range c.Numbers {
					c.Numbers[row] *= 1.5
				}
			}
		}
		data.Table = &table
		changed.data = &data
		a, errA := whole.split(0, 1)
		b, errB := changed.split(0, 1)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		same := slices.EqualFunc(numeric(a.test), numeric(b.test), slices.Equal)
		if same == p.Reading.leaks() || p.Reading.leaks() != (normalisation(p) == "joint rows") {
			t.Errorf("%s: normal features of test rows are the same: %v, leaks %v", p.Name, same, p.Reading.leaks())
		}
	}
}

// numeric returns the normal columns of numbers.
func numeric(d *roles.Data) [][]float64 {
	var out [][]float64
	for _, i := range d.Roles.Normal {
		if d.Columns[i].Numeric() {
			out = append(out, d.Columns[i].Numbers)
		}
	}
	return out
}

// The cells of the first reading are those of table 4; every other reading has cells of its own.
func TestTheFirstReadingIsThatOfTheTable(t *testing.T) {
	o := onGenerated()
	o.Datasets, o.Methods = []string{"iris"}, []string{"KRVFL+", "RVFL"}
	ofTable := sorted(cellNames(t, o, "table4"), func(j *job) bool {
		return j.protocol.Name == PublishedName && j.dataset.Entry == "iris" &&
			(j.method.Name == "KRVFL+" || j.method.Name == "RVFL")
	})
	names := cellNames(t, o, ReadingsName)
	for j, name := range names {
		first := j.protocol.Name == "first, rows"
		if j.dataset.Entry == "iris" && slices.Contains(ofTable, name) != first {
			t.Errorf("%s, %s: a cell of the table: %v", j.protocol.Name, j.method.Name, !first)
		}
	}
	if all := sorted(names, every); len(ofTable) != 2 || len(all) != len(names) {
		t.Errorf("%d cells of the table, %d names of %d readings", len(ofTable), len(all), len(names))
	}
}
