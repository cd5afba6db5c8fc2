package lead

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
)

var ctx = context.Background()

// nominal returns a column of texts; "" is a missing cell.
func nominal(name string, texts ...string) dataset.Column {
	c := dataset.Column{Name: name, Codes: make([]int, len(texts))}
	for i, text := range texts {
		if c.Codes[i] = slices.Index(c.Levels, text); c.Codes[i] < 0 && text != "" {
			c.Codes[i] = len(c.Levels)
			c.Levels = append(c.Levels, text)
		}
	}
	return c
}

func numbers(name string, v ...float64) dataset.Column { return dataset.Column{Name: name, Numbers: v} }

func table(columns ...dataset.Column) *dataset.Table {
	c := columns[0]
	return &dataset.Table{Rows: len(c.Numbers) + len(c.Codes), Columns: columns}
}

// cells returns a column as texts, "-" for a missing cell.
func cells(t *dataset.Table, name string) string {
	c := t.Find(name)
	var out []string
	for i := range t.Rows {
		if text := c.Text(i); text != "" {
			out = append(out, text)
		} else {
			out = append(out, "-")
		}
	}
	return strings.Join(out, " ")
}

func TestAdd(t *testing.T) {
	in := table(
		nominal("id", "a", "b", "a", "b", "a"), numbers("t", 1, 1, 2, 5, 9), numbers("x", 10, 20, 30, 40, math.NaN()),
		nominal("kind", "u", "v", "v", "", "u"),
	)
	r, err := Add(ctx, in, Options{By: 0, Time: 1, Columns: []int{3, 2}, Steps: []int{2, 1}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"kind_lead1": "v - u - -", "kind_lead2": "u - - - -", "x_lead1": "30 40 - - -", "x_lead2": "- - - - -",
		"x": "10 20 30 40 -",
	} {
		if got := cells(r.Table, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if names := "kind_lead2 kind_lead1 x_lead2 x_lead1"; strings.Join(r.Columns, " ") != names ||
		strings.Join(r.Table.Names(), " ") != "id t x kind "+names {
		t.Errorf("columns %v of %v", r.Columns, r.Table.Names())
	}
	if r.Series != 2 || r.Empty != 5 || len(in.Columns) != 4 {
		t.Errorf("%d series, %d rows with empty cells, table of %d columns", r.Series, r.Empty, len(in.Columns))
	}
}

func TestSort(t *testing.T) {
	in := table(nominal("id", "b", "a", "b", "a", "b"), numbers("t", 3, 2, 1, 1, 2), numbers("x", 1, 2, 3, 4, 5))
	r, err := Add(ctx, in, Options{By: 0, Time: 1, Columns: []int{2}, Steps: []int{1}, Sort: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"id": "b b b a a", "t": "1 2 3 1 2", "x": "3 5 1 4 2", "x_lead1": "5 1 - 2 -",
	} {
		if got := cells(r.Table, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if cells(in, "t") != "3 2 1 1 2" {
		t.Error("the table itself was sorted")
	}
}

func TestTimesAreInstants(t *testing.T) {
	ascending := []string{
		"1999-12", "2000-01-01", "2000-01-01T00:00:01", "2000-01-01 12:30", "2000-01-01T13:30:00.25",
		"2000-01-01T15:00+01:00", "2000-01-01T14:00:01Z", "20000102T000000", "2000-01-03 00:00:00-05:00",
	}
	x := numbers("x", make([]float64, len(ascending))...)
	in := table(nominal("t", ascending...), x)
	if _, err := Add(ctx, in, Options{By: -1, Time: 0, Columns: []int{1}, Steps: []int{1}}); err != nil {
		t.Error(err)
	}
	same := table(nominal("t", "2000-01-01T15:00+01:00", "2000-01-01T14:00Z"), numbers("x", 1, 2))
	_, err := Add(ctx, same, Options{By: -1, Time: 0, Columns: []int{1}, Steps: []int{1}})
	if !errors.Is(err, fault.Data) {
		t.Errorf("one instant in two time zones: %v", err)
	}
}

func TestAddRefuses(t *testing.T) {
	id, x := nominal("id", "a", "a", "b"), numbers("x", 1, 2, 3)
	t3 := numbers("t", 1, 2, 3)
	for _, c := range []struct {
		name       string
		time, id   dataset.Column
		by, step   int
		kind       fault.Kind
		text, hint string
	}{
		{"descending", numbers("t", 2, 1, 3), id, 1, 1, fault.Data,
			`row 2, column "t": the time 1 comes after 2, that of the row before of series "a"`, "sort"},
		{"descending, one", numbers("t", 2, 3, 1), id, -1, 1, fault.Data,
			`row 3, column "t": the time 1 comes after 3`, "sort"},
		{"equal", numbers("t", 2, 2, 3), id, 1, 1, fault.Data,
			`row 2, column "t": the time 2 is also that of row 1, column "t" of series "a"`, "one row at a time"},
		{"equal, one", numbers("t", 2, 2, 3), id, -1, 1, fault.Data, `the time 2 is also that of`, "with by"},
		{"no time", numbers("t", 2, math.NaN(), 3), id, 1, 1, fault.Data,
			`row 2, column "t": the cell is missing`, "give the row its time"},
		{"no series", t3, nominal("id", "a", "", "b"), 1, 1, fault.Data,
			`row 2, column "id": the cell is missing`, "name of its series"},
		{"not a time", nominal("t", "2000-01-01", "2000-01-32", "b"), id, 1, 1, fault.Data,
			`row 2, column "t": "2000-01-32" is not a time`, "2006-01-02"},
		{"beyond all", t3, id, 1, 2, fault.Data,
			`no row has another 2 rows later: the longest series, "a", has 2 rows`, "smaller steps"},
		{"beyond the one", t3, id, -1, 3, fault.Data, `the series has 3 rows`, "smaller steps"},
		{"name is taken", numbers("x_lead1", 1, 2, 3), id, 1, 1, fault.Usage,
			`column "x_lead1" is in the table already`, "rename"},
	} {
		_, err := Add(ctx, table(c.time, c.id, x), Options{By: c.by, Time: 0, Columns: []int{2}, Steps: []int{c.step}})
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) ||
			!strings.Contains(fault.HintOf(err), c.hint) {
			t.Errorf("%s: %v (%s)", c.name, err, fault.HintOf(err))
		}
	}
	empty := table(numbers("t"), nominal("id"), numbers("x"))
	if _, err := Add(ctx, empty, Options{By: 1, Columns: []int{2}, Steps: []int{1}}); !errors.Is(err, fault.Data) {
		t.Errorf("no rows: %v", err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err := Add(stopped, table(t3, id, x), Options{By: 1, Columns: []int{2}, Steps: []int{1}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestParseSteps(t *testing.T) {
	if steps, err := ParseSteps("6, 1,12"); err != nil || !slices.Equal(steps, []int{6, 1, 12}) {
		t.Errorf("%v, %v", steps, err)
	}
	for _, text := range []string{"", "0", "-1", "1.5", "1,,2", "one", "1,2,1", "99999999999999999999"} {
		if steps, err := ParseSteps(text); !errors.Is(err, fault.Usage) {
			t.Errorf("%q: %v, %v", text, steps, err)
		}
	}
}

// drawn is a table of times, numbers and series: the times in random order, or ascending.
func drawn(seed uint64, rows, kinds int, ascending bool) *dataset.Table {
	r := rand.New(rand.NewPCG(seed, 1))
	at, x, names := make([]float64, rows), make([]float64, rows), make([]string, rows)
	for i, place := range r.Perm(rows) {
		if ascending {
			place = i
		}
		at[i], x[i], names[i] = float64(place), r.NormFloat64(), strconv.Itoa(r.IntN(kinds))
	}
	return table(numbers("t", at...), numbers("x", x...), nominal("id", names...))
}

// later returns x of the row that has exactly step-1 rows of its series in time between itself and row i, NaN without.
func later(t *dataset.Table, i, step int) float64 {
	at, x, id := t.Columns[0].Numbers, t.Columns[1].Numbers, t.Columns[2].Codes
	for j := range t.Rows {
		between := 0
		for k := range t.Rows {
			if id[k] == id[i] && at[k] > at[i] && at[k] < at[j] {
				between++
			}
		}
		if id[j] == id[i] && at[j] > at[i] && between == step-1 {
			return x[j]
		}
	}
	return math.NaN()
}

// FuzzAdd compares Add with later.
func FuzzAdd(f *testing.F) {
	f.Add(uint64(1), 10, 3, 2, true)
	f.Add(uint64(2), 1, 1, 1, false)
	f.Add(uint64(3), 40, 5, 7, true)
	f.Add(uint64(4), 25, 1, 24, false)
	f.Fuzz(func(t *testing.T, seed uint64, rows, kinds, step int, sort bool) {
		if min(rows, kinds, step) < 1 || max(rows, kinds) > 60 {
			return
		}
		in := drawn(seed, rows, kinds, !sort)
		want, empty := map[float64]float64{}, 0 // by time, since sorting moves rows
		for i, at := range in.Columns[0].Numbers {
			if want[at] = later(in, i, step); math.IsNaN(want[at]) {
				empty++
			}
		}
		got, err := Add(ctx, in, Options{By: 2, Time: 0, Columns: []int{1}, Steps: []int{step}, Sort: sort})
		if empty == rows {
			if !errors.Is(err, fault.Data) {
				t.Fatalf("%d steps, no row has a later one: %v", step, err)
			}
			return
		}
		if err != nil || got.Empty != empty {
			t.Fatalf("%d rows with empty cells, want %d (%v)", got.Empty, empty, err)
		}
		for i, at := range got.Table.Columns[0].Numbers {
			if v := got.Table.Columns[3].Numbers[i]; math.Float64bits(v) != math.Float64bits(want[at]) {
				t.Fatalf("time %v: %v, want %v", at, v, want[at])
			}
		}
	})
}
