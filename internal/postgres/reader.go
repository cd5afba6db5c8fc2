// Package postgres reads tables from PostgreSQL, and writes tables to it.
//
// A table is what a query returns, or a table of the database. Rows are read as they come, in one read-only
// transaction, so that several passes see the same rows. Numbers (smallint to numeric) are read as numbers; texts,
// enums and booleans are categories; dates and times are ISO 8601 texts. NULL is a missing cell.
package postgres

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Options say what is read. Exactly one of Table and Query is given, here or in the URL.
type Options struct {
	Table string // NAME or SCHEMA.NAME, as it is written; see tableName
	Query string // SQL, or @FILE with it
	// Again says that the rows are read more than once: passes are compared.
	Again bool
}

// Reader reads one table. It is a dataset.Source.
type Reader struct {
	name      string // of the table, for messages
	target    *target
	statement string
	query     string // the statement as the user wrote it, "" for a table
	conn      *pgconn.PgConn
	columns   []column
	fields    []dataset.Field
	notes     []fault.Text
	digests   map[string]uint64 // of the rows of a pass, by the forms of the cells; nil if they are read once
	unusable  bool              // a pass was left before its end
}

// column is a column of the result.
type column struct {
	name     string
	oid      uint32
	typeName string // for messages
	class    class
}

