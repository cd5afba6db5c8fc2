package roles_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
	"rvflplus/internal/roles"
)

var ctx = context.Background()

func source(t testing.TB, name, text string) dataset.Source {
	t.Helper()
	r, err := csv.NewReader(strings.NewReader(text), csv.Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func load(t testing.TB, main, priv, key string, sel dataset.Selection) (*roles.Data, error) {
	t.Helper()
	return roles.Sources{Main: source(t, "d.csv", main), Priv: source(t, "p.csv", priv), Key: key}.Load(ctx, sel)
}

func texts(d *roles.Data, columns []int) string {
	var rows []string
	for i := range d.Rows {
		var cells []string
		for _, c := range d.Pick(columns) {
			cells = append(cells, c.Text(i))
		}
		rows = append(rows, strings.Join(cells, ","))
	}
	return strings.Join(rows, " ")
}

func names(d *roles.Data, columns []int) string {
	var out []string
	for _, c := range d.Pick(columns) {
		out = append(out, c.Name)
	}
	return strings.Join(out, ",")
}

func TestJoin(t *testing.T) {
	const main = "id,x,y\na,1,10\nc,2,20\n b ,3,30\na,4,40\n"
	for name, c := range map[string]struct {
		main, priv, key string
		sel             dataset.Selection
		normal, values  string
		names           string
	}{
		"order of DATA": {main, "id,l,m\nb,7,u\nc,8,v\na,9,w\n", "id", dataset.Selection{Target: "y"}, "x",
			"9,w 8,v 7,u 9,w", "l,m"},
		"two names": {main, "l,patient\n7,b\n8,c\n9,a\n", "id=patient", dataset.Selection{Target: "y"}, "x",
			"9 8 7 9", "l"},
		"positions": {main, "l,patient\n7,b\n8,c\n9,a\n", "1:1=2:2", dataset.Selection{Target: "y"}, "x", "9 8 7 9",
			"l"},
		"chosen": {main, "id,l,m\nb,7,1\nc,8,2\na,9,3\n", "id", dataset.Selection{Target: "y", Priv: "m"}, "x",
			"3 2 1 3", "m"},
		"in order": {main, "id,l,m\nb,7,1\nc,8,2\na,9,3\n", "id", dataset.Selection{Target: "y", Priv: "m,l"}, "x",
			"3,9 2,8 1,7 3,9", "m,l"},
		"glob": {main, "id,l,m\nb,7,1\nc,8,2\na,9,3\n", "id", dataset.Selection{Target: "y", Priv: "?*"}, "x",
			"9,3 8,2 7,1 9,3", "l,m"},
		"id too": {main, "id,l\nb,7\nc,8\na,9\n", "id", dataset.Selection{Target: "y", ID: "id"}, "x", "9 8 7 9",
			"l"},
		"globs of DATA": {main, "id,l\nb,7\nc,8\na,9\n", "id", dataset.Selection{Target: "y", Normal: "*"}, "x",
			"9 8 7 9", "l"},
		"last column": {"x,y,id\n1,2,a\n3,4,b\n", "l,id\n5,b\n6,a\n", "id", dataset.Selection{Target: "y"}, "x",
			"6 5", "l"},
		"as written": {"k,x,y\n01,1,1\n1,2,2\n1.0,3,3\n1e0,4,4\n", "k,l\n1,10\n1.0,11\n1e0,12\n01,13\n", "k",
			dataset.Selection{Target: "y"}, "x", "13 10 11 12", "l"},
		"equals sign": {"a=b,x,y\nu,1,1\nv,2,2\n", "a=b,l\nv,3\nu,4\n", "a=b", dataset.Selection{Target: "y"}, "x",
			"4 3", "l"},
	} {
		d, err := load(t, c.main, c.priv, c.key, c.sel)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := texts(d, d.Roles.Priv); got != c.values || names(d, d.Roles.Priv) != c.names ||
			names(d, d.Roles.Normal) != c.normal {
			t.Errorf("%s: normal %s, privileged %s: %s", name, names(d, d.Roles.Normal), names(d, d.Roles.Priv), got)
		}
		if names(d, d.Roles.Target) != "y" || d.Unmatched("") != nil || len(d.Notes) > 0 {
			t.Errorf("%s: target %s, %v, notes %q", name, names(d, d.Roles.Target), d.Unmatched(""), d.Notes)
		}
		if c.sel.ID != "" && d.Columns[d.Roles.ID].Text(1) != "c" {
			t.Errorf("%s: the id is lost", name)
		}
	}
}

func TestUnmatchedRows(t *testing.T) {
	d, err := load(t, "id,x,y\na,1,1\nq,2,2\nNA,3,3\n,4,4\nb,5,5\nr,6,6\n",
		"id,l,m\nb,1,u\nNA,2,u\n,3,u\nz,4,v\na,5,v\n", "id", dataset.Selection{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []bool{true, false, false, false, true, false}; !slices.Equal(d.Matched, want) {
		t.Errorf("matched %v, want %v", d.Matched, want)
	}
	if got := texts(d, d.Roles.Priv); got != "5,v , , , 1,u ," {
		t.Errorf("privileged cells %q", got)
	}
	for _, c := range d.Pick(d.Roles.Priv) {
		if !c.Missing(1) || c.Missing(0) {
			t.Errorf("column %q: the cells of unmatched rows are not missing", c.Name)
		}
	}
	const want = `4 of 6 rows have no match among the keys of the privileged file: d.csv:3: column 1 ("id") has "q"; ` +
		`d.csv:4: column 1 ("id") has no key; d.csv:5: column 1 ("id") has no key; …`
	if err := d.Unmatched("do this"); !errors.Is(err, fault.Data) || err.Error() != want ||
		fault.HintOf(err) != "do this" {
		t.Errorf("error %v", err)
	}
	if len(d.Notes) != 1 || d.Notes[0] != "3 of 5 rows of p.csv are not used: their keys are in no row of d.csv" {
		t.Errorf("notes %q", d.Notes)
	}
	if place := d.Pick(d.Roles.Priv)[0].Place(4); place != `p.csv:2: column 2 ("l")` {
		t.Errorf("the place of a joined cell is %s", place)
	}
	few := d.Only([]int{0, 4})
	if few.Unmatched("") != nil || few.Rows != 2 || texts(few, few.Roles.Priv) != "5,v 1,u" {
		t.Errorf("the matched rows alone: %v", few.Unmatched(""))
	}
}

func TestJoinRefuses(t *testing.T) {
	const main = "id,x,y\na,1,1\nb,2,2\n"
	for name, c := range map[string]struct {
		priv, key string
		sel       dataset.Selection
		kind      fault.Kind
		text      string
	}{
		"no such column in DATA": {"id,l\na,1\n", "idd", dataset.Selection{}, fault.Usage,
			`key, in DATA: no column is named "idd"`},
		"none in the file": {"k,l\na,1\n", "id", dataset.Selection{}, fault.Usage,
			`key, in the privileged file: no column is named "id"`},
		"second name": {"k,l\na,1\n", "id=kk", dataset.Selection{}, fault.Usage,
			`key, in the privileged file: no column is named "kk"`},
		"several columns": {"id,l\na,1\n", "id,x", dataset.Selection{}, fault.Usage,
			`key names one column of DATA; "id,x" selects 2`},
		"half": {"id,l\na,1\n", "id=", dataset.Selection{}, fault.Usage,
			`key names one column of the privileged file; "" selects 0`},
		"target": {"id,l\na,1\n", "y=id", dataset.Selection{Target: "y"}, fault.Usage,
			`column "y" is selected twice, as target and as key`},
		"normal": {"id,l\na,1\n", "id", dataset.Selection{Normal: "id,x"}, fault.Usage,
			`column "id" is selected twice, as key and as normal`},
		"weight": {"id,l\na,1\n", "id", dataset.Selection{Weight: "id"}, fault.Usage,
			`column "id" is selected twice, as key and as weight`},
		"privileged": {"id,l\na,1\n", "id", dataset.Selection{Priv: "l,id"}, fault.Usage,
			`column "id" is selected twice, as key and as privileged`},
		"duplicate keys": {"id,l\na,1\nb,2\n\"a \",3\n", "id", dataset.Selection{}, fault.Data,
			`p.csv:4: column 1 ("id"): the key "a" is also in p.csv:2: column 1 ("id")`},
		"duplicates that are not": {"id,l\nz,1\nz,2\na,3\nb,4\n", "id", dataset.Selection{}, fault.Data,
			`p.csv:3: column 1 ("id"): the key "z" is also in p.csv:2`},
		"long keys": {"id,l\n" + strings.Repeat("ä", 500) + ",1\n" + strings.Repeat("ä", 500) + ",2\n",
			"id", dataset.Selection{}, fault.Data, "ä…\" is also"},
		"a header alone": {"id,l\n", "id", dataset.Selection{}, fault.Data,
			"p.csv has no rows below its header"},
	} {
		_, err := load(t, main, c.priv, c.key, c.sel)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) || len(err.Error()) > 250 {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := roles.Sources{Main: source(t, "d.csv", main), Key: "id"}.Load(ctx, dataset.Selection{})
	if !errors.Is(err, fault.Usage) || !strings.Contains(fault.HintOf(err), "priv-data") {
		t.Errorf("without a file: %v", err)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	s := roles.Sources{Main: source(t, "d.csv", main), Priv: source(t, "p.csv", "id,l\na,1\nb,2\n"), Key: "id"}
	if _, err := s.Load(done, dataset.Selection{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What nothing learns from is not joined, but its key is no feature.
func TestSkippedPrivilegedFileIsNotJoined(t *testing.T) {
	s := roles.Sources{Main: source(t, "d.csv", "id,x\na,1\nb,2\n"), Priv: source(t, "p.csv", "id,l\na,1\na,2\n"),
		Key: "id", SkipPriv: true}
	d, err := s.Load(ctx, dataset.Selection{})
	if err != nil || names(d, d.Roles.Normal) != "x" || d.PrivSkipped != 1 || d.Matched != nil || d.Roles.Key != -1 {
		t.Errorf("%+v, %v", d, err)
	}
}

// numbered is a source without lines, in blocks of two rows.
type numbered struct{ keys, values []float64 }

func (n numbered) Fields() []dataset.Field {
	return []dataset.Field{{Name: "k", Kind: dataset.Numeric}, {Name: "v", Kind: dataset.Numeric}}
}

func (n numbered) Blocks(_ context.Context, as []dataset.ReadAs) dataset.Blocks {
	return dataset.Convert(func(yield func(*dataset.Table, error) bool) {
		for lo := 0; lo < len(n.keys); lo += 2 {
			hi := min(lo+2, len(n.keys))
			origin := &dataset.Origin{File: "n.npy", First: lo}
			t := &dataset.Table{Rows: hi - lo, Columns: []dataset.Column{
				{Name: "k", Numbers: slices.Clone(n.keys[lo:hi]), Origin: origin, Number: 1},
				{Name: "v", Numbers: slices.Clone(n.values[lo:hi]), Origin: origin, Number: 2},
			}}
			if !yield(t, nil) {
				return
			}
		}
	}, as)
}

func TestJoinOfRowsWithoutLines(t *testing.T) {
	nan := math.NaN()
	priv := numbered{[]float64{3, nan, 2.5, 1}, []float64{30, 1, nan, 10}}
	s := roles.Sources{Main: source(t, "d.csv", "k,y\n1,0\n2.5,0\n3,0\n"), Priv: priv, Key: "k"}
	d, err := s.Load(ctx, dataset.Selection{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	v := d.Pick(d.Roles.Priv)[0]
	if texts(d, d.Roles.Priv) != "10  30" || d.Unmatched("") != nil || v.Place(1) != `n.npy: row 3, column "v"` {
		t.Errorf("%q, place %s, %v", texts(d, d.Roles.Priv), v.Place(1), d.Unmatched(""))
	}
	if place := d.Only([]int{2}).Pick(d.Roles.Priv)[0].Place(0); place != `n.npy: row 1, column "v"` {
		t.Errorf("after a choice of rows the place is %s", place)
	}
	s.Main, s.Priv = source(t, "d.csv", "k,y\n1,0\n"), numbered{[]float64{1, 2, 1}, []float64{1, 2, 3}}
	if _, err := s.Load(ctx, dataset.Selection{Target: "y"}); err == nil ||
		!strings.Contains(err.Error(), `n.npy: row 3, column "k": the key "1" is also in n.npy: row 1`) {
		t.Errorf("duplicates: %v", err)
	}
}

// FuzzJoin compares with looking every key up row by row.
func FuzzJoin(f *testing.F) {
	f.Add("a b c", "c a b")
	f.Add("1 1.0 NA", "1 ? 1.0")
	f.Add("a a", "a a")
	f.Add("x", "")
	f.Fuzz(func(t *testing.T, left, right string) {
		l, r := strings.Fields(clean(left)), strings.Fields(clean(right))
		d, err := load(t, column("k,y", l), column("k,v", r), "k", dataset.Selection{Target: "y"})
		seen := map[string]bool{}
		for _, key := range r {
			if seen[key] && !missing(key) {
				if !errors.Is(err, fault.Data) {
					t.Fatalf("%q twice: %v", key, err)
				}
				return
			}
			seen[key] = true
		}
		if err != nil {
			if len(r) > 0 || !errors.Is(err, fault.Data) {
				t.Fatalf("%q, %q: %v", left, right, err)
			}
			return
		}
		for i, key := range l {
			want := slices.Index(r, key)
			if missing(key) {
				want = -1
			}
			v := d.Pick(d.Roles.Priv)[0]
			if d.Matched[i] != (want >= 0) || want >= 0 && v.Numbers[i] != float64(want) || want < 0 && !v.Missing(i) {
				t.Errorf("%q, %q: row %d has %v, want that of row %d", left, right, i, v.Text(i), want)
			}
		}
	})
}

// clean leaves out what would not come back from a CSV cell as it is.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == 0 || r == '"' || r == ',' || r == '\r' || r == '\ufeff' {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(text, "_"))
}

func missing(key string) bool {
	_, kind := celltext.Parse(key)
	return kind == celltext.Missing
}

func column(header string, keys []string) string {
	text := header + "\n"
	for i, key := range keys {
		text += fmt.Sprintf("%s,%d\n", key, i)
	}
	return text
}
