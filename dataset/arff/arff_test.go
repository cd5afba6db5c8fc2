package arff

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/categories"
	"rvflplus/internal/inputfile"
	"rvflplus/internal/lines"
	"rvflplus/internal/realdata"
	"rvflplus/internal/tabletest"
)

func collect(text io.Reader, as ...dataset.ReadAs) (*Reader, *dataset.Table, error) {
	r, err := NewReader(text, Options{Name: "t.arff"})
	if err != nil {
		return nil, nil, err
	}
	table, err := tabletest.Collect(context.Background(), r, as...)
	return r, table, err
}

func mustRead(t *testing.T, text string, as ...dataset.ReadAs) (*Reader, *dataset.Table) {
	t.Helper()
	r, table, err := collect(strings.NewReader(text), as...)
	if err != nil {
		t.Fatalf("%.99q: %v", text, err)
	}
	return r, table
}

// show writes the rows of a table for comparison; categories are in quotes.
func show(t *dataset.Table) string {
	rows := make([]string, t.Rows)
	for row := range rows {
		cells := make([]string, len(t.Columns))
		for i := range cells {
			c := &t.Columns[i]
			switch {
			case c.Missing(row):
				cells[i] = "?"
			case c.Numeric():
				cells[i] = c.Text(row)
			default:
				cells[i] = fmt.Sprintf("%q", c.Text(row))
			}
		}
		rows[row] = strings.Join(cells, " ")
	}
	return strings.Join(rows, " / ")
}

func TestHeader(t *testing.T) {
	r, table := mustRead(t, "\ufeff% comment\r\n\r\n@RELATION 'a \\'b\\' c'  % d\r\n@Attribute  x\tNUMERIC\r\n"+
		"@attribute 'two words' Real % e\n@attribute \"it's \\\"q\\\"\" integer [0, 5]\n@attribute a%b{ a ,'b "+
		"c',?,\"}\" }\n"+
		" @attribute s string\n@attribute d date 'yyyy-MM-dd'\n@attribute none {}\n\n@DATA \n")
	want := []dataset.Field{
		{Name: "x", Kind: dataset.Numeric},
		{Name: "two words", Kind: dataset.Numeric},
		{Name: `it's "q"`, Kind: dataset.Numeric},
		{Name: "a%b", Kind: dataset.Nominal, Levels: []string{"a", "b c", "?", "}"}},
		{Name: "s"}, {Name: "d"},
		{Name: "none", Kind: dataset.Nominal},
	}
	if got := r.Fields(); !reflect.DeepEqual(got, want) || r.relation != "a 'b' c" || r.Targets() != nil {
		t.Errorf("%+v, relation %q, targets %q", got, r.relation, r.Targets())
	}
	if table.Rows != 0 || len(table.Columns) != 7 || !slices.Equal(table.Columns[3].Levels, want[3].Levels) ||
		table.Columns[4].Numeric() {
		t.Errorf("no rows: %+v", table)
	}
}

func TestTargets(t *testing.T) {
	for relation, want := range map[string]string{
		"x":                       "[]",
		"'x: -C 2'":               "[a b]",
		"'x: -C -1'":              "[c]",
		"'x:-C 3 -split 0.5'":     "[a b c]",
		"'x: -S 1 -C 1'":          "[a]",
		"x: -C 1":                 "[a]",
		"'x -C 2'":                "[]",
		"edm-weka.Add-NT-Clast":   "[]",
		"'x: -C'":                 "[]",
		"'x: -C last'":            "[]",
		"'x: -C 4'":               `t.arff: the relation is called "x: -C 4", but there are 3 attributes`,
		"'x: -C -4'":              `t.arff: the relation is called "x: -C -4", but there are 3 attributes`,
		"'x: -C 0'":               `t.arff: the relation is called "x: -C 0", but there are 3 attributes`,
		"'x: -C 99999999999999'":  `t.arff: the relation`,
		"'x: -C 999999999999999'": `t.arff: the relation`,
	} {
		r, _, err := collect(strings.NewReader("@relation " +
			relation + "\n@attribute a real\n@attribute b real\n@attribute c real\n@data\n"))
		if err != nil {
			if !errors.Is(err, fault.Data) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: %v", relation, err)
			}
			continue
		}
		if got := fmt.Sprint(r.Targets()); got != want {
			t.Errorf("%s: targets %s, want %s", relation, got, want)
		}
	}
}

