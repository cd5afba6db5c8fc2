package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"rvflplus/dataset"
)

func TestMain(m *testing.M) {
	if file := os.Getenv("RVFL_PEAK_FILE"); file != "" {
		os.Exit(watch(file))
	}
	if os.Getenv("RVFL_BE_THE_COMMAND") == "1" {
		if name := os.Getenv("RVFL_TELL_WHEN_IN"); name != "" {
			go tellWhenIn(name, os.Getenv("RVFL_TELL_FILE"))
		}
		main()
	}
	testscript.Main(m, map[string]func(){"rvfl": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":      exitCode,
			"situation": situation,
			"synthetic": synthetic,
			"repeat":    repeat,
			"jsonis":    jsonIs,
			"cut":       cut,
		},
	})
}

// exitCode runs: code N command args…, and fails unless the exit code is N.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// synthetic writes: synthetic FILE ROWS [SEED], the generated data set as CSV.
func synthetic(ts *testscript.TestScript, neg bool, args []string) {
	rows, err := strconv.Atoi(args[1])
	ts.Check(err)
	seed := 1
	if len(args) > 2 {
		seed, err = strconv.Atoi(args[2])
		ts.Check(err)
	}
	ts.Check(writeSynthetic(ts.MkAbs(args[0]), rows, uint64(seed)))
}

// repeat writes: repeat FILE N LINE [LAST], a header a,y, the line N times with the number of the row behind it, and
// the last line.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	rows, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := bytes.NewBufferString("a,y\n")
	for i := range rows {
		fmt.Fprintf(text, "%s,%d.5\n", args[2], i%7)
	}
	for _, last := range args[3:] {
		fmt.Fprintf(text, "%s,1.5\n", last)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text.Bytes(), 0o600))
}

// cut writes: cut IN OUT BYTES, the first bytes of a file, or with a negative number all but so many of the last.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	data := []byte(ts.ReadFile(args[0]))
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	if n < 0 {
		n += len(data)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data[:n], 0o644))
}

func writeSynthetic(path string, rows int, seed uint64) error {
	table, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.2, Seed: seed}.Table()
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	err = w.Write(table.Names())
	for i := range rows {
		var record []string
		for j := range table.Columns {
			record = append(record, table.Columns[j].Text(i))
		}
		err = errors.Join(err, w.Write(record))
	}
	w.Flush()
	return errors.Join(err, w.Error(), f.Close())
}

// jsonIs checks: jsonis PATH VALUE, that the last standard output is one JSON value
// in which the dotted path has the value; "number" stands for any number.
func jsonIs(ts *testscript.TestScript, neg bool, args []string) {
	decoder := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	var v any
	ts.Check(decoder.Decode(&v))
	if decoder.More() {
		ts.Fatalf("more than one JSON value on standard output")
	}
	for _, key := range strings.Split(args[0], ".") {
		switch node := v.(type) {
		case map[string]any:
			child, ok := node[key]
			if !ok {
				ts.Fatalf("no %q in %s", key, args[0])
			}
			v = child
		case []any:
			i, err := strconv.Atoi(key)
			ts.Check(err)
			v = node[i]
		default:
			ts.Fatalf("nothing below %q in %s", key, args[0])
		}
	}
	if _, isNumber := v.(float64); isNumber && args[1] == "number" {
		return
	}
	if got := fmt.Sprint(v); got != args[1] {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

// command returns the command itself, run from dir.
func command(dir string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "RVFL_BE_THE_COMMAND=1")
	c.Dir = dir
	return c
}

// interrupted starts c, sends the signal once ready returns, and fails unless the command ends as interrupted.
func interrupted(t *testing.T, c *exec.Cmd, signalled os.Signal, ready func()) {
	t.Helper()
	// A child starts with the default disposition of signals that its parent catches, also if the tests themselves
	// were started with one of them ignored, as nohup does.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt, syscall.SIGHUP)
	err := c.Start()
	signal.Stop(caught)
	if err != nil {
		t.Fatal(err)
	}
	ready()
	if err := c.Process.Signal(signalled); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != codeInterrupted {
		t.Errorf("%v: %v, want exit code %d", c.Args[1:], err, codeInterrupted)
	}
}

// fill writes more into a pipe than it holds: the reader has begun to read when fill returns.
func fill(t *testing.T, pipe io.Writer, text string) {
	t.Helper()
	const capacity = 1 << 20 // more than that of a pipe
	for n := 0; n < capacity; n += len(text) {
		if _, err := io.WriteString(pipe, text); err != nil {
			t.Fatal(err)
		}
	}
}

// waitFor waits until there is a file of that pattern.
func waitFor(t *testing.T, pattern string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("no %s", pattern)
		}
	}
}

