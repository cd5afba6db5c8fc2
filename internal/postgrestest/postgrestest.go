// Package postgrestest starts PostgreSQL servers for tests.
package postgrestest

import (
	"bytes"
	"cmp"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a server with an empty database "postgres", reached by a socket in Folder. The user postgres needs no
// password; a user called guarded, once created, needs one.
type Server struct {
	Folder string

	programs string // the folder of initdb, postgres and psql
	owner    *syscall.Credential
	stdin    io.Closer // of the shell that ends the server
	shell    *exec.Cmd
	log      *bytes.Buffer
}

// install says how the programs are installed that a test needs.
const install = "tests of databases need the PostgreSQL server: apt-get install postgresql"

// Start starts a server, which ends with the test. Without PostgreSQL's programs the test fails.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{programs: programs(t), log: new(bytes.Buffer)}
	var err error
	if s.Folder, err = os.MkdirTemp("", "rvfl-postgres-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop()
		os.RemoveAll(s.Folder)
		if t.Failed() {
			t.Logf("the server said:\n%s", s.log)
		}
	})
	s.own(t)
	data := filepath.Join(s.Folder, "data")
	if out, err := s.command("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
		"--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	access := "local all guarded scram-sha-256\nlocal all all trust\n"
	if err := os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte(access), 0o600); err != nil {
		t.Fatal(err)
	}
	s.run(t)
	return s
}

// programs returns the folder of the newest server's programs.
func programs(t testing.TB) string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	if len(found) == 0 {
		t.Fatal(install)
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return cmp.Compare(version(a), version(b)) }))
}

// own gives the folder to the user that the server runs as: PostgreSQL refuses to run as root.
func (s *Server) own(t testing.TB) {
	if os.Geteuid() != 0 {
		return
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		if err := os.Chown(s.Folder, uid, gid); err != nil {
			t.Fatal(err)
		}
		s.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return
	}
	t.Fatal("PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
}

// command is a program of PostgreSQL, run by the server's owner.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	return s.owned(exec.Command(filepath.Join(s.programs, name), args...))
}

func (s *Server) owned(c *exec.Cmd) *exec.Cmd {
	c.Dir = s.Folder
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "PGHOST=" + s.Folder, "PGUSER=postgres", "PGDATABASE=postgres"}
	if s.owner != nil {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: s.owner}
	}
	return c
}

// run runs the server below a shell that ends it when its standard input ends: also when the test is killed.
func (s *Server) run(t testing.TB) {
	const script = `"$0" -D "$1/data" -k "$1" -c listen_addresses= -c fsync=off -c full_page_writes=off & server=$!
cat; kill -INT $server; wait $server`
	s.shell = s.owned(exec.Command("sh", "-c", script, filepath.Join(s.programs, "postgres"), s.Folder))
	s.shell.Stdout, s.shell.Stderr = s.log, s.log
	var err error
	if s.stdin, err = s.shell.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := s.shell.Start(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); s.command("pg_isready", "-q").Run() != nil; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			s.Stop()
			t.Fatalf("the server does not answer:\n%s", s.log)
		}
	}
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
	u := "postgres://postgres@" + url.PathEscape(s.Folder) + "/postgres"
	if len(parameters) > 0 {
		u += "?" + strings.Join(parameters, "&")
	}
	return u
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
