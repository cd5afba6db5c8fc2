package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"rvflplus/internal/postgrestest"
)

// The scripts of testdata/postgres have a database of their own, which PGHOST, PGUSER and PGDATABASE name.
func TestPostgresScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/postgres/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, script := range scripts {
		s := postgrestest.Start(t)
		testscript.Run(t, testscript.Params{
			Files: []string{script},
			Setup: func(env *testscript.Env) error {
				path := env.Getenv("PATH")
				env.Vars = append(env.Vars, s.Environment()...)
				env.Setenv("PATH", path+string(os.PathListSeparator)+env.Getenv("PATH"))
				return nil
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"code": exitCode, "jsonis": jsonIs, "synthetic": synthetic,
			},
		})
	}
}

// An interrupt while rows are read ends the command and the query on the server soon, and a connection that breaks is
// told; neither leaves a file.
func TestReadingRowsIsEnded(t *testing.T) {
	s := postgrestest.Start(t)
	terminate := func(*exec.Cmd) { s.Terminate(t) }
	for _, c := range []struct {
		query string
		end   func(*exec.Cmd)
		code  int
		says  string
	}{
		{"SELECT 1 AS x, pg_sleep(600)::text", interrupt, 130, "interrupted"},
		{"SELECT generate_series(1, 10000000000) AS x", interrupt, 130, "interrupted"},
		{"SELECT generate_series(1, 10000000000) AS x", terminate, 5, "terminating connection"},
	} {
		dir := t.TempDir()
		rvfl := command(dir, "data", "convert", s.URL(), "out.csv", "--query", c.query)
		var said bytes.Buffer
		rvfl.Stderr = &said
		if err := rvfl.Start(); err != nil {
			t.Fatal(err)
		}
		s.WaitFor(t, postgrestest.Active, "1")
		began := time.Now()
		c.end(rvfl)
		err := rvfl.Wait()
		if seconds := time.Since(began).Seconds(); seconds > 10 {
			t.Errorf("%s: ended only after %.1f s", c.query, seconds)
		}
		checkEnd(t, err, c.code, said.String(), c.says)
		s.WaitFor(t, postgrestest.Active, "0")
		if _, err := os.Stat(filepath.Join(dir, "out.csv")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the file is there (%v)", c.query, err)
		}
	}
}

// An interrupt while predictions wait to be written, and a connection that breaks then, leave the table as it was.
func TestWritingRowsIsEnded(t *testing.T) {
	s := postgrestest.Start(t)
	dir := t.TempDir()
	if err := writeSynthetic(filepath.Join(dir, "d.csv"), 60, 1); err != nil {
		t.Fatal(err)
	}
	train := command(dir, "train", "d.csv", "-y", "y", "-m", "rvfl", "-o", "m.rvfl")
	if out, err := train.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s.SQL(t, "CREATE TABLE scores (prediction float8)")
	for _, c := range []struct {
		end  func(*exec.Cmd)
		code int
		says string
	}{
		{interrupt, 130, "interrupted"},
		{func(*exec.Cmd) { s.Terminate(t) }, 5, "terminating connection"},
	} {
		lock := s.Hold(t, "LOCK TABLE scores")
		rvfl := command(dir, "predict", "m.rvfl", "d.csv", "-o", s.URL("table=scores"))
		var said bytes.Buffer
		rvfl.Stderr = &said
		if err := rvfl.Start(); err != nil {
			t.Fatal(err)
		}
		s.WaitFor(t, postgrestest.Active+" AND query LIKE 'COPY%'", "1")
		c.end(rvfl)
		checkEnd(t, rvfl.Wait(), c.code, said.String(), c.says)
		lock()
		s.WaitFor(t, postgrestest.Active, "0")
		if rows := s.SQL(t, "SELECT count(*) FROM scores"); rows != "0" {
			t.Errorf("%s rows were written", rows)
		}
	}
}

func interrupt(c *exec.Cmd) { _ = c.Process.Signal(syscall.SIGINT) }

// checkEnd fails unless a command ended with an exit code and a message.
func checkEnd(t *testing.T, err error, code int, said, says string) {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != code || !strings.Contains(said, says) {
		t.Errorf("%v, want exit code %d and %q:\n%s", err, code, says, said)
	}
}
