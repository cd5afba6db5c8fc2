package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/postgrestest"
)

// collect reads what a query returns, its last block; as says how the columns are read, by default all as Auto.
func collect(t *testing.T, s *postgrestest.Server, query string, as ...dataset.ReadAs) (*dataset.Table, error) {
	t.Helper()
	r, err := Open(t.Context(), s.URL(), Secrets{}, Options{Query: query})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if len(as) == 0 {
		as = make([]dataset.ReadAs, len(r.Fields()))
	}
	var last *dataset.Table
	for block, err := range r.Blocks(t.Context(), as) {
		if err != nil {
			return nil, err
		}
		last = block
	}
	return last, nil
}

// cells writes a table as its cells, "·" for a missing one.
func cells(table *dataset.Table) string {
	var b strings.Builder
	for i := range table.Rows {
		for j := range table.Columns {
			c := &table.Columns[j]
			kind := map[bool]string{true: "#", false: ""}[c.Numeric()]
			if c.Missing(i) {
				fmt.Fprintf(&b, "%s· ", kind)
			} else {
				fmt.Fprintf(&b, "%s%s ", kind, c.Text(i))
			}
		}
		b.WriteByte('|')
	}
	return b.String()
}

// Every type is read as docs/databases.md says, and NULL is a missing cell of its kind.
func TestTypes(t *testing.T) {
	s := postgrestest.Start(t)
	s.SQL(t, `CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN grade AS int CHECK (value > 0);
		CREATE EXTENSION citext`)
	s.SQL(t, "ALTER DATABASE "+s.Database+" SET timezone = 'Asia/Tokyo'")
	s.SQL(t, "ALTER DATABASE "+s.Database+" SET datestyle = 'German, DMY'")
	for _, c := range []struct{ sql, want, null string }{
		{"(-7)::smallint", "#-7", "#·"},
		{"2147483647::int", "#2.147483647e+09", "#·"},
		{"9007199254740992::bigint", "#9.007199254740992e+15", "#·"},
		{"0.1::real", "#0.1", "#·"},
		{"0.1::float8", "#0.1", "#·"},
		{"'NaN'::float8", "#·", "#·"},
		{"'NaN'::numeric", "#·", "#·"},
		{"1e-400::numeric", "#0", "#·"},
		{"123456789012345678901234567890.5::numeric", "#1.2345678901234568e+29", "#·"},
		{"3::grade", "#3", "#·"},
		{"'a b'::text", "a b", "·"},
		{"'ab '::char(5)", "ab", "·"},
		{"'7'::varchar(9)", "7", "·"},
		{"''::text", "·", "·"},
		{"'x'::\"char\"", "x", "·"},
		{"'n'::name", "n", "·"},
		{"'Case'::citext", "Case", "·"},
		{"'sad'::mood", "sad", "·"},
		{"true", "t", "·"},
		{"false", "f", "·"},
		{"date '2024-02-29'", "2024-02-29", "·"},
		{"date '1066-10-14'", "1066-10-14", "·"},
		{"date '9999-12-31'", "9999-12-31", "·"},
		{"timestamp '2024-01-31 10:00:00.5'", "2024-01-31T10:00:00.5", "·"},
		{"timestamp '1066-10-14 23:59:59.999999'", "1066-10-14T23:59:59.999999", "·"},
		{"timestamptz '2024-01-31 10:00:00+00'", "2024-01-31T10:00:00Z", "·"},
	} {
		query := fmt.Sprintf("SELECT x FROM (SELECT 1 AS i, %s AS x UNION ALL SELECT 2, NULL) AS q ORDER BY i", c.sql)
		table, err := collect(t, s, query)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if got, want := cells(table), c.want+" |"+c.null+" |"; got != want {
			t.Errorf("%s: read as %s, want %s", c.sql, got, want)
		}
	}
}

