package postgres

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"rvflplus/fault"
	"rvflplus/internal/namelist"
)

// Sink is a table that rows are written to.
type Sink struct {
	target *target
	name   string // of the table, for messages
	table  string // quoted
}

// SinkColumn is a column of the rows to write.
type SinkColumn struct {
	Name   string
	Number bool // float64; else text
}

// OpenSink checks, before long work, that the table which a URL names with ?table=NAME can be written to: the server
// answers, and the table is there or its name is free.
func OpenSink(ctx context.Context, url string, secrets Secrets) (*Sink, error) {
	t, err := secrets.parse(url)
	if err != nil {
		return nil, err
	}
	if t.table == "" || t.query != "" {
		return nil, fault.New(fault.Usage, "%s: it is not said to which table rows are written", t.name).
			WithHint("name it in the URL: %s?table=NAME", t.name)
	}
	s := &Sink{target: t, name: t.name + ", table " + t.table}
	if s.table, err = tableName(t.table); err != nil {
		return nil, err
	}
	return s, s.within(ctx, func(conn *pgconn.PgConn) error {
		_, err := s.columns(ctx, conn)
		return err
	})
}

// within connects, begins a transaction, works and commits. When work fails or ctx ends, nothing is changed.
func (s *Sink) within(ctx context.Context, work func(*pgconn.PgConn) error) error {
	conn, err := s.target.connect(ctx)
	if err != nil {
		return err
	}
	defer closeConnection(conn) // rolls back what was not committed
	if err := run(ctx, conn, "BEGIN READ WRITE"); err != nil {
		return s.target.serverError(ctx, err, "", s.name)
	}
	if err := errors.Join(work(conn), ctx.Err()); err != nil {
		return s.target.serverError(ctx, err, "", s.name)
	}
	if err := run(ctx, conn, "COMMIT"); err != nil {
		var refused *pgconn.PgError
		if errors.As(err, &refused) {
			return s.target.serverError(ctx, err, "", s.name)
		}
		return fault.New(fault.Resource, "%s: the connection broke while the rows were committed: %w", s.name, err).
			WithHint("look whether the table has them before you write them again")
	}
	return nil
}

// columns returns the names of the table's columns, nil if there is no such table.
func (s *Sink) columns(ctx context.Context, conn *pgconn.PgConn) ([]string, error) {
	rows := conn.ExecParams(ctx, `SELECT attname FROM pg_attribute
		WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
		[][]byte{[]byte(s.table)}, nil, nil, nil).Read()
	var names []string
	for _, row := range rows.Rows {
		names = append(names, string(row[0]))
	}
	return names, rows.Err
}

// Write adds rows to the table by COPY, in one transaction: all of them or none. write writes them as CSV with a
// header. A table that is not there is created, with columns of type double precision and text. A table that is there
// needs a column for each of columns by name; its other columns get their defaults.
func (s *Sink) Write(ctx context.Context, columns []SinkColumn, write func(io.Writer) error) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		if names[i] = quoted(c.Name); len(c.Name) > maxName || c.Name == "" || strings.ContainsRune(c.Name, 0) {
			return fault.New(fault.Usage, "%s: a column cannot be called %q", s.name, shortened(c.Name)).
				WithHint("PostgreSQL takes names of 1 to %d bytes: write a file, or rename the class or target",
					maxName)
		}
	}
	return s.within(ctx, func(conn *pgconn.PgConn) error {
		if err := s.prepare(ctx, conn, columns, names); err != nil {
			return err
		}
		r, w := io.Pipe()
		written := make(chan error)
		go func() {
			err := write(w)
			w.CloseWithError(err)
			written <- err
		}()
		_, err := conn.CopyFrom(ctx, r, "COPY "+s.table+" ("+strings.Join(names, ", ")+
			") FROM STDIN WITH (FORMAT csv, HEADER true)")
		r.Close() // ends a write that goes on after an error of the server
		if cause := <-written; cause != nil && !errors.Is(cause, io.ErrClosedPipe) {
			return cause
		}
		return err
	})
}

// prepare creates the table, or compares its columns with those of the rows.
func (s *Sink) prepare(ctx context.Context, conn *pgconn.PgConn, columns []SinkColumn, names []string) error {
	there, err := s.columns(ctx, conn)
	if err != nil {
		return err
	}
	if there == nil {
		var definitions []string
		for i, c := range columns {
			if c.Number {
				definitions = append(definitions, names[i]+" double precision")
			} else {
				definitions = append(definitions, names[i]+" text")
			}
		}
		return run(ctx, conn, "CREATE TABLE "+s.table+" ("+strings.Join(definitions, ", ")+")")
	}
	var missing []string
	for _, c := range columns {
		if !slices.Contains(there, c.Name) {
			missing = append(missing, c.Name)
		}
	}
	if missing != nil {
		return fault.New(fault.Data, "%s has no column for: %s", s.name, namelist.Abbreviate(missing)).
			WithHint("its columns are: %s; add the columns, or name a table that is not there yet",
				namelist.Abbreviate(there))
	}
	return nil
}