const header = "@relation r\n@attribute n numeric\n@attribute c {a,'b c',?}\n@attribute s string\n@data\n" // five lines

func TestRows(t *testing.T) {
	for text, want := range map[string]string{
		"1,a,x":                        `1 "a" "x"`,
		"  1.000,   'b c' ,\t\"x y\" ": `1 "b c" "x y"`,
		"1 a x\n\n% c\n2\ta\ty":        `1 "a" "x" / 2 "a" "y"`,
		"?,?,?":                        "? ? ?",
		"NaN,'?','?'":                  `? "?" "?"`,
		",,":                           "? ? ?",
		"'-0',a,''":                    `-0 "a" ""`,
		"1,a,x,":                       `1 "a" "x"`,
		"1,a,x % comment":              `1 "a" "x"`,
		"1,a,'50% of it'":              `1 "a" "50% of it"`,
		`1,a,'\'\"\\\t\101\u\%\n'`:     `1 "a" "'\"\\\tAu%\n"`,
		`1,a,'\0\377\400'`:             `1 "a" "\x00ÿ 0"`,
		"1,a,NA":                       `1 "a" "NA"`,
		"{}":                           `0 "a" ?`,
		"{0 1.5, 2 x}":                 `1.5 "a" "x"`,
		" { 1 'b c' }%":                `0 "b c" ?`,
		"{1 ?,2 ?}":                    `0 ? ?`,
		"{0 1 2 y}\n2,a,z":             `1 "a" "y" / 2 "a" "z"`,
	} {
		if _, table := mustRead(t, header+text+"\n"); show(table) != want {
			t.Errorf("%s: %s, want %s", text, show(table), want)
		}
	}
}

func TestWants(t *testing.T) {
	text := "@attribute n real\n@attribute m real\n@attribute c {u,v}\n@data\n1.0,x,v\n\n{0 2,2 u}\n1,y,v\n"
	_, table := mustRead(t, text, dataset.Categorical, dataset.Skip, dataset.Auto|dataset.WithText)
	if got := show(table); got != `"1" "v" "v" / "2" "u" "u" / "1" "v" "v"` ||
		!slices.Equal(table.Columns[1].Codes, []int{1, 0, 1}) {
		t.Errorf("%s, %v", got, table.Columns[1].Codes)
	}
	if place := table.Columns[1].Place(2); place != `t.arff:8: column 3 ("c")` {
		t.Error(place)
	}
}

