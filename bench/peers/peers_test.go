package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

var ctx = context.Background()

// The processes that the tests start are this test binary.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

// withoutPython is a crew that needs nothing but Go.
func withoutPython(t *testing.T) *crew {
	t.Helper()
	c := &crew{threads: 1, programs: map[string]*program{}}
	t.Cleanup(c.stop)
	for _, name := range []string{ours, stock, peak} {
		p, err := start(ctx, name, "", 1)
		if err != nil {
			t.Fatal(err)
		}
		c.programs[name] = p
	}
	return c
}

func TestRace(t *testing.T) {
	c := withoutPython(t)
	for _, work := range []string{"gemm", "syrk", "cholesky", "exp"} {
		task := task{work: work, title: work + " of %d", upTo: 100,
			rivals: []rival{{stock, "stock", 0, 0}, {peak, "peak", 0, 0}}}
		rows, err := c.race(task, 60, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if len(r.ours) != 2 || len(r.theirs) != 2 || !(r.best() > 0 || work == "exp") || r.off > 1e-14 {
				t.Errorf("%s: %+v", work, r)
			}
		}
		if rows, _ := c.race(task, 101, 1); len(rows) != 1 {
			t.Errorf("%s beyond gonum's largest size: %+v", work, rows)
		}
	}
}

func TestProgramsSayWhatTheyCannotDo(t *testing.T) {
	c := withoutPython(t)
	for name, work := range map[string]string{ours: "gem", stock: "krvfl"} {
		if _, err := c.programs[name].ask(request{Work: work, Size: 10}); err == nil ||
			!strings.Contains(err.Error(), work) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := newCrew(ctx, options{python: "/no/such/python"}, 1); err == nil ||
		!strings.Contains(err.Error(), "-python") {
		t.Errorf("%v, want a word on -python", err)
	}
}

func TestMemoryIsThatOfTheProcess(t *testing.T) {
	r, err := withoutPython(t).programs[ours].ask(request{Work: "gemm", Size: 1000, Repeat: 1})
	if err != nil || r.BytesBefore < 1e6 || r.Bytes < r.BytesBefore+8e6 {
		t.Errorf("%v bytes before, %v after a product of 8 MB; %v", r.BytesBefore, r.Bytes, err)
	}
}

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2}, []float64{1, 4}, 0.5},
		{[]float64{1, 2}, []float64{1, 2}, 0},
		{[]float64{1}, []float64{1, 2}, math.NaN()},
		{nil, nil, math.NaN()},
		{[]float64{1, math.NaN()}, []float64{1, 1}, math.NaN()},
	} {
		if got := difference(c.a, c.b); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	rows := []result{
		{title: "a", threads: 2, rival: rival{numpy, "them", 1, 2}, flops: 2e9, ours: []float64{1, 3, 2},
			theirs: []float64{4, 1.5, 3}},
		{title: "b", threads: 1, rival: rival{numpy, "them", 1, 2}, ours: []float64{0.0005},
			theirs: []float64{0.25}},
	}
	text := report(options{rounds: 3}, []string{"soft"}, rows, []memory{{ours, 1e6, 2e6}})
	for _, want := range []string{
		"| a | 2 | them | 1 s | 1.5 s | 2.0 GFLOP/s | 1.50 | 1.50 | 2.0, missed |\n",
		"| b | 1 | them | 500 µs | 250 ms |  | 500.00 | 500.00 | 1.0 |\n",
		"soft. Rounds: 3.", "at most 2 MB, 1 MB before",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestTitle(t *testing.T) {
	for size, want := range map[int]string{7: "n = 7", 1024: "n = 1,024", 8388608: "n = 8,388,608"} {
		if got := title("n = %d", size); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, args := range []string{"-rounds 0", "-sizes 1,x", "-threads 0", "-work gem", "more"} {
		if _, err := parse(strings.Fields(args)); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
	o, err := parse(strings.Fields("-work gemm,krvfl+ -sizes 10 -threads 3"))
	if err != nil || fmt.Sprint(o.works, o.sizes, o.threads) != "[gemm krvfl+] [10] [3]" {
		t.Errorf("%+v, %v", o, err)
	}
}

// Every task is known to NumPy's side too.
func TestPythonKnowsTheTasks(t *testing.T) {
	for _, name := range names() {
		if !strings.Contains(pythonWorker, fmt.Sprintf("%q: ", name)) {
			t.Errorf("worker.py does not make %s", name)
		}
	}
}

func TestBarsHoldFromASizeOn(t *testing.T) {
	for _, task := range tasks {
		if task.work == "cholesky" {
			if small, large := task.at(1024)[0], task.at(2048)[0]; small.bar(1) != 0 || large.bar(2) != 1.5 {
				t.Errorf("%+v and %+v", small, large)
			}
		}
	}
}
