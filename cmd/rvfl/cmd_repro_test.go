package main

import (
	"io"
	"testing"
)

// The command that a report names can be given to a shell.
func TestCommandLineIsRepeatable(t *testing.T) {
	c := newApp(io.Discard, io.Discard).reproCommand()
	if err := c.ParseFlags([]string{"--only", "iris,wine", "--method", "KRVFL+,SVM", "--method=KRVFL, all columns",
		"--trials", "3", "--quick", "--report", "r"}); err != nil {
		t.Fatal(err)
	}
	want := "repro table4 --method KRVFL+,SVM --method 'KRVFL, all columns' --only iris,wine --quick --trials 3"
	if got := commandLine(c, []string{"table4"}); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := quoted("it's"); got != `'it'\''s'` {
		t.Error(got)
	}
}