// Open connects to the database of a URL, whose passwords are among the secrets, and learns which columns there are.
// What the URL does not say comes from where libpq looks (PGHOST, PGPASSWORD, ~/.pgpass, PGSERVICE …). Wrong URLs are
// of kind fault.Usage, wrong statements fault.Data, a server that cannot be reached is fault.Resource.
func Open(ctx context.Context, url string, secrets Secrets, o Options) (*Reader, error) {
	t, err := secrets.parse(url)
	if err != nil {
		return nil, err
	}
	r := &Reader{target: t}
	if o.Again {
		r.digests = map[string]uint64{}
	}
	if err := r.setStatement(o); err != nil {
		return nil, err
	}
	if r.conn, err = t.connect(ctx); err != nil {
		return nil, err
	}
	if err := r.begin(ctx); err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// setStatement finds out what is read.
func (r *Reader) setStatement(o Options) error {
	given := 0
	for _, text := range []string{o.Table, o.Query, r.target.table, r.target.query} {
		if text != "" {
			given++
		}
	}
	if given != 1 {
		what := "it is not said which table is read"
		if given > 1 {
			what = "several tables or queries are given"
		}
		return fault.New(fault.Usage, "%s: %s", r.target.name, what).
			WithHint("give one of %s NAME, %s SQL, %s @FILE and, in the URL, ?table=NAME or ?query=SQL",
				fault.Name("table"), fault.Name("query"), fault.Name("query"))
	}
	if table := o.Table + r.target.table; table != "" {
		name, err := tableName(table)
		r.name, r.statement = r.target.name+", table "+table, "SELECT * FROM "+name
		inSQL := table
		if !plainName.MatchString(table) {
			inSQL = name
		}
		r.noteOrder("the rows of table "+table+" come in no certain order", "SELECT * FROM "+inSQL+" ORDER BY …")
		return err
	}
	query, err := queryText(o.Query + r.target.query)
	r.name, r.statement, r.query = r.target.name+", query", query, query
	if !ordered(query) {
		r.noteOrder("the query has no ORDER BY: its rows come in no certain order", "… ORDER BY …")
	}
	return err
}

// plainName is the name of a table that SQL takes as it is.
var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$`)

func (r *Reader) noteOrder(what, query string) {
	r.notes = append(r.notes, fault.Textf("%s: %s, so that bits of the result may differ between runs; use %s '%s'",
		r.target.name, what, fault.Name("query"), query))
}

// transaction begins what all passes belong to. Passes see the same rows, and their order must not change between them:
// PostgreSQL may begin a scan where another one is, and collects rows of parallel workers as they come. Parallel sums
// also differ in their last bits.
const transaction = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
	SET LOCAL synchronize_seqscans = off; SET LOCAL max_parallel_workers_per_gather = 0;
	SET LOCAL extra_float_digits = 3`

// begin begins the transaction and asks for the columns of the statement.
func (r *Reader) begin(ctx context.Context) error {
	if err := run(ctx, r.conn, transaction); err != nil {
		return r.target.serverError(ctx, err, "", r.target.name)
	}
	described, err := r.conn.Prepare(ctx, "", r.statement, nil)
	if err != nil {
		return r.target.serverError(ctx, err, r.query, r.name)
	}
	switch {
	case len(described.ParamOIDs) > 0:
		return fault.New(fault.Data, "%s: $1 stands for a value that is not given", r.name).
			WithHint("write the value into the query")
	case len(described.Fields) == 0:
		return fault.New(fault.Data, "%s: the statement returns no columns", r.name).
			WithHint("give a query that returns rows: SELECT, TABLE, VALUES or WITH")
	}
	for i, f := range described.Fields {
		c := column{f.Name, f.DataTypeOID, "", classes[f.DataTypeOID]}
		if first := slices.IndexFunc(r.columns, func(o column) bool { return o.name == c.name }); first >= 0 {
			return fault.New(fault.Data, "%s: columns %d and %d are both called %q", r.name, first+1, i+1, c.name).
				WithHint("name the columns in the query and give one another name, as in SELECT a.id, b.id AS id_b")
		}
		r.columns = append(r.columns, c)
	}
	if err := r.lookUp(ctx); err != nil {
		return err
	}
	for _, c := range r.columns {
		kind := dataset.Unknown
		if c.class.isNumber() {
			kind = dataset.Numeric
		}
		r.fields = append(r.fields, dataset.Field{Name: c.name, Kind: kind})
	}
	return nil
}

// lookUp asks the server for the types whose numbers are not the same everywhere.
func (r *Reader) lookUp(ctx context.Context) error {
	var unknown []string
	for _, c := range r.columns {
		if c.class == unread {
			unknown = append(unknown, strconv.FormatUint(uint64(c.oid), 10))
		}
	}
	if unknown == nil {
		return nil
	}
	rows := r.conn.ExecParams(ctx, `SELECT oid, format_type(oid, NULL), typcategory IN ('E', 'S') FROM pg_type
		WHERE oid = ANY ($1::oid[])`, [][]byte{[]byte("{" + strings.Join(unknown, ",") + "}")}, nil, nil, nil).Read()
	if rows.Err != nil {
		return r.target.serverError(ctx, rows.Err, "", r.name)
	}
	for _, row := range rows.Rows {
		for i := range r.columns {
			c := &r.columns[i]
			if c.class != unread || string(row[0]) != strconv.FormatUint(uint64(c.oid), 10) {
				continue
			}
			if c.typeName = string(row[1]); string(row[2]) == "t" {
				c.class = text
			}
		}
	}
	return nil
}

// Fields implements dataset.Source.
func (r *Reader) Fields() []dataset.Field { return r.fields }

// Notes returns what the user should know about the statement.
func (r *Reader) Notes() []fault.Text { return r.notes }

// Reopen makes the rows readable once more: the same rows in the same order, or Blocks ends with an error.
func (r *Reader) Reopen(ctx context.Context) error {
	if r.unusable || r.conn.IsClosed() {
		return fault.New(fault.Resource, "%s: the connection broke", r.name).WithHint("try again")
	}
	return ctx.Err()
}

// Close ends the transaction and the connection.
func (r *Reader) Close() error { return closeConnection(r.conn) }

// Greatest size of a block.
const (
	maxBlockRows  = 4096
	maxBlockCells = 4 << 20
)

// Blocks implements dataset.Source. After Reopen the rows can be read once more.
func (r *Reader) Blocks(ctx context.Context, as []dataset.ReadAs) dataset.Blocks {
	if len(as) != len(r.columns) {
		panic("postgres: as many ways to read as columns are needed")
	}
	return func(yield func(*dataset.Table, error) bool) {
		p, err := r.start(as)
		if err == nil {
			err = p.read(ctx, yield)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}