func TestBadInput(t *testing.T) {
	var wide strings.Builder
	for i := range 20 {
		fmt.Fprintf(&wide, "l%d,", i)
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":              {"", "t.arff is empty"},
		"gzip":               {"\x1f\x8b\x08\x00", "t.arff is a gzip"},
		"CSV":                {"a,b\n1,2\n", `t.arff:1:1: "a,b" where a line of the header`},
		"HTML":               {"<html>\n", `t.arff:1:1: "<html>" where`},
		"no data":            {"@relation r\n@attribute a real\n", "t.arff ends without a line @data"},
		"no attributes":      {"@relation r\n\n@data\n1\n", "t.arff:3:1: @data comes before"},
		"no name":            {"@attribute \n", "t.arff:1:12: the attribute has no name"},
		"no type":            {"@attribute a\n", `t.arff:1:13: attribute "a" has the type ""`},
		"type":               {"@attribute a  float\n", `t.arff:1:15: attribute "a" has the type "float"`},
		"comma in name":      {"@attribute a,b real\n", `t.arff:1:13: attribute "a" has the type ",b"`},
		"relational":         {"@attribute a relational\n", `t.arff:1:14: attribute "a" is relational`},
		"weighted attribute": {"@attribute a real {0.5}\n", `t.arff:1:19: text after the type`},
		"twice": {"@attribute a real\n@attribute 'a' real\n",
			`t.arff:2:12: attributes 1 and 2 are both called "a"`},
		"open list":          {"@attribute a {b,c\n", `t.arff:1:18: the list of values`},
		"level twice":        {"@attribute a {b,'b'}\n", `t.arff:1:17: attribute "a" has the value "b" twice`},
		"empty level":        {"@attribute a {b,,c}\n", `t.arff:1:17: ","`},
		"open name":          {"@attribute 'a real\n", "t.arff:1:12: the quote is not closed"},
		"open relation":      {"@relation 'a\n", "t.arff:1:11: the quote is not closed"},
		"name not UTF-8":     {"@attribute \xff real\n", "t.arff:1:12: "},
		"relation not UTF-8": {"@relation \xff\n", "t.arff:1:11: "},
		"short row":          {header + "1,a,x\n1,a\n", "t.arff:7:1: 2 cells, but there are 3"},
		"long row":           {header + "1,a,x,y\n", "t.arff:6:7: more cells than the 3"},
		"blank in value": {header + "1,b c,x\n",
			`t.arff:6:3: column "c": "b" is not among the declared values {a, 'b c', '?'}`},
		"undeclared": {header + "1,a,x\n2,  z,x\n", `t.arff:7:5: column "c": "z" is not among`},
		"no levels": {"@attribute a {}\n@data\nx\n",
			`t.arff:3:1: column "a": "x" is not among the declared values {}`},
		"many levels": {"@attribute a {" + wide.String() + "}\n@data\nx\n",
			`t.arff:3:1: column "a": "x" is not among the declared values {l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, ` +
				`l10, l11, …}`},
		"word":              {header + "x,a,x\n", `t.arff:6:1: column "n" is numeric, but "x" is not a number`},
		"infinity":          {header + "-Inf,a,x\n", `t.arff:6:1: column "n": "-Inf" is not a finite`},
		"overflow":          {header + "1e999,a,x\n", `t.arff:6:1: column "n": "1e999" is not a finite`},
		"comment in cell":   {header + "1%,a,x\n", `t.arff:6:1: column "n" is numeric, but "1%"`},
		"quote in cell":     {header + "1,a,it's\n", "t.arff:6:7: a quote inside"},
		"open quote":        {header + "1,a,'x\ny'\n", "t.arff:6:5: the quote is not closed"},
		"escaped quote":     {header + "1,a,'x\\'", "t.arff:6:5: the quote is not closed"},
		"after quote":       {header + "1,a,'x'y\n", `t.arff:6:8: "y" right after`},
		"brace":             {header + "1,a},x\n", `t.arff:6:4: "}" where`},
		"weight":            {header + "1,a,x,{2}\n", "t.arff:6:7: the row has a weight"},
		"sparse weight":     {header + "{0 1}, {2}\n", "t.arff:6:8: the row has a weight"},
		"after sparse":      {header + "{0 1} 2\n", "t.arff:6:7: text after the sparse row"},
		"open sparse":       {header + "{0 1, 1 a", "t.arff:6:10: the sparse row is not closed"},
		"no sparse value":   {header + "{0 1,1}\n", `t.arff:6:7: "}" where`},
		"no sparse value 2": {header + "{0 1,1\n", "t.arff:6:7: index 1 has no value"},
		"sparse descending": {header + "{1 a,0 1}\n", "t.arff:6:6: index 0 is not beyond"},
		"sparse repeated":   {header + "{0 1,0 1}\n", "t.arff:6:6: index 0 is not beyond"},
		"sparse index":      {header + "{3 1}\n", `t.arff:6:2: "3" is not an index from 0 to 2`},
		"huge sparse index": {header + "{2000000000 1}\n", `t.arff:6:2: "2000000000" is not an index`},
		"long sparse index": {header + "{99999999999999999999 1}\n",
			`t.arff:6:2: "99999999999999999999" is not an index`},
		"negative index": {header + "{-1 1}\n", `t.arff:6:2: "-1" is not an index`},
		"sparse commas":  {header + "{0 1,,1 a}\n", `t.arff:6:6: "," where`},
		"huge cell": {header + "1,a," + strings.Repeat("x", lines.MaxCell+1) + "\n",
			"t.arff:6:5: a cell of 1048577 bytes"},
		"huge quoted cell": {header + "1,a,'" + strings.Repeat("x", lines.MaxCell+1) + "'\n",
			"t.arff:6:5: a cell of 1048577 bytes"},
		"not UTF-8": {header + "1,a,\xff\n", "t.arff:6:5: "},
		"NUL":       {header + strings.Repeat("1,a,x\n", 99) + "1,a,'\x00'\n", "t.arff:105:5: "},
	} {
		_, _, err := collect(strings.NewReader(c.text))
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(fmt.Sprint(err), c.want) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
	}
}