// tellWhenIn makes a file once a goroutine of this process runs a function whose name begins so.
func tellWhenIn(name, file string) {
	stacks := make([]byte, 1<<20)
	for !bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("\n"+name)) {
		time.Sleep(time.Millisecond)
	}
	_ = os.WriteFile(file, nil, 0o600)
}

// longestToEnd is far above the moment that interrupted work takes, on a machine that is busy with other tests too.
const longestToEnd = 10 * time.Second

func TestInterruptEndsWithoutAFile(t *testing.T) {
	dir := t.TempDir()
	if err := writeSynthetic(filepath.Join(dir, "d.csv"), 8000, 1); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		flags     string
		within    string // the functions that tell that the work has begun
		signalled os.Signal
	}{
		{"-m krvfl+ --tune=false", "krvfl.", os.Interrupt},
		{"-m rvfl+ --hidden 4000 --tune=false", "rvfl.", syscall.SIGHUP},
		{"", "internal/lupi.", os.Interrupt}, // while settings are chosen
		{"--hidden 1000", "internal/lupi.", os.Interrupt},
	} {
		args := []string{"train", "d.csv", "-y", "y", "-p", "lab_*", "-o", "m.rvfl"}
		c := command(dir, append(args, strings.Fields(step.flags)...)...)
		training := filepath.Join(t.TempDir(), "training")
		c.Env = append(c.Env, "RVFL_TELL_WHEN_IN=rvflplus/"+step.within, "RVFL_TELL_FILE="+training)
		var signalled time.Time
		interrupted(t, c, step.signalled, func() {
			waitFor(t, training)
			signalled = time.Now()
		})
		if took := time.Since(signalled); took > longestToEnd {
			t.Errorf("rvfl train %s ends %v after it was interrupted", step.flags, took)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("files left: %v (%v)", entries, err)
	}
}

// A signal that whoever started the process wants ignored does not end it.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	if ignored := signal.Ignored(syscall.SIGHUP); !ignored {
		signal.Ignore(syscall.SIGHUP)
		defer signal.Reset(syscall.SIGHUP)
	}
	got := endings()
	if slices.Contains(got, os.Signal(syscall.SIGHUP)) || !slices.Contains(got, os.Signal(syscall.SIGTERM)) {
		t.Errorf("signals that end work: %v", got)
	}
}

// output runs the command and returns its standard output.
func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := command(dir, args...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("rvfl %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// trained returns the bytes of the model file that rvfl train with these arguments writes.
func trained(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	output(t, dir, append([]string{"train", "-o", "trained.rvfl"}, args...)...)
	bytes, err := os.ReadFile(filepath.Join(dir, "trained.rvfl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func TestModelFileDoesNotDependOnThreads(t *testing.T) {
	dir := t.TempDir()
	if err := writeSynthetic(filepath.Join(dir, "d.csv"), 700, 1); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"rvfl", "rvfl+", "krvfl", "krvfl+"} {
		var want []byte
		for _, threads := range []string{"1", "2", "7"} {
			got := trained(t, dir, "d.csv", "-y", "y", "-p", "lab_*", "-m", kind, "--hidden", "150",
				"--threads", threads, "--keep-privileged")
			if want == nil {
				want = got
			}
			if string(got) != string(want) {
				t.Errorf("%s: %s threads give another file", kind, threads)
			}
		}
	}
}

// watched is command, made to write the most memory it held into a file. A process
// counts what the one that started it held, and the tests hold much; so a small one
// stands between them.
func watched(t *testing.T, dir string, args ...string) (c *exec.Cmd, peak func() float64) {
	file := filepath.Join(t.TempDir(), "peak")
	c = command(dir, args...)
	c.Env = append(c.Env, "RVFL_PEAK_FILE="+file)
	return c, func() float64 {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bytes, err := strconv.ParseFloat(string(text), 64)
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
}

// watch runs the command that its own arguments name.
func watch(file string) int {
	os.Unsetenv("RVFL_PEAK_FILE")
	c := exec.Command(os.Args[0], os.Args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	_ = c.Run()
	held := 1024 * c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if err := os.WriteFile(file, []byte(strconv.FormatInt(held, 10)), 0o600); err != nil {
		return 1
	}
	return c.ProcessState.ExitCode()
}

func number(t *testing.T, text string, path ...string) float64 {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, key := range path {
		v = v.(map[string]any)[key]
	}
	f, ok := v.(float64)
	if !ok || math.IsNaN(f) {
		t.Fatalf("%v is no number in %s", path, text)
	}
	return f
}
