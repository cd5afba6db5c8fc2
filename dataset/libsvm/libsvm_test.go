package libsvm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/lines"
	"rvflplus/internal/tabletest"
)

func text(s string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s)), nil }
}

func read(s string, o Options, as ...dataset.ReadAs) (*dataset.Table, error) {
	o.Name = "t.svm"
	return readFrom(context.Background(), text(s), o, as...)
}

func readFrom(ctx context.Context, open func() (io.ReadCloser, error), o Options,
	as ...dataset.ReadAs) (*dataset.Table, error) {
	r, err := NewReader(ctx, open, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return tabletest.Collect(ctx, r, as...)
}

func mustRead(t *testing.T, s string, o Options, as ...dataset.ReadAs) *dataset.Table {
	t.Helper()
	table, err := read(s, o, as...)
	if err != nil {
		t.Fatalf("%.99q: %v", s, err)
	}
	return table
}

// show writes a table for comparison.
func show(t *dataset.Table) string {
	var s strings.Builder
	s.WriteString(strings.Join(t.Names(), " "))
	for row := range t.Rows {
		s.WriteString(" /")
		for i := range t.Columns {
			s.WriteString(" " + t.Columns[i].Text(row))
		}
	}
	return s.String()
}

func TestLayouts(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		o    Options
		want string
	}{
		"plain":       {"1 1:0.5 3:-2\n-1 2:7\n", Options{}, "f1 f2 f3 target / 0.5 0 -2 1 / 0 7 0 -1"},
		"no last eol": {"1 1:0.5\n-1", Options{}, "f1 target / 0.5 1 / 0 -1"},
		"crlf, bom":   {"\ufeff+1 1:2\r\n-1.5 1:1e3 \r\n", Options{}, "f1 target / 2 1 / 1000 -1.5"},
		"comments":    {"# a\n\n 1\t1:2 # 2:3\n  # b\n#\n2 1:3#4", Options{}, "f1 target / 2 1 / 3 2"},
		"qid": {"3 qid:7 1:2\n1 qid:9007199254740992\n", Options{},
			"f1 qid target / 2 7 3 / 0 9.007199254740992e+15 1"},
		"labels alone": {"3\n4\n", Options{}, "target / 3 / 4"},
		"from 0":       {"1 0:5 2:6\n", Options{ZeroBased: true}, "f1 f2 f3 target / 5 0 6 1"},
		"features":     {"1 1:5\n", Options{Features: 3}, "f1 f2 f3 target / 5 0 0 1"},
		"at least":     {"1 1:5\n", Options{AtLeast: 3}, "f1 f2 f3 target / 5 0 0 1"},
		"more":         {"1 1:5 4:6\n", Options{AtLeast: 3}, "f1 f2 f3 f4 target / 5 0 0 6 1"},
		"explicit 0":   {"1 1:-0 4:0\n", Options{}, "f1 f2 f3 f4 target / -0 0 0 0 1"},
		"missing":      {"nan 1:NaN 2:1\n", Options{}, "f1 f2 target /  1 "},
	} {
		if got := show(mustRead(t, c.text, c.o)); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

func TestWants(t *testing.T) {
	table := mustRead(t, "1 2:0.5\n2 1:3\n1 2:4\n", Options{}, dataset.Skip, dataset.Text,
		dataset.Categorical|dataset.WithText)
	if got := show(table); got != "f2 target target / 0.5 1 1 / 0 2 2 / 4 1 1" ||
		!slices.Equal(table.Columns[1].Levels, []string{"1", "2"}) {
		t.Errorf("%s, %+v", got, table.Columns[1])
	}
	if place := table.Columns[1].Place(2); place != `t.svm:3: column 3 ("target")` {
		t.Error(place)
	}
}

func TestBadInput(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		o          Options
	}{
		"empty":             {"", "t.svm is empty", Options{}},
		"only comments":     {"# a\n\n#b\n", "t.svm has no rows", Options{}},
		"index 0":           {"1 0:1\n", "t.svm:1:3: index 0, but indices begin at 1", Options{}},
		"repeated":          {"1 1:1\n2 1:1 2:2  2:3\n", "t.svm:2:12: index 2 comes twice", Options{}},
		"not ascending":     {"1 3:1 2:2\n", "t.svm:1:7: index 2 comes after 3", Options{}},
		"from 0 descending": {"1 1:1 0:2\n", "t.svm:1:7: index 0 comes after 1", Options{ZeroBased: true}},
		"huge":              {"1 1:1\n1 2000000000:1\n", "t.svm:2:3: index 2000000000, at most 1048576", Options{}},
		"beyond int": {"1 99999999999999999999999:1\n", "t.svm:1:3: index 99999999999999999999999, at most",
			Options{}},
		"just too large": {"1 1048577:1\n", "t.svm:1:3: index 1048577, at most", Options{}},
		"beyond features": {"1 1:1\n2 1:2 5:1\n", "t.svm:2:7: index 5, but the table is read with 4",
			Options{Features: 4}},
		"negative index": {"1 -1:1\n", `t.svm:1:3: "-1:1" is not index:value`, Options{}},
		"signed index":   {"1 +1:1\n", `t.svm:1:3: "+1:1" is not index:value`, Options{}},
		"no colon":       {"1 5\n", `t.svm:1:3: "5" is not index:value`, Options{}},
		"cost":           {"1 cost:2 1:1\n", `t.svm:1:3: "cost:2" is not`, Options{}},
		"no value":       {"1 1: 2:3\n", `t.svm:1:5: the value "" is not a number`, Options{}},
		"truncated":      {"1 1:2\n2 1:", `t.svm:2:5: the value "" is not a number`, Options{}},
		"word value":     {"1 1:2\n1 1:x\n", `t.svm:2:5: the value "x" is not`, Options{}},
		"infinity":       {"1 1:inf\n", `t.svm:1:5: the value "inf" is not a finite`, Options{}},
		"overflow":       {"1 1:1e999\n", `t.svm:1:5: the value "1e999" is not a finite`, Options{}},
		"hexadecimal":    {"0x1 1:1\n", `t.svm:1:1: the label "0x1" is not`, Options{}},
		"word label":     {"yes 1:1\n", `t.svm:1:1: the label "yes" is not`, Options{}},
		"no label":       {"1 1:1\n 1:1\n", `t.svm:2:2: the row has no label before "1:1"`, Options{}},
		"labels":         {"1,2 1:1\n", `t.svm:1:1: "1,2": several labels`, Options{}},
		"qid missing": {"1 qid:1 1:1\n#\n1 1:1\n", "t.svm:3:1: the row has no qid, but the first row has one",
			Options{}},
		"qid late": {"1 1:1\n1 qid:1 1:1\n", "t.svm:2:1: the row has a qid, but the first row has none",
			Options{}},
		"qid twice":    {"1 qid:1 qid:2\n", `t.svm:1:9: "qid:2" is not`, Options{}},
		"qid negative": {"1 qid:-1\n", `t.svm:1:3: qid "-1" is not`, Options{}},
		"qid large":    {"1 qid:9007199254740993\n", "t.svm:1:3: qid", Options{}},
		"huge cell": {"1 1:0." + strings.Repeat("0", lines.MaxCell) + "\n",
			"t.svm:1:5: a cell of 1048578 bytes", Options{}},
		"not UTF-8": {"1 1:\xff\n", "t.svm:1:5: ", Options{}},
		"CSV":       {"a,b,c\n1,2,3\n", `t.svm:1:1: "a,b,c": several labels`, Options{}},
		"ARFF":      {"@relation x\n", `t.svm:1:11: "x" is not index:value`, Options{}},
		"gzip":      {"\x1f\x8b\x08\x00", "t.svm is a gzip file", Options{}},
	} {
		_, err := read(c.text, c.o)
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(fmt.Sprint(err), c.want) {
			t.Errorf("%s: error %v, want %s", name, err, c.want)
		}
	}
	for _, n := range []int{-1, lines.MaxColumns + 1} {
		if _, err := read("1 1:1\n", Options{AtLeast: n}); !errors.Is(err, fault.Usage) {
			t.Errorf("at least %d features: %v", n, err)
		}
		if _, err := read("1 1:1\n", Options{Features: n}); !errors.Is(err, fault.Usage) {
			t.Errorf("%d features: %v", n, err)
		}
	}
}

// The text may change between the passes, and either pass may fail.
func TestPasses(t *testing.T) {
	opened, closed := 0, 0
	texts := []string{"1 1:1\n", "1 2:1\n"}
	open := func() (io.ReadCloser, error) {
		opened++
		return closer{strings.NewReader(texts[opened-1]), &closed}, nil
	}
	if _, err := readFrom(context.Background(), open, Options{Name: "t.svm"}); !errors.Is(err, fault.Data) ||
		opened != 2 || closed != 2 {
		t.Errorf("%v; opened %d, closed %d", err, opened, closed)
	}
	opened, closed = 0, 0
	if _, err := readFrom(context.Background(), open, Options{Features: 1}); err != nil || opened != 1 || closed != 1 {
		t.Errorf("one pass: %v; opened %d, closed %d", err, opened, closed)
	}
	no := errors.New("no")
	for _, good := range []int{0, 1} {
		calls := 0
		_, err := readFrom(context.Background(), func() (io.ReadCloser, error) {
			if calls++; calls > good {
				return nil, no
			}
			return text("1 1:1")()
		}, Options{})
		if !errors.Is(err, no) {
			t.Errorf("open fails after %d: %v", good, err)
		}
	}
}

type closer struct {
	io.Reader
	closed *int
}

func (c closer) Close() error { *c.closed++; return nil }

// many yields rows without end.
type many struct{}

func (many) Read(p []byte) (int, error) {
	return copy(p, bytes.Repeat([]byte("1 1:2\n"), len(p)/6+1)[:len(p)/6*6]), nil
}

func TestMemoryAndCancellationAreChecked(t *testing.T) {
	endless := func() (io.ReadCloser, error) { return io.NopCloser(many{}), nil }
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, features := range []int{0, 1} {
		if _, err := readFrom(ctx, endless, Options{Features: features}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled, %d features: %v", features, err)
		}
	}
	tabletest.LimitMemory(t, 16<<20)
	if _, err := readFrom(context.Background(), endless, Options{Features: 1}); !errors.Is(err, fault.Resource) {
		t.Errorf("endless rows: %v", err)
	}
	if _, err := read("1 1000000:1\n", Options{}); !errors.Is(err, fault.Resource) {
		t.Errorf("a million columns: %v", err)
	}
}

func TestAMillionColumns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second or more")
	}
	want := make([]dataset.ReadAs, lines.MaxColumns+1)
	for i := range want[:lines.MaxColumns-1] {
		want[i] = dataset.Skip
	}
	table := mustRead(t, strings.Repeat("1 1:3 1048576:2.5\n", 5), Options{}, want...)
	if got := show(table); got != "f1048576 target"+strings.Repeat(" / 2.5 1", 5) {
		t.Error(got)
	}
}