// Numbers and other cells come as PostgreSQL writes them where a caller wants texts or categories.
func TestCellsAsTexts(t *testing.T) {
	s := postgrestest.Start(t)
	const query = `SELECT 12345678901234567890::numeric AS n, 1234567 AS i, 1.50::numeric AS d, 9007199254740993 AS b,
		'a81bc81b-dead-4e5d-abff-90865d1e13b1'::uuid AS u, date '2024-02-29' AS day, NULL::int AS none`
	table, err := collect(t, s, query, dataset.Text, dataset.Categorical, dataset.Categorical, dataset.Text,
		dataset.Text, dataset.Text, dataset.Text)
	if err != nil {
		t.Fatal(err)
	}
	const want = "12345678901234567890 1234567 1.50 9007199254740993 a81bc81b-dead-4e5d-abff-90865d1e13b1 2024-02-29  |"
	if got := cells(table); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	table, err = collect(t, s, "SELECT 7.50::numeric AS a, 8 AS b", dataset.Auto|dataset.WithText,
		dataset.Categorical|dataset.WithText)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cells(table), "#7.5 7.50 8 8 |"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Rows come in blocks that fit together, whatever their number.
func TestBlocks(t *testing.T) {
	s := postgrestest.Start(t)
	for _, n := range []int{0, 1, maxBlockRows - 1, maxBlockRows, maxBlockRows + 1, 3*maxBlockRows + 5} {
		query := fmt.Sprintf("SELECT g AS x, 'c' || g %% 700 AS c, NULL::text AS none FROM generate_series(1, %d) g", n)
		r, err := Open(t.Context(), s.URL(), Secrets{}, Options{Query: query, Again: true})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			table, err := dataset.Collect(t.Context(), r, make([]dataset.ReadAs, 3))
			if err != nil || table.Rows != n || table.Check() != nil {
				t.Fatalf("%d rows of %d: %v, %v", table.Rows, n, err, table.Check())
			}
			for i := range n {
				if x := table.Columns[0].Numbers[i]; x != float64(i+1) {
					t.Fatalf("row %d holds %v", i+1, x)
				}
				if c := table.Columns[1].Text(i); c != fmt.Sprintf("c%d", (i+1)%700) {
					t.Fatalf("row %d holds %s", i+1, c)
				}
				if !table.Columns[2].Missing(i) {
					t.Fatalf("row %d: NULL is not missing", i+1)
				}
			}
			if err := r.Reopen(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		r.Close()
	}
}

// A table with the most columns that PostgreSQL has is read.
func TestWideTable(t *testing.T) {
	s := postgrestest.Start(t)
	const width = 1600
	var columns []string
	for i := range width {
		columns = append(columns, fmt.Sprintf("g * %d AS c%d", i, i))
	}
	s.SQL(t, "CREATE TABLE wide AS SELECT "+strings.Join(columns, ", ")+" FROM generate_series(1, 300) AS g")
	r, err := Open(t.Context(), s.URL("table=wide"), Secrets{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	table, err := dataset.Collect(t.Context(), r, make([]dataset.ReadAs, width))
	if err != nil || table.Rows != 300 || table.Columns[1599].Numbers[299] != 1599*300 {
		t.Fatalf("%d rows: %v", table.Rows, err)
	}
}

// Whatever another connection does between two passes, both see the same rows.
func TestPassesSeeOneSnapshot(t *testing.T) {
	s := postgrestest.Start(t)
	s.SQL(t, "CREATE TABLE t AS SELECT g AS x FROM generate_series(1, 10000) AS g")
	r, err := Open(t.Context(), s.URL(), Secrets{}, Options{Table: "t", Again: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sum := func() (sum float64) {
		table, err := dataset.Collect(t.Context(), r, []dataset.ReadAs{dataset.Auto})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range table.Columns[0].Numbers {
			sum += x
		}
		return sum
	}
	first := sum()
	s.SQL(t, "UPDATE t SET x = -x WHERE x % 2 = 0; DELETE FROM t WHERE x > 5000; INSERT INTO t VALUES (9); VACUUM t")
	if err := r.Reopen(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second := sum(); first != 50005000 || second != first {
		t.Errorf("the sum is %v, then %v", first, second)
	}
}

// A query whose rows differ between passes is refused: a training and a test part would overlap.
func TestPassesAreCompared(t *testing.T) {
	s := postgrestest.Start(t)
	const query = "SELECT g AS x FROM generate_series(1, 100) AS g ORDER BY random()"
	r, err := Open(t.Context(), s.URL(), Secrets{}, Options{Query: query, Again: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	as := []dataset.ReadAs{dataset.Auto}
	if _, err = dataset.Collect(t.Context(), r, as); err != nil {
		t.Fatal(err)
	}
	if _, err = dataset.Collect(t.Context(), r, as); !errors.Is(err, fault.Data) {
		t.Errorf("another order gives %v", err)
	}
}

// Mistakes are told with their place, a remedy and the kind that decides the exit code.
func TestMistakes(t *testing.T) {
	s := postgrestest.Start(t)
	s.SQL(t, `CREATE TABLE t (x int, "a.b" float8); CREATE TABLE none (); CREATE SCHEMA "S";
		CREATE TABLE minus AS SELECT 1::numeric AS x UNION ALL SELECT '-infinity';
		CREATE FUNCTION spoil() RETURNS int LANGUAGE sql AS 'INSERT INTO t VALUES (1) RETURNING 1'`)
	for query, want := range map[string]string{
		"SELEC 1":                                `query, line 1, character 1: syntax error at or near "SELEC"`,
		"SELECT\n  y FROM t":                     `query, line 2, character 3: column "y" does not exist`,
		"SELECT 'é' FROM nix":                    `query, line 1, character 17: relation "nix" does not exist`,
		";":                                      "the statement returns no columns",
		"-- nothing":                             "the statement returns no columns",
		"DELETE FROM t":                          "the statement returns no columns",
		"SELECT 1; SELECT 2":                     "cannot insert multiple commands",
		"SELECT $1::int":                         "$1 stands for a value that is not given",
		"DELETE FROM t RETURNING x":              "cannot execute DELETE in a read-only transaction",
		"SELECT spoil()":                         "cannot execute INSERT in a read-only transaction",
		"SELECT 1 AS a, 2 AS b, 3 AS a":          `columns 1 and 3 are both called "a"`,
		"SELECT 1 AS y, interval '1 day' AS x":   `column "x" is of type interval, which is not read`,
		"SELECT '{}'::jsonb AS x":                `column "x" is of type jsonb, which is not read`,
		"SELECT ARRAY[1] AS x":                   `column "x" is of type integer[], which is not read`,
		"SELECT '5'::money AS x":                 `column "x" is of type money, which is not read`,
		"SELECT 'infinity'::float8 AS x":         `query: row 1, column "x": +Inf is not a finite number`,
		"TABLE minus":                            `query: row 2, column "x": -Infinity is not a finite`,
		"SELECT 1e400::numeric AS x":             `column "x": 1000000000000000000000000000000000000000…`,
		"SELECT 9007199254740993 AS x":           `query: row 1, column "x": 9007199254740993 has no exact float64`,
		"SELECT 9223372036854775807 AS x":        `query: row 1, column "x": 9223372036854775807 has no exact float64`,
		"SELECT date 'infinity' AS x":            `query: row 1, column "x": the date is infinite`,
		"SELECT timestamp '20000-01-01' AS x":    `column "x": the date is infinite, or not in the years`,
		"SELECT date '0044-03-15 BC' AS x":       `column "x": the date is infinite, or not in the years`,
		"SELECT repeat('x', 1048577) AS x":       `query: row 1, column "x": a cell of 1048577 bytes`,
		"SELECT 1/(9e3-generate_series(1,9999))": "query, after row 8999: division by zero",
	} {
		_, err := collect(t, s, query)
		if !errors.Is(err, fault.Data) || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v (hint: %s), want %s", query, err, fault.HintOf(err), want)
		}
	}
	for table, want := range map[string]string{
		"nix":     `table nix: relation "nix" does not exist`,
		"T":       `table T: relation "T" does not exist`,
		"s.t":     `table s.t: relation "s.t" does not exist`,
		"none":    "the statement returns no columns",
		"a.b.c":   "the database is named in the URL",
		`"t`:      "a quote is not closed",
		`"t"x`:    "something follows a closing quote",
		"t.":      "a name has 1 to 63 bytes",
		"t; DROP": `relation "t; DROP" does not exist`,
		`t" ("x"`: `relation "t" ("x"" does not exist`,
		"":        "it is not said which table is read",
	} {
		_, err := Open(t.Context(), s.URL(), Secrets{}, Options{Table: table})
		if err == nil || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("table %s: %v (hint: %s), want %s", table, err, fault.HintOf(err), want)
		}
	}
	if got := s.SQL(t, "SELECT count(*) FROM t"); got != "0" {
		t.Errorf("the table has %s rows: a query wrote", got)
	}
}

// Names are quoted: capital letters, dots, quotes and blanks reach the server as they are.
func TestTableNames(t *testing.T) {
	s := postgrestest.Start(t)
	s.SQL(t, `CREATE SCHEMA "my schema"; CREATE TABLE "my schema"."Tab""le.x" AS SELECT 1 AS a;
		CREATE TABLE "Ä" AS SELECT 2 AS a`)
	for _, name := range []string{`my schema."Tab""le.x"`, `"my schema"."Tab""le.x"`, "Ä", `public.Ä`, `public."Ä"`} {
		r, err := Open(t.Context(), s.URL(), Secrets{}, Options{Table: name})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if fields := r.Fields(); len(fields) != 1 || fields[0].Name != "a" || fields[0].Kind != dataset.Numeric {
			t.Errorf("%s has the columns %v", name, fields)
		}
		r.Close()
	}
}

// An interrupt ends a query on the server too, before it has sent a row and while it sends rows.
func TestCancelled(t *testing.T) {
	s := postgrestest.Start(t)
	for _, query := range []string{
		"SELECT pg_sleep(600)::text, 1 AS x",
		"SELECT generate_series(1, 10000000000) AS x",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := Open(ctx, s.URL(), Secrets{}, Options{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			var err error
			for _, err = range r.Blocks(ctx, make([]dataset.ReadAs, len(r.Fields()))) {
			}
			done <- errors.Join(err, r.Close())
		}()
		s.WaitFor(t, postgrestest.Active, "1")
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", query, err)
		}
		s.WaitFor(t, postgrestest.Active, "0")
	}
}

// A connection that breaks while rows are read is an error that says where; nothing is taken for the whole table.
func TestConnectionBreaks(t *testing.T) {
	s := postgrestest.Start(t)
	r, err := Open(t.Context(), s.URL(), Secrets{}, Options{Query: "SELECT generate_series(1, 10000000000) AS x"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := 0
	for block, err := range r.Blocks(t.Context(), []dataset.ReadAs{dataset.Auto}) {
		if err != nil {
			if !errors.Is(err, fault.Resource) || !strings.Contains(err.Error(), ", after row ") {
				t.Error(err)
			}
			if err := r.Reopen(t.Context()); !errors.Is(err, fault.Resource) {
				t.Errorf("reopening gives %v", err)
			}
			return
		}
		if rows == 0 {
			s.Terminate(t)
		}
		rows += block.Rows
	}
	t.Errorf("the table ended after %d rows without an error", rows)
}

// Leaving the rows before their end leaves no query running.
func TestLeftBeforeTheEnd(t *testing.T) {
	s := postgrestest.Start(t)
	r, err := Open(t.Context(), s.URL(), Secrets{},
		Options{Query: "SELECT generate_series(1, 10000000000) AS x"})
	if err != nil {
		t.Fatal(err)
	}
	for range r.Blocks(t.Context(), []dataset.ReadAs{dataset.Auto}) {
		break
	}
	s.WaitFor(t, postgrestest.Active, "0")
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestNaNIsMissing(t *testing.T) {
	if v, p := float8.numberOf([]byte{0x7f, 0xf8, 0, 0, 0, 0, 0, 0}, binaryFormat); p != nil || !math.IsNaN(v) {
		t.Errorf("NaN is read as %v", v)
	}
}

// A server that takes the connection and never answers is given up, and an interrupt does not wait for it.
func TestServerThatDoesNotAnswer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	address := "postgres://u@" + listener.Addr().String() + "/db?table=t&sslmode=disable"
	_, err = Open(t.Context(), address+"&connect_timeout=2", Secrets{}, Options{})
	if !errors.Is(err, fault.Resource) || !strings.Contains(err.Error(), "cannot connect to postgres://u@127.0.0.1:") {
		t.Error(err)
	}
	if first, err := listener.Accept(); err != nil || first.Close() != nil {
		t.Fatal("the first connection is gone", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if c, err := listener.Accept(); err == nil {
			defer c.Close()
			cancel()
			<-t.Context().Done()
		}
	}()
	if _, err := Open(ctx, address, Secrets{}, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
