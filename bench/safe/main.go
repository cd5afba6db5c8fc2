// Command safe measures whether a kind with privileged columns, at its documented constants, is ever worse than the
// same kind without: on public data sets by exact leave-one-out, on generated data of many rows on fresh rows.
//
//	RVFL_DATA=DIR go run ./bench/safe -gamma 1000 -kinds rvfl,krvfl -sets slump,andro,edm -generated 60,2000
//
// A line gives the mean loss without privileged columns and its standard error, the mean loss with them, and the
// difference in standard errors: of the loss without, and of the paired differences of rows. The loss of a regression
// is the squared error over the variance of the target, that of a classification the share of wrong rows.
//
// With -default it measures instead what "rvfl train" makes of the columns without a flag, beside the tuned kind
// without privileged columns, on a third of the rows (of 50,000 generated rows: on 5,000 fresh ones):
//
//	RVFL_DATA=DIR go run ./bench/safe -default
//
// With -scales it measures what "rvfl train" makes of the columns under each scaling and under the one that training
// chooses, on splits into a few training rows and others. The privileged columns of a table count as normal ones, are
// left out, or are privileged:
//
//	RVFL_DATA=DIR go run ./bench/safe -scales -rows 150 -splits 6
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/internal/kind"
	"rvflplus/internal/metric"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/roles"
	"rvflplus/learn"
)

// mostKernelRows is the number of rows above which kinds with kernels are left out.
const mostKernelRows = 5000

// mostLeftOut is the number of rows above which the loss is that on fresh rows.
const mostLeftOut = 20000

// study is what the command line asks for.
type study struct {
	kinds, sets, generated string
	seeds                  int
	byDefault, scales      bool
	rows, splits           int // of -scales
	table                  *scaleTable
	config                 param.Config
	held                   []param.Param // what training does not choose
}

