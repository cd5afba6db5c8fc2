package main

import (
	"context"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/internal/prep"
	"rvflplus/internal/target"
	"rvflplus/kernel"
)

// task is one problem for both programs.
type task struct {
	name       string
	file       string
	layout     tablefile.Options
	target     string
	rows       int // 0: all
	regression bool
	linear     bool
	c          float64
}

var (
	commas = tablefile.Options{NoHeader: true}
	blanks = tablefile.Options{NoHeader: true, Separator: "space"}
)

var tasks = []task{
	{"wine, rbf", "uci/wine/wine.data", commas, "c1", 0, false, false, 10},
	{"wine, linear", "uci/wine/wine.data", commas, "c1", 0, false, true, 1},
	{"segment, rbf", "@segment:test", tablefile.Options{}, "class", 0, false, false, 100},
	{"segment, linear", "@segment:test", tablefile.Options{}, "class", 0, false, true, 1},
	{"abalone, 28 classes, rbf", "uci/abalone/abalone.data", commas, "c9", 0, false, false, 10},
	{"abalone, 3 classes, rbf", "@abalone", tablefile.Options{}, "rings", 0, false, false, 10},
	{"abalone, 3 classes, linear", "@abalone", tablefile.Options{}, "rings", 0, false, true, 1},
	{"abalone, regression, rbf", "uci/abalone/abalone.data", commas, "c9", 0, true, false, 10},
	{"shuttle, rbf", "uci/statlog-shuttle/shuttle.trn.gz", blanks, "c10", 5000, false, false, 10},
	{"shuttle, rbf", "uci/statlog-shuttle/shuttle.trn.gz", blanks, "c10", 5000, false, false, 1e4},
	{"shuttle, linear", "uci/statlog-shuttle/shuttle.trn.gz", blanks, "c10", 5000, false, true, 1},
}

// problem is a task's prepared data.
type problem struct {
	task
	coder  *target.Coder
	x, y   *mat.Dense
	labels []int
	width  float64
}

func (t task) load(ctx context.Context, folder string) (*problem, error) {
	t.layout.Folder = folder
	path := t.file
	if !strings.HasPrefix(path, "@") {
		path = folder + "/" + path
	}
	f, err := tablefile.Open(ctx, path, t.layout)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	table, err := dataset.Collect(ctx, f, make([]dataset.ReadAs, len(f.Fields())))
	if err != nil {
		return nil, err
	}
	if t.rows > 0 {
		first := make([]int, t.rows)
		for i := range first {
			first[i] = i
		}
		table = table.Subset(first)
	}
	return t.prepare(table)
}

func (t task) prepare(table *dataset.Table) (*problem, error) {
	p := &problem{task: t}
	p.rows = table.Rows
	var features []*dataset.Column
	var answer []*dataset.Column
	for i := range table.Columns {
		if c := &table.Columns[i]; c.Name == t.target {
			answer = append(answer, c)
		} else {
			features = append(features, c)
		}
	}
	kind := "classify"
	if t.regression {
		kind = "regress"
	}
	space, err := prep.Fit(features, prep.Options{Scale: "standard", Impute: "none"})
	if err != nil {
		return nil, err
	}
	if p.x, _, err = space.Apply(features, table.Rows); err != nil {
		return nil, err
	}
	if p.coder, _, err = target.Fit(answer, target.Options{Task: kind}); err != nil {
		return nil, err
	}
	if t.regression {
		y, err := p.coder.Numbers(answer, table.Rows)
		if err != nil {
			return nil, err
		}
		p.y = p.coder.Code(nil, y)
		return p, p.resolve()
	}
	if p.labels, _, err = p.coder.Labels(answer[0], table.Rows); err != nil {
		return nil, err
	}
	p.y = p.coder.Code(p.labels, p.x.RawMatrix())
	return p, p.resolve()
}

// resolve finds the automatic width, which both programs are given.
func (p *problem) resolve() error {
	k, err := kernel.Spec{{Name: "rbf"}}.Resolve(p.x.RawMatrix(), 0)
	if rbf, ok := k.(kernel.RBF); ok {
		p.width = rbf.Width
	}
	return err
}

func (p *problem) kernel() kernel.Spec {
	if p.linear {
		return kernel.Must("linear")
	}
	return kernel.Spec{{Name: "rbf", Params: map[string]float64{"width": p.width}}}
}