// scikit-learn wrote the text and read the bits from it.
func TestAgreesWithScikitLearn(t *testing.T) {
	svm, err1 := os.ReadFile("testdata/sklearn.svm")
	bits, err2 := os.ReadFile("testdata/sklearn.bits")
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	table := mustRead(t, string(svm), Options{})
	var got strings.Builder
	for row := range table.Rows {
		for i, c := range table.Columns {
			if i > 0 {
				got.WriteByte(' ')
			}
			got.WriteString(strconv.FormatUint(math.Float64bits(c.Numbers[row]), 16))
		}
		got.WriteByte('\n')
	}
	if got.String() != string(bits) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), bits)
	}
}

func write(t *dataset.Table) (string, error) {
	var out strings.Builder
	err := Write(context.Background(), &out, t.Outline(), tabletest.Blocks(t))
	return out.String(), err
}

func TestWrite(t *testing.T) {
	table := &dataset.Table{Rows: 3, Columns: []dataset.Column{
		{Name: "a", Numbers: []float64{0, 1.5, math.Copysign(0, -1)}},
		{Name: "b", Numbers: []float64{0, 0, 5e-324}},
		{Name: "qid", Numbers: []float64{1, 2, 1 << 53}},
		{Name: "y", Numbers: []float64{1, -1, 0.1}},
	}}
	const want = "1 qid:1 2:0\n-1 qid:2 1:1.5\n0.1 qid:9007199254740992 1:-0 2:5e-324\n"
	if got, err := write(table); got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func TestWhatCannotBeWritten(t *testing.T) {
	numbers := func(name string, v ...float64) dataset.Column { return dataset.Column{Name: name, Numbers: v} }
	words := dataset.Column{Name: "w", Codes: []int{0}, Levels: []string{"u"}}
	for name, c := range map[string]struct {
		columns []dataset.Column
		want    string
	}{
		"missing": {[]dataset.Column{numbers("a", math.NaN()), numbers("y", 1)},
			`row 1, column "a": the cell is missing`},
		"missing label": {[]dataset.Column{numbers("y", math.NaN())}, `row 1, column "y": the cell is missing`},
		"categories":    {[]dataset.Column{words, numbers("y", 1)}, `column "w" holds categories`},
		"class":         {[]dataset.Column{numbers("a", 1), words}, `column "w" is the label`},
		"qid": {[]dataset.Column{numbers("qid", 1.5), numbers("y", 1)},
			`row 1, column "qid": 1.5 cannot be a qid`},
		"no rows": {[]dataset.Column{{Name: "y", Numbers: []float64{}}},
			"LIBSVM text cannot hold a table without rows"},
	} {
		table := &dataset.Table{Rows: len(c.columns[0].Numbers) + len(c.columns[0].Codes), Columns: c.columns}
		_, err := write(table)
		if !errors.Is(err, fault.Data) || !strings.HasPrefix(err.Error(), c.want) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := &dataset.Table{Rows: 1, Columns: []dataset.Column{numbers("y", 1)}}
	texts := &dataset.Table{Rows: 1, Columns: []dataset.Column{{Name: "y", Texts: []string{"x"}}}}
	if err := Write(context.Background(), io.Discard, good.Outline(),
		tabletest.Blocks(good, texts)); !errors.Is(err, fault.Data) {
		t.Errorf("a cell of text: %v", err)
	}
	wide := &dataset.Table{Rows: 1, Columns: []dataset.Column{numbers("y", 1), numbers("z", 1)}}
	if err := Write(context.Background(), io.Discard, good.Outline(),
		tabletest.Blocks(good, wide)); !errors.Is(err, fault.Usage) {
		t.Errorf("a wider block: %v", err)
	}
	if err := Write(context.Background(), tabletest.FullDisk{}, good.Outline(),
		tabletest.Blocks(good)); !errors.Is(err, tabletest.ErrFull) {
		t.Errorf("a full disk: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Write(ctx, io.Discard, good.Outline(), tabletest.Blocks(good)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// extreme draws a double: often 0, often any bits that are finite.
func extreme(rng *rand.Rand) float64 {
	switch rng.IntN(4) {
	case 0:
		return 0
	case 1:
		return math.Copysign(0, -1)
	case 2:
		return float64(rng.IntN(100)) / 8
	}
	for {
		if v := math.Float64frombits(rng.Uint64()); v-v == 0 {
			return v
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		table := &dataset.Table{Rows: 1 + rng.IntN(20)}
		features := rng.IntN(12)
		for i := range features + 1 {
			c := dataset.Column{Name: fmt.Sprintf("f%d", i+1)}
			for range table.Rows {
				c.Numbers = append(c.Numbers, extreme(rng))
			}
			table.Columns = append(table.Columns, c)
		}
		if seed%3 == 0 {
			query := dataset.Column{Name: "qid"}
			for range table.Rows {
				query.Numbers = append(query.Numbers, float64(rng.Uint64()>>11))
			}
			table.Columns = slices.Insert(table.Columns, features, query)
		}
		table.Columns[len(table.Columns)-1].Name = "target"
		written, err := write(table)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := show(mustRead(t, written, Options{})); got != show(table) {
			t.Fatalf("seed %d: %s\nwant %s", seed, got, show(table))
		}
	}
}

// Blocks are cut by rows and by cells; the rows are the same.
func TestManyBlocks(t *testing.T) {
	for _, features := range []int{1, 3000} {
		var s strings.Builder
		const rows = 2*blockRows + 3
		for i := range rows {
			fmt.Fprintf(&s, "%d %d:%d\n", i, 1+i%features, i+1)
		}
		sizes := 0
		r, err := NewReader(context.Background(), text(s.String()), Options{Features: features})
		if err != nil {
			t.Fatal(err)
		}
		for block, err := range r.Blocks(context.Background(), make([]dataset.ReadAs, features+1)) {
			if err != nil {
				t.Fatal(err)
			}
			for row := range block.Rows {
				i := sizes + row
				if y, x := block.Columns[features].Numbers[row], block.Columns[i%features].Numbers[row]; int(y) != i ||
					int(x) != i+1 {
					t.Fatalf("row %d: %g, %g", i, y, x)
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

var large = regexp.MustCompile("[0-9]{5}:")

func FuzzRead(f *testing.F) {
	for _, s := range []string{"1 1:2 3:4\n-1 2:0.5 # c\n", "1 qid:3 1:1\n", "1,2 1:1", "1 0:1", "nan 1:NaN 2:-0",
		"2 2000000000:1", "\xff\xfe", "1 1:", "#\n+1"} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, zeroBased bool) {
		if large.MatchString(s) {
			return // a wide table shows nothing new, but takes long
		}
		table, err := read(s, Options{ZeroBased: zeroBased})
		if err != nil {
			if !errors.Is(err, fault.Data) {
				t.Errorf("error of another kind: %v", err)
			}
			return
		}
		if err := table.Check(); err != nil || table.Rows == 0 {
			t.Fatal(err)
		}
		written, err := write(table)
		if errors.Is(err, fault.Data) && strings.Contains(err.Error(), "missing") {
			return
		}
		if again, err2 := read(written, Options{}); err != nil || err2 != nil || show(again) != show(table) {
			t.Errorf("%q: %v, %v", written, err, err2)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s strings.Builder
	for range 5000 {
		fmt.Fprintf(&s, "%d", rng.IntN(10))
		for i := 1; i <= 200; i += 1 + rng.IntN(8) {
			fmt.Fprintf(&s, " %d:%g", i, rng.NormFloat64())
		}
		s.WriteByte('\n')
	}
	b.SetBytes(int64(s.Len()))
	for b.Loop() {
		if _, err := read(s.String(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
