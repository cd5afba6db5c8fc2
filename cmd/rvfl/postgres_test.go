package main

import (
	"os"
	"path/filepath"
	"testing"

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
				for _, variable := range s.Environment() {
					env.Vars = append(env.Vars, variable)
				}
				env.Setenv("PATH", path+string(os.PathListSeparator)+os.Getenv("PATH"))
				return nil
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"code": exitCode, "jsonis": jsonIs, "synthetic": synthetic,
			},
		})
	}
}
