// Package postgrestest starts PostgreSQL servers for tests.
package postgrestest

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Server is a server with a database, reached by a socket in Folder. The user postgres needs no password; a user called
// guarded, once created, needs one.
type Server struct {
	Folder   string
	Database string

	programs string // the folder of initdb, postgres and psql
	owner    *syscall.Credential
	stdin    io.Closer // of the shell that ends the server
	shell    *exec.Cmd
	log      *bytes.Buffer
}

// install says how the programs are installed that a test needs.
const install = "tests of databases need the PostgreSQL server: apt-get install postgresql"

// shared is the server of the process; it ends with the process.
var shared = sync.OnceValues(start)

// Start returns the server of the test's process with a new, empty database. Without PostgreSQL's programs the test
// fails.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	own := *s
	own.Database = fmt.Sprintf("test%d", databases.Add(1))
	s.SQL(t, "CREATE DATABASE "+own.Database)
	return &own
}

var databases atomic.Int64

// StartOwn returns a server that the test may stop.
func StartOwn(t testing.TB) *Server {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

func start() (s *Server, err error) {
	s = &Server{Database: "postgres", log: new(bytes.Buffer)}
	if s.programs, err = programs(); err != nil {
		return nil, err
	}
	if s.Folder, err = os.MkdirTemp("", "rvfl-postgres-"); err != nil {
		return nil, err
	}
	if err := s.own(); err != nil {
		return nil, err
	}
	data := filepath.Join(s.Folder, "data")
	if out, err := s.command("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
		"--no-sync").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	access := "local all guarded scram-sha-256\nlocal all all trust\n"
	if err := os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte(access), 0o600); err != nil {
		return nil, err
	}
	return s, s.run()
}

// programs returns the folder of the newest server's programs.
func programs() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		return "", errors.New(install)
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(version(a), version(b)) })
	return filepath.Dir(newest), nil
}

// own gives the folder to the user that the server runs as: PostgreSQL refuses to run as root.
func (s *Server) own() error {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		s.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return os.Chown(s.Folder, uid, gid)
	}
	return errors.New("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
}

// command is a program of PostgreSQL, run by the server's owner.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	return s.owned(exec.Command(filepath.Join(s.programs, name), args...))
}

func (s *Server) owned(c *exec.Cmd) *exec.Cmd {
	c.Dir = s.Folder
	c.Env = s.Environment()
	if s.owner != nil {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner}
	}
	return c
}

// run runs the server below a shell that ends it, and removes its folder, when its standard input ends: also when the
// test is killed.
func (s *Server) run() (err error) {
	const script = `"$0" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c full_page_writes=off & server=$!
cat; kill -INT $server; wait $server; rm -r "$1"`
	s.shell = s.owned(exec.Command("sh", "-c", script, filepath.Join(s.programs, "postgres"), s.Folder))
	s.shell.Stdout, s.shell.Stderr = s.log, s.log
	if s.stdin, err = s.shell.StdinPipe(); err != nil {
		return err
	}
	if err := s.shell.Start(); err != nil {
		return err
	}
	for begin := time.Now(); s.command("pg_isready", "-q").Run() != nil; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			s.Stop()
			return fmt.Errorf("the server does not answer:\n%s", s.log)
		}
	}
	return nil
}

// Stop ends the server, if it runs.
func (s *Server) Stop() {
	if s.shell != nil && s.shell.Process != nil {
		s.stdin.Close()
		_ = s.shell.Wait()
		s.shell = nil
	}
}

// URL returns the URL of the database for the user postgres, with parameters such as "table=t".
func (s *Server) URL(parameters ...string) string {
	u := "postgres://postgres@" + url.PathEscape(s.Folder) + "/" + s.Database
	if len(parameters) > 0 {
		u += "?" + strings.Join(parameters, "&")
	}
	return u
}

// Environment returns variables under which psql and every other client of libpq reach the database.
func (s *Server) Environment() []string {
	return []string{
		"PATH=" + s.programs + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"PGHOST=" + s.Folder, "PGUSER=postgres", "PGDATABASE=" + s.Database,
	}
}

// SQL runs statements with psql and returns what they print, without heads and frames.
func (s *Server) SQL(t testing.TB, statements string) string {
	t.Helper()
	c := s.command("psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1")
	c.Stdin = strings.NewReader(statements)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// WaitFor waits until a query answers as wanted.
func (s *Server) WaitFor(t testing.TB, query, want string) {
	t.Helper()
	for s.SQL(t, query) != want {
		if t.Context().Err() != nil {
			t.Fatalf("%s: still not %s", query, want)
		}
	}
}

// Active counts the connections of rvfl to the database whose server works for them.
const Active = `SELECT count(*) FROM pg_stat_activity
	WHERE application_name = 'rvfl' AND datname = current_database() AND state = 'active'`

// Terminate ends the connections of rvfl to the database.
func (s *Server) Terminate(t testing.TB) {
	t.Helper()
	s.SQL(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE application_name = 'rvfl' AND datname = current_database()`)
}

// Copy writes a table, or a query in parentheses, to a CSV file with psql's \copy.
func (s *Server) Copy(t testing.TB, table, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	c := s.command("psql", "-X", "-q", "-c", `\copy `+table+` TO STDOUT WITH (FORMAT csv, HEADER)`)
	c.Stdout = f
	if err := errors.Join(c.Run(), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// Hold runs statements in a transaction that stays open until the function that it returns is called.
func (s *Server) Hold(t testing.TB, statements string) (release func()) {
	t.Helper()
	c := s.command("psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(in, "BEGIN; %s; SELECT 'held';\n", statements)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "held\n" {
		t.Fatalf("psql answers %q: %v", line, err)
	}
	return func() {
		in.Close()
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
}
