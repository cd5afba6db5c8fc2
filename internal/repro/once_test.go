package repro

import (
	"slices"
	"testing"
)

// What is chosen on half of the training rows has a γ twice as large as was drawn, so
// that its penalty a row stays; a γ that is held, and C, stay as they are.
func TestGammaGrowsWithTheRows(t *testing.T) {
	o := onGenerated()
	o.Draws, o.Methods, o.Protocol = 5, []string{"RVFL+", "KRVFL+", "RVFL"}, PublishedName
	e := table4()
	e.Datasets = e.Datasets[:1]
	e.Datasets[0].Once, e.Datasets[0].TuneRows = true, e.Datasets[0].Train/2
	plans, err := o.plan([]*Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(o)
	for _, j := range plans[0].jobs {
		if err := r.load(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		checkGamma(t, j)
	}
}

func checkGamma(t *testing.T, j *job) {
	t.Helper()
	rows, err := j.pool.split(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	best, err := j.choose(t.Context(), rows, 0)
	if err != nil {
		t.Fatal(err)
	}
	some, err := draw(rows.train, true, j.tuningRows(), 0)
	if err != nil {
		t.Fatal(err)
	}
	_, drawn, err := j.candidates(t.Context(), rows.train.Only(some), j.base(0), 0)
	if err != nil {
		t.Fatal(err)
	}
	want := best.config.Gamma
	switch j.method.Config.Kind {
	case "rvfl+":
		want /= 2
	case "krvfl+":
		if want != gammaOfPaper {
			t.Errorf("KRVFL+: γ = %v", want)
		}
	}
	for _, c := range drawn {
		if c.C == best.config.C && c.Gamma == want {
			return
		}
	}
	t.Errorf("%s: C = %v with γ = %v was not drawn", j.method.Name, best.config.C, want)
}

// Data sets of many rows have their settings chosen in the first trial, on as many rows
// as the bound says or on all there are.
func TestManyRowsAreTunedOnce(t *testing.T) {
	for _, j := range jobsOf(t, table4(), OursName, "KRVFL+", "MAT-SVM+", "SVM") {
		switch d := j.dataset; {
		case j.choosesOnce() != (d.Train > manyRows || j.method.Name == "MAT-SVM+"):
			t.Errorf("%s, %s: chosen once: %v", d.Name, j.method.Name, j.choosesOnce())
		case j.method.Name == "MAT-SVM+" && d.Train > manyRows && j.trials(10) != 1:
			t.Errorf("%s, %s: %d trials", d.Name, j.method.Name, j.trials(10))
		case d.Entry == "wine-red" && j.tunesOnSubset() != !j.kind.ClosedForm:
			t.Errorf("%s, %s: on few rows: %v", d.Name, j.method.Name, j.tunesOnSubset())
		}
	}
}

func TestLargeSystemsAreSolvedSeldom(t *testing.T) {
	for _, j := range jobsOf(t, table7(), OursName) {
		if j.dataset.Entry == "shuttle" && j.method.Config.Kind == "krvfl" {
			t.Errorf("table 7: %s on Shuttle", j.method.Name)
		}
	}
	want := map[string]int{"KRVFL+": 3, "KRVFL": 3, "KRVFL+ additive": 3, "SVM": 10, "RVFL+": 10,
		"SVM, all columns": 10}
	var names []string
	for _, j := range jobsOf(t, table4(), OursName) {
		if j.dataset.Entry != "shuttle" {
			continue
		}
		names = append(names, j.method.Name)
		if trials, ok := want[j.method.Name]; ok && j.trials(10) != trials {
			t.Errorf("%s: %d trials, want %d", j.method.Name, j.trials(10), trials)
		}
	}
	for name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("no %s on Shuttle", name)
		}
	}
	if slices.Contains(names, "KRVFL, all columns") {
		t.Errorf("on Shuttle: %q", names)
	}
}

func jobsOf(t *testing.T, e *Experiment, protocol string, methods ...string) []*job {
	t.Helper()
	plans, err := Options{Protocol: protocol, Methods: methods}.plan([]*Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	return plans[0].jobs
}
