package repro

import (
	"slices"
	"strings"
	"testing"
)

// Where the file of SCM1D is not at hand its published test part is run, and the cells say so; otherwise all rows are.
func TestWhatIsRunInPlaceOfAbsentData(t *testing.T) {
	o := onGenerated()
	o.Datasets, o.Methods = []string{"SCM1D"}, []string{"KRVFL+"}
	for _, c := range []struct {
		absent []string
		note   bool
	}{{nil, false}, {[]string{"scm1d"}, true}} {
		data := &generatedData{absent: c.absent}
		o.Loader, o.Cells = data, t.TempDir()
		cell := runOf(t, o, "table6")[0].Cells[0]
		told := slices.ContainsFunc(cell.Notes, func(note string) bool { return strings.Contains(note, "test part") })
		if len(cell.Trials) != quickTrials || told != c.note || (cell.Otherwise != "") != c.note {
			t.Errorf("absent %v: %d trials, notes %q, %q", c.absent, len(cell.Trials), cell.Notes, cell.Otherwise)
		}
		if c.note && cell.Differs() && cell.Remark != "not the paper's rows" {
			t.Errorf("remark %q", cell.Remark)
		}
		if last := data.loaded[len(data.loaded)-1]; (last == "scm1d-test") != c.note {
			t.Errorf("loaded %v", data.loaded)
		}
		data.loaded = nil
		if again := runOf(t, o, "table6")[0].Cells[0]; again.Mean() != cell.Mean() {
			t.Errorf("kept %g, measured %g", again.Mean(), cell.Mean())
		}
	}
}

// The rows that stand in for the data set belong to the shard of the cell they stand in.
func TestAbsentDataHaveTheirShard(t *testing.T) {
	o := onGenerated()
	o.Datasets, o.Methods = []string{"SCM1D"}, []string{"KRVFL+", "RVFL"}
	o.Loader = &generatedData{absent: []string{"scm1d"}}
	filled := 0
	for part := range 2 {
		o.Shard = Shard{part + 1, 2}
		for _, c := range runOf(t, o, "table6")[0].Cells {
			if len(c.Trials) > 0 {
				filled++
			}
		}
	}
	if filled != 2 {
		t.Errorf("%d cells of 2 are filled", filled)
	}
}

// Of all cells of tables 4 and 7, Fast SVM+ on Shuttle alone has linear kernels, and keeps its column.
func TestKernelsThatDoNotFitAreLinear(t *testing.T) {
	for _, j := range slices.Concat(jobsOf(t, table4(), PublishedName), jobsOf(t, table7(), OursName)) {
		want := j.dataset.Entry == "shuttle" && j.method.Name == "Fast SVM+"
		_, how := j.otherwise()
		got := j.method.Config.Kernel.String() == "linear"
		if got != want || (how != "") != want || j.method.Kernel == linear {
			t.Errorf("%s, %s: linear %v, %q, kernel %q", j.dataset.Name, j.method.Name, got, how, j.method.Kernel)
		}
	}
}
