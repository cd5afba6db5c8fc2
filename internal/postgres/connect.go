package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgproto3"

	"rvflplus/fault"
)

const (
	// connectTimeout holds where neither the URL nor the environment gives one.
	connectTimeout = 15 * time.Second
	// cancelTimeout is how long a server may take to stop a statement after an interrupt.
	cancelTimeout = 500 * time.Millisecond
	// maxMessage bounds the memory of a message of the server, such as a row.
	maxMessage = 256 << 20
	// bufferSize is that of the connection; the driver's own of 8 KB costs time.
	bufferSize = 256 << 10
)

// connectionKeys are the parameters of libpq that a URL may have.
var connectionKeys = []string{
	"host", "port", "dbname", "user", "password", "passfile", "connect_timeout", "service", "servicefile", "options",
	"application_name", "target_session_attrs", "channel_binding", "require_auth", "krbspn", "krbsrvname",
	"sslmode", "ssl", "sslkey", "sslcert", "sslcertmode", "sslrootcert", "sslpassword", "sslsni", "sslnegotiation",
	"min_protocol_version", "max_protocol_version",
}

// connect opens a connection. What the URL does not say comes from where libpq looks: the environment, the service
// file, the password file.
func (t *target) connect(ctx context.Context) (*pgconn.PgConn, error) {
	config, err := pgconn.ParseConfigWithOptions(t.connection,
		pgconn.ParseConfigOptions{ConnStringAllowedKeys: connectionKeys})
	if err != nil {
		return nil, t.configError(err)
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "rvfl"
	}
	config.RuntimeParams["client_encoding"] = "UTF8"
	config.MaxProtocolMessageBodyLen = maxMessage
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		return pgproto3.NewFrontend(bufio.NewReaderSize(r, bufferSize), w)
	}
	config.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: cancelTimeout}
	}
	conn, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return nil, t.connectError(ctx, err)
	}
	return conn, nil
}

// configError words an error of the driver about a URL, the environment or a service file without its text, which may
// hold a password.
func (t *target) configError(err error) error {
	text := "the URL, the environment (PG…) or the service file holds something that cannot be used"
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) {
		// The driver words it as: cannot parse `URL`: what (cause).
		if _, what, found := strings.Cut(err.Error(), "`: "); found {
			text = what
		}
	}
	return fault.New(fault.Usage, "%s: %s", t.name, t.withoutSecrets(text)).
		WithHint("write postgres://USER@HOST:PORT/DATABASE with parameters of libpq, such as ?sslmode=require; " +
			"what is left out comes from PGHOST, PGUSER, PGSERVICE, … and ~/.pgpass")
}

// connectError words the driver's errors about all servers that were tried.
func (t *target) connectError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	kind, hint := fault.Resource, "is the server running, and are host and port right? what the URL leaves out comes "+
		"from PGHOST and PGPORT"
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		kind = kindOf(refused.Code)
		switch {
		case strings.HasPrefix(refused.Code, "28"):
			hint = "give the user in the URL or in PGUSER, and the password in ~/.pgpass, PGPASSWORD or the URL"
		case refused.Code == "3D000":
			hint = "name the database in the URL, postgres://HOST/DATABASE, or in PGDATABASE"
		default:
			hint = "ask the administrator of the server"
		}
	}
	var outer *pgconn.ConnectError
	if errors.As(err, &outer) {
		err = errors.Unwrap(outer)
	}
	lines := slices.Compact(strings.Split(strings.TrimSpace(err.Error()), "\n"))
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return fault.New(kind, "cannot connect to %s: %s", t.name, strings.Join(lines, "; ")).
		WithHint("%s", hint)
}

// withoutSecrets hides passwords of the URL in a text of the driver.
func (t *target) withoutSecrets(text string) string {
	for _, parameter := range strings.Split(t.secret, "&") {
		_, raw, _ := strings.Cut(parameter, "=")
		for _, secret := range []string{raw, unescaped(raw)} {
			if secret != "" {
				text = strings.ReplaceAll(text, secret, "xxxxx")
			}
		}
	}
	return text
}

func unescaped(raw string) string {
	text, _ := url.PathUnescape(raw)
	return text
}

// kindOf tells from an SQLSTATE whether the server has to change, or what is asked of it.
func kindOf(code string) fault.Kind {
	for _, class := range []string{"08", "53", "57P", "58", "XX"} {
		if strings.HasPrefix(code, class) {
			return fault.Resource
		}
	}
	return fault.Data
}

// serverError words an error of the server or the connection. place says what was read or written. query is the
// statement that the user wrote, or "".
func (t *target) serverError(ctx context.Context, err error, query, place string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	var of *pgconn.PgError
	if !errors.As(err, &of) {
		return fault.New(fault.Resource, "%s: the connection broke: %w", place, err).
			WithHint("look whether the server runs, then try again")
	}
	text := of.Message
	if of.Detail != "" {
		text += " (" + of.Detail + ")"
	}
	if of.Position > 0 && query != "" {
		line, column := lineOf(query, int(of.Position))
		place += fmt.Sprintf(", line %d, character %d", line, column)
	}
	return fault.New(kindOf(of.Code), "%s: %s", place, text).WithHint("%s", hintOf(of))
}

// hintOf returns a remedy for an error of the server.
func hintOf(e *pgconn.PgError) string {
	switch {
	case e.Code == "25006":
		return "the database is read in a read-only transaction: give a query that changes nothing"
	case e.Code == "42P01":
		return "check the name and its schema (SCHEMA.NAME); names are taken as they are written, capital letters too"
	case e.Code == "42703":
		return "check the spelling of the column"
	case e.Code == "42501":
		return "ask for the right, or connect as another user"
	case e.Code == "57014":
		return "the server stopped the statement: it may have a statement_timeout"
	case kindOf(e.Code) == fault.Resource:
		return "look whether the server runs and has room, then try again"
	case e.Hint != "":
		return e.Hint
	}
	return "try the statement in psql"
}

// lineOf returns where the position-th character of a statement stands, all from 1.
func lineOf(statement string, position int) (line, column int) {
	line, column = 1, 1
	for i, r := range []rune(statement) {
		if i == position-1 {
			break
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}

// run executes statements that return nothing.
func run(ctx context.Context, conn *pgconn.PgConn, statements string) error {
	return conn.Exec(ctx, statements).Close()
}

// closeConnection ends a connection, whatever it does.
func closeConnection(conn *pgconn.PgConn) error {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTimeout)
	defer cancel()
	return conn.Close(ctx)
}