func main() {
	s := study{config: param.Default()}
	var correction string
	flag.StringVar(&s.kinds, "kinds", "rvfl,krvfl", "kinds without privileged columns, each compared with its sibling")
	flag.StringVar(&s.sets, "sets", strings.Join(publicSets(), ","), "public data sets")
	flag.StringVar(&s.generated, "generated", "60,2000,50000", "rows of generated data")
	flag.IntVar(&s.seeds, "seeds", 1, "generated data sets of each kind and size")
	flag.Float64Var(&s.config.Gamma, "gamma", s.config.Gamma, "weight of the privileged part")
	flag.Float64Var(&s.config.C, "C", s.config.C, "regularisation")
	flag.BoolVar(&s.byDefault, "default", false, "measure what training without flags makes of the columns")
	flag.BoolVar(&s.scales, "scales", false, "measure scalings")
	flag.IntVar(&s.rows, "rows", 150, "training rows of -scales, at most two thirds of a table")
	flag.IntVar(&s.splits, "splits", 6, "splits of -scales")
	flag.Uint64Var(&s.config.Seed, "seed", 0, "seed of the random layers")
	flag.StringVar(&correction, "correction", string(s.config.Correction), "form in which privileged columns enter")
	flag.Parse()
	s.config.Correction = learn.Correction(correction)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// source is a table and the roles of its columns.
type source struct {
	name        string
	path        string
	noHeader    bool
	task        string
	selection   dataset.Selection // zero for that of a public data set
	train, test *dataset.Table    // test is nil where leave-one-out measures
}

// sources are the public data sets; those with grades stand as regressions too.
func sources() []source {
	return []source{
		{name: "slump", path: "@slump"}, {name: "andro", path: "@andro"}, {name: "edm", path: "@edm"},
		{name: "abalone-rings", path: filepath.Join(os.Getenv("RVFL_DATA"), "uci/abalone/abalone.data"), noHeader: true,
			task: "regression", selection: dataset.Selection{Target: "c9", Priv: "6:8"}},
		{name: "wine-red-grades", path: "@wine-red", task: "regression"},
		{name: "wine-white-grades", path: "@wine-white", task: "regression"},
		{name: "iris", path: "@iris"}, {name: "wine", path: "@wine"}, {name: "glass", path: "@glass"},
		{name: "segment", path: "@segment"}, {name: "parkinsons", path: "@parkinsons"},
		{name: "abalone", path: "@abalone"},
		{name: "wine-red", path: "@wine-red"}, {name: "wine-white", path: "@wine-white"},
		{name: "mnist+", path: "@mnist+:train"}, {name: "shuttle", path: "@shuttle:train"},
	}
}

func publicSets() []string {
	var names []string
	for _, s := range sources() {
		names = append(names, s.name)
	}
	return names
}

func (s study) run(ctx context.Context) error {
	measure := s.measure
	switch {
	case s.scales:
		s.generated, s.table = "", &scaleTable{map[string][][]float64{}}
		measure = s.compareScales
		defer s.table.summary()
		fmt.Println("| data | rows | columns | standard | log | quantile | auto | one se | auto - standard | in ± |")
		fmt.Println("|---|---:|---|---:|---:|---:|---:|---:|---:|---:|")
	case s.byDefault:
		measure = s.compareDefault
		fmt.Println("| data | rows | beside | loss | ± | default | difference in ± | in paired ± | left out, in ± |")
		fmt.Println("|---|---:|---|---:|---:|---:|---:|---:|---:|")
	default:
		s.header()
	}
	for _, d := range sources() {
		if !named(s.sets, d.name) {
			continue
		}
		if err := d.read(ctx); err != nil {
			return err
		}
		if err := measure(ctx, d); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	for _, text := range strings.Split(s.generated, ",") {
		rows, err := strconv.Atoi(text)
		if err != nil {
			continue // none
		}
		for _, situation := range []string{"noise", "copies", "informative", "derived"} {
			for seed := range s.seeds {
				if err := measure(ctx, generate(situation, rows, uint64(seed))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s study) header() {
	fmt.Println("| data | rows | kind | without | ± | with | difference in ± | in paired ± |")
	fmt.Println("|---|---:|---|---:|---:|---:|---:|---:|")
}

func named(list, name string) bool {
	for _, s := range strings.Split(list, ",") {
		if s == name {
			return true
		}
	}
	return false
}

func (d *source) read(ctx context.Context) error {
	t, err := tablefile.Open(ctx, d.path, tablefile.Options{NoHeader: d.noHeader})
	if err != nil {
		return err
	}
	defer t.Close()
	if d.selection.Target == "" {
		d.selection = t.Roles
	}
	d.train, err = dataset.Collect(ctx, t, make([]dataset.ReadAs, len(t.Fields())))
	return err
}

// generate makes 10 normal and 5 privileged columns. The target has a part that five hidden numbers explain.
// Privileged columns are noise, copies of normal columns, the hidden numbers, or sums of hidden and normal ones.
func generate(situation string, rows int, seed uint64) source {
	const normal, priv = 10, 5
	r := rand.New(rand.NewPCG(seed, uint64(rows)))
	draw := func(rows int) *dataset.Table {
		t := &dataset.Table{Rows: rows, Columns: make([]dataset.Column, normal+priv+1)}
		for j := range t.Columns {
			name := "x" + strconv.Itoa(j+1)
			if j >= normal {
				name = "lab_" + strconv.Itoa(j-normal+1)
			}
			if j == normal+priv {
				name = "y"
			}
			t.Columns[j] = dataset.Column{Name: name, Numbers: make([]float64, rows), Number: j + 1}
		}
		for i := range rows {
			var x [normal]float64
			var hidden [priv]float64
			for j := range x {
				x[j] = r.NormFloat64()
				t.Columns[j].Numbers[i] = x[j]
			}
			for j := range hidden {
				hidden[j] = r.NormFloat64()
				if situation == "derived" {
					hidden[j] = (hidden[j] + x[j]) / math.Sqrt2
				}
				t.Columns[normal+j].Numbers[i] = hidden[j]
				switch situation {
				case "noise":
					t.Columns[normal+j].Numbers[i] = r.NormFloat64()
				case "copies":
					t.Columns[normal+j].Numbers[i] = x[j]
				}
			}
			t.Columns[normal+priv].Numbers[i] = math.Sin(2*x[0]) + x[1]*x[2]/2 + x[3] + hidden[0] +
				hidden[1]*hidden[1]/2 + 0.3*r.NormFloat64()
		}
		return t
	}
	s := source{name: "generated, " + situation, selection: dataset.Selection{Target: "y", Priv: "lab_*"},
		train: draw(rows)}
	if rows > mostLeftOut {
		s.test = draw(5000)
	}
	return s
}

// measure prints a line for each kind.
func (s study) measure(ctx context.Context, d source) error {
	for _, name := range strings.Split(s.kinds, ",") {
		var losses [2][]float64
		for k, name := range []string{name, name + "+"} {
			c := s.config
			c.Kind, c.Task = name, d.task
			chosen, err := kind.ByName(name)
			if err != nil {
				return err
			}
			if chosen.Kernels && d.train.Rows > mostKernelRows {
				break
			}
			if losses[k], err = d.losses(ctx, c); err != nil {
				return err
			}
		}
		if losses[1] == nil {
			continue
		}
		difference := make([]float64, len(losses[0]))
		for i := range difference {
			difference[i] = losses[1][i] - losses[0][i]
		}
		without, own := mean(losses[0])
		more, paired := mean(difference)
		fmt.Printf("| %s | %d | %s+ | %.4f | %.4f | %.4f | %+.2f | %+.2f |\n", d.name, d.train.Rows, name, without, own,
			without+more, more/cmp.Or(own, 1), more/cmp.Or(paired, 1))
	}
	return nil
}

// losses trains with c and returns the loss of every row: left out, or of the test rows.
func (d source) losses(ctx context.Context, c param.Config) ([]float64, error) {
	data, err := roles.Assign(d.train, d.selection)
	if err != nil {
		return nil, err
	}
	p, err := pipeline.Prepare(ctx, data, c)
	if err != nil {
		return nil, err
	}
	trainer, err := p.Trainer(c)
	if err != nil {
		return nil, err
	}
	problem := p.Problem()
	if problem.LeaveOneOut = learn.Always; d.test != nil {
		problem.LeaveOneOut = learn.Never
	}
	model, report, err := trainer.Train(ctx, problem)
	if err != nil {
		return nil, err
	}
	outputs, y := report.LeaveOneOut, problem.Y
	if d.test != nil {
		fresh, err := roles.Assign(d.test, d.selection)
		if err != nil {
			return nil, err
		}
		held, err := p.Apply(fresh)
		if err != nil {
			return nil, err
		}
		if outputs, err = learn.Predict(ctx, model, held.X, nil); err != nil {
			return nil, err
		}
		y = held.Y
	}
	if p.Truth().Labels() != nil {
		return wrong(outputs, p.Truth().Labels()), nil
	}
	return metric.RowErrors(y.RawMatrix(), outputs.RawMatrix()), nil
}

// wrong is 1 where the largest output is not that of the class.
func wrong(outputs *mat.Dense, labels []int) []float64 {
	out := make([]float64, len(labels))
	for i, class := range labels {
		row := outputs.RawRowView(i)
		for _, v := range row {
			if v > row[class] {
				out[i] = 1
			}
		}
	}
	return out
}

// mean returns the mean and its standard error.
func mean(v []float64) (mean, standardError float64) {
	n := float64(len(v))
	for _, x := range v {
		mean += x / n
	}
	var variance float64
	for _, x := range v {
		variance += (x - mean) * (x - mean) / (n - 1)
	}
	return mean, math.Sqrt(variance / n)
}
