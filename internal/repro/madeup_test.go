package repro

import (
	"math"

	"rvflplus/internal/kind"
	"rvflplus/internal/registry"
)

// madeUp is a table on three data sets with everything a cell can have: trials or none,
// a limit, a note, values that differ from the paper's or not. Nothing was measured.
func madeUp() *Result {
	e := &Experiment{
		Name: "table4", Title: "Made-up numbers | <none> measured", Metric: "accuracy",
		Protocols: []Protocol{{Name: "published", Title: "As the paper says."}, {Name: "ours", Title: "As we would."}},
		Datasets:  []Dataset{{Name: "Iris"}, {Name: "Glass", Note: "six classes"}, {Name: "Red Wine Quality, ≤5/6/≥7"}},
		Methods: []Method{
			{Name: "KRVFL+", Kernel: "Gaussian kernel", Config: config("krvfl+")},
			{Name: "RVFL", Activation: "Sigmoid function", Config: config("rvfl")},
			{Name: "MAT-SVM+", Kernel: "Gaussian kernel", Config: config("svm+"), Limited: true},
			{Name: "KRVFL", Kernel: "Gaussian kernel", Config: config("krvfl"), Ours: true},
			{Name: "KRVFL, all columns", Kernel: "Gaussian kernel", Config: config("krvfl"), Ours: true,
				AllColumns: true},
		},
	}
	r := &Result{Experiment: e, Protocol: "both", Run: Run{Seed: 1, Trials: 3, Draws: 5, Version: "rvfl 0",
		Machine: "a machine, 2 cores", Seconds: 12.5}}
	for _, p := range e.Protocols {
		for d, data := range e.Datasets {
			for m := range e.Methods {
				c := &Cell{Key: e.Methods[m].key(p.Name, data.Name), Ours: e.Methods[m].Ours}
				for t := range 3 {
					c.Trials = append(c.Trials, Trial{
						Value:   77 - float64(d)*20 + float64(m) + 0.25 + float64(t)/4,
						Seconds: 0.001 * float64(m+1), TuneSeconds: 0.25, Score: math.Inf(-1),
						Settings: kind.Settings(e.Methods[m].Config),
					})
				}
				r.Cells = append(r.Cells, c)
			}
		}
	}
	r.Cells[2].Trials, r.Cells[2].Stopped, r.Cells[2].Limit = nil, "stopped at the limit of 600 s", 600
	r.Cells[6].Notes = []string{"settings chosen once, on 1000 rows"}
	r.Cells[8].Trials = r.Cells[8].Trials[:1]
	r.Cells[9].SameAs, r.Cells[9].Notes = "KRVFL+", []string{"the trials of KRVFL+"}
	r.Conclude()
	return r
}

// madeUpSingle is a table on one data set, RMSE this time.
func madeUpSingle() *Result {
	r := madeUp()
	r.Experiment.Datasets = r.Experiment.Datasets[:1]
	r.Experiment.Name, r.Experiment.Metric = "table6", "rmse"
	r.Cells = append(r.Cells[:5:5], r.Cells[15:20]...)
	r.Conclude()
	return r
}

// madeUpMap is a figure with a point that has no value.
func madeUpMap() *Result {
	r := madeUp()
	r.Experiment.Name, r.Cells = "figure2", nil
	r.Experiment.Sweep = &Sweep{X: "C", Y: "gamma", XValues: []float64{0.1, 1, 10}, YValues: []float64{1, 1000}}
	for i, x := range r.Experiment.Sweep.XValues {
		for k, y := range r.Experiment.Sweep.YValues {
			r.Points = append(r.Points, Point{"published", x, y, 80 + float64(i*k)})
		}
	}
	r.Points[2].Value = math.NaN()
	r.Conclude()
	return r
}

func madeUpCurve() *Result {
	r := madeUpMap()
	r.Experiment.Name, r.Experiment.Sweep = "figure3a", &Sweep{X: "gamma", XValues: []float64{1, 100, 1e4}}
	r.Points = []Point{{"published", 1, 0, 90}, {"published", 100, 0, 92.5}, {"published", 1e4, 0, 93},
		{"ours", 1, 0, math.NaN()}, {"ours", 100, 0, 93}}
	r.Conclude()
	return r
}

// statistics is table 5, which needs no data.
func statistics() *Result {
	r := &Result{Experiment: &Experiment{Name: "table5", Title: "Statistics"}, Protocol: "both"}
	for _, row := range registry.Paper() {
		if row.Table == 5 {
			r.Statistics = append(r.Statistics, row)
		}
	}
	r.Conclude()
	return r
}

func everything() []*Result {
	return []*Result{madeUp(), madeUpSingle(), madeUpMap(), madeUpCurve(), statistics()}
}