// many yields a header and then rows or attributes without end.
type many struct {
	header, row string
	begun       bool
	number      int
}

func (m *many) Read(p []byte) (int, error) {
	if !m.begun {
		m.begun = true
		return copy(p, m.header), nil
	}
	if strings.Contains(m.row, "%d") {
		m.number++
		return copy(p, fmt.Sprintf(m.row, m.number)), nil
	}
	return copy(p, bytes.Repeat([]byte(m.row), len(p)/len(m.row))), nil
}

func TestMemoryAndCancellationAreChecked(t *testing.T) {
	endless := &many{header: "@relation r\n", row: "@attribute a%d real\n"}
	if _, err := newReader(endless, Options{Name: "t.arff"}, 1000); !errors.Is(err, fault.Data) ||
		!strings.HasPrefix(err.Error(), "t.arff:1002:12: more than 1000 attributes") {
		t.Errorf("endless attributes: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := NewReader(&many{header: header, row: "1,a,x\n"}, Options{})
	if err == nil {
		_, err = dataset.Collect(ctx, r, make([]dataset.ReadAs, 3))
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	tabletest.LimitMemory(t, 16<<20)
	if _, _, err := collect(&many{header: header, row: "1,a,x\n"}); !errors.Is(err, fault.Resource) {
		t.Errorf("endless rows: %v", err)
	}
}

// liac-arff wrote the files; the JSON file is what it wrote.
func TestAgreesWithLiacArff(t *testing.T) {
	var want struct {
		Names         []string
		Levels        [][]string
		Dense, Sparse [][]any
	}
	text, err := os.ReadFile("testdata/liac.json")
	if err == nil {
		err = json.Unmarshal(text, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	for file, rows := range map[string][][]any{"liac.arff": want.Dense, "liac-sparse.arff": want.Sparse} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		r, table := mustRead(t, string(text))
		if !slices.Equal(table.Names(), want.Names) || table.Rows != len(rows) ||
			!slices.Equal(r.Targets(), want.Names[:2]) {
			t.Errorf("%s: columns %q, targets %q, %d rows", file, table.Names(), r.Targets(), table.Rows)
		}
		for i, c := range table.Columns {
			if !slices.Equal(c.Levels, want.Levels[i]) {
				t.Errorf("%s: levels %q, want %q", file, c.Levels, want.Levels[i])
			}
			for row := range rows {
				if got := cell(&c, row); got != rows[row][i] {
					t.Errorf("%s: %s: %v, want %v", file, c.Place(row), got, rows[row][i])
				}
			}
		}
	}
}

// cell returns a cell as encoding/json does.
func cell(c *dataset.Column, row int) any {
	switch {
	case c.Missing(row):
		return nil
	case c.Numeric():
		return c.Numbers[row]
	}
	return c.Text(row)
}

func load(t *testing.T, name string) *dataset.Table {
	t.Helper()
	file, err := inputfile.Open(realdata.File(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, table, err := collect(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return table
}

func TestMulan(t *testing.T) {
	for name, c := range map[string]struct {
		rows, columns int
		target        string
	}{
		"andro.arff":          {49, 30 + 6, "Target"},
		"edm.arff":            {154, 16 + 2, "DFlow"},
		"slump.arff":          {103, 7 + 3, "SLUMP_cm"},
		"scm20d.arff.gz":      {8966, 61 + 16, "LBL"},
		"scm20d-test.arff.gz": {1503, 61 + 16, "LBL"},
	} {
		table := load(t, "mulan/"+name)
		if table.Rows != c.rows || len(table.Columns) != c.columns || !slices.Contains(table.Names(), c.target) {
			t.Errorf("%s: %d rows, %d columns %q", name, table.Rows, len(table.Columns), table.Names())
		}
		for i := range table.Columns {
			if column := &table.Columns[i]; !column.Numeric() || column.FirstMissing() >= 0 {
				t.Errorf("%s: column %q: numeric %t, missing %d", name, column.Name, column.Numeric(),
					column.FirstMissing())
			}
		}
	}
}

// The last rows of the one file are the other, in another number format.
func TestPaddedNumbersAreTheSame(t *testing.T) {
	all, test := load(t, "mulan/scm20d.arff.gz"), load(t, "mulan/scm20d-test.arff.gz")
	for i := range test.Columns {
		if got := all.Columns[i].Numbers[all.Rows-test.Rows:]; !slices.Equal(got, test.Columns[i].Numbers) {
			t.Errorf("column %q differs", test.Columns[i].Name)
		}
	}
}

func write(t *dataset.Table, relation string) (string, error) {
	var out strings.Builder
	err := Write(context.Background(), &out, t.Outline(), tabletest.Blocks(t), relation)
	return out.String(), err
}

func TestWrite(t *testing.T) {
	table := &dataset.Table{Rows: 3, Columns: []dataset.Column{
		{Name: "x y", Numbers: []float64{0.1, math.NaN(), math.Copysign(0, -1)}},
		{Name: "c", Codes: []int{1, -1, 0}, Levels: []string{"?", "it's"}},
		{Name: "none", Codes: []int{-1, -1, -1}},
	}}
	const want = "@relation 'r: -C -2'\n\n@attribute 'x y' numeric\n@attribute c {'?','it\\'s'}\n@attribute none " +
		"{}\n\n" +
		"@data\n0.1,'it\\'s',?\n?,?,?\n-0,'?',?\n"
	got, err := write(table, "r: -C -2")
	if got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	r, _ := mustRead(t, got)
	if !slices.Equal(r.Targets(), []string{"c", "none"}) {
		t.Errorf("targets %q", r.Targets())
	}
	if got, _ := write(&dataset.Table{}, ""); !strings.HasPrefix(got, "@relation table\n") {
		t.Error(got)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	numbers := &dataset.Table{Rows: 1, Columns: []dataset.Column{{Name: "a", Numbers: []float64{1}}}}
	words := &dataset.Table{Rows: 1, Columns: []dataset.Column{{Name: "a", Codes: []int{0}, Levels: []string{"u"}}}}
	others := &dataset.Table{Rows: 1, Columns: []dataset.Column{{Name: "a", Codes: []int{0}, Levels: []string{"v"}}}}
	wide := &dataset.Table{Rows: 1, Columns: append(slices.Clone(numbers.Columns), words.Columns...)}
	for name, c := range map[string]struct {
		outline dataset.Outline
		block   *dataset.Table
	}{
		"word in number": {numbers.Outline(), words},
		"number in word": {words.Outline(), numbers},
		"other word":     {words.Outline(), others},
		"wider":          {words.Outline(), wide},
	} {
		if err := Write(context.Background(), io.Discard, c.outline, tabletest.Blocks(c.block),
			""); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	bad := &dataset.Table{Columns: []dataset.Column{{Name: "\xff", Numbers: []float64{}}}}
	if _, err := write(bad, ""); !errors.Is(err, fault.Data) {
		t.Errorf("a name that is not UTF-8: %v", err)
	}
	if err := Write(context.Background(), tabletest.FullDisk{}, numbers.Outline(), tabletest.Blocks(numbers),
		""); !errors.Is(err, tabletest.ErrFull) {
		t.Errorf("a full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Write(ctx, io.Discard, numbers.Outline(), tabletest.Blocks(numbers),
		""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// oddText draws a name with characters that mean something.
func oddText(rng *rand.Rand) string {
	odd := []rune("ab?%@ ,'\"{}\\\t\n\r\x00\x1f\u007f\u00a0é数#;0123u-\u2028𝄞")
	text := make([]rune, rng.IntN(7))
	for i := range text {
		text[i] = odd[rng.IntN(len(odd))]
	}
	return string(text)
}

func distinct(rng *rand.Rand, n int) []string {
	d := categories.New()
	for len(d.Levels) < n {
		d.Code(oddText(rng))
	}
	return d.Levels
}

// extreme draws a double: often 0, often any bits that are finite, or NaN.
func extreme(rng *rand.Rand) float64 {
	switch rng.IntN(4) {
	case 0:
		return math.Copysign(0, rng.Float64()-0.5)
	case 1:
		return float64(rng.IntN(100)) / 8
	}
	if v := math.Float64frombits(rng.Uint64()); v-v == 0 {
		return v
	}
	return math.NaN()
}

func randomTable(rng *rand.Rand) *dataset.Table {
	table := &dataset.Table{Rows: rng.IntN(20)}
	for _, name := range distinct(rng, 1+rng.IntN(8)) {
		c := dataset.Column{Name: name}
		if rng.IntN(2) == 0 {
			c.Numbers = make([]float64, table.Rows)
			for i := range c.Numbers {
				c.Numbers[i] = extreme(rng)
			}
		} else {
			c.Levels, c.Codes = distinct(rng, rng.IntN(6)), make([]int, table.Rows)
			for i := range c.Codes {
				c.Codes[i] = rng.IntN(len(c.Levels)+1) - 1
			}
		}
		table.Columns = append(table.Columns, c)
	}
	return table
}

func same(a, b *dataset.Table) bool {
	for i := range a.Columns {
		if !slices.Equal(a.Columns[i].Levels, b.Columns[i].Levels) || a.Columns[i].Numeric() != b.Columns[i].Numeric() {
			return false
		}
	}
	return slices.Equal(a.Names(), b.Names()) && a.Rows == b.Rows && show(a) == show(b)
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		table, relation := randomTable(rng), "r"+oddText(rng)
		written, err := write(table, relation)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		r, again, err := collect(strings.NewReader(written))
		if err != nil || !same(table, again) || r.relation != relation {
			t.Fatalf("seed %d: %v\n%s", seed, err, written)
		}
	}
}

func TestManyBlocks(t *testing.T) {
	for _, columns := range []int{2, 3000} {
		var s strings.Builder
		for i := range columns {
			fmt.Fprintf(&s, "@attribute a%d real\n", i)
		}
		s.WriteString("@attribute s string\n@data\n")
		const rows = 2*blockRows + 3
		for i := range rows {
			fmt.Fprintf(&s, "{%d %d, %d w%d}\n", i%columns, i+1, columns, i%7)
		}
		sizes := 0
		r, err := NewReader(strings.NewReader(s.String()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for block, err := range r.Blocks(context.Background(), make([]dataset.ReadAs, columns+1)) {
			if err != nil {
				t.Fatal(err)
			}
			for row := range block.Rows {
				i := sizes + row
				if v, w := block.Columns[i%columns].Numbers[row], block.Columns[columns].Text(row); int(v) != i+1 ||
					w != fmt.Sprint("w", i%7) {
					t.Fatalf("row %d: %g, %s", i, v, w)
				}
			}
			if sizes += block.Rows; block.Rows*len(block.Columns) > blockCells {
				t.Errorf("a block of %d by %d", block.Rows, len(block.Columns))
			}
		}
		if sizes != rows {
			t.Errorf("%d rows", sizes)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		header + "1,a,x\n?, 'b c' ,\"y\"\n", header + "{}\n{0 1, 2 x}", header + "1 '?' '\\'\\101'",
		"@relation 'r: -C 1'\n@attribute 'a b' {u,\"v\"}%c\n@data\nu\n", "@attribute d date yyyy\n@data\n,\n",
		"\xff\xfe", "@attribute x{", "a,b\n1,2",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, table, err := collect(strings.NewReader(s))
		if err != nil {
			if !errors.Is(err, fault.Data) {
				t.Errorf("error of another kind: %v", err)
			}
			return
		}
		if err := table.Check(); err != nil {
			t.Fatal(err)
		}
		written, err := write(table, r.relation)
		again, table2, err2 := collect(strings.NewReader(written))
		if err != nil || err2 != nil || !same(table, table2) || !slices.Equal(r.Targets(), again.Targets()) {
			t.Errorf("%q: %v, %v", written, err, err2)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s strings.Builder
	const columns = 50
	for i := range columns {
		fmt.Fprintf(&s, "@attribute a%d real\n", i)
	}
	s.WriteString("@attribute c {u,v,w}\n@data\n")
	for range 5000 {
		for range columns {
			fmt.Fprintf(&s, "%g,", rng.NormFloat64())
		}
		s.WriteString("uvw"[rng.IntN(3):][:1] + "\n")
	}
	b.SetBytes(int64(s.Len()))
	for b.Loop() {
		if _, _, err := collect(strings.NewReader(s.String())); err != nil {
			b.Fatal(err)
		}
	}
}
