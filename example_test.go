package rvflplus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus"
	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/fault"
	"rvflplus/kernel"
)

// patients returns a generated table: y depends on x1, x2 and x3, which are known when a model is used, and on lab_1
// and lab_2, which are not.
func patients(rows int) *rvflplus.Table {
	generated, _ := dataset.Synthetic{Rows: rows, Strength: 1, Noise: 0.2, Seed: 1}.Table()
	table, err := rvflplus.ReadTable(context.Background(), generated.Source(), rvflplus.ReadOptions{})
	if err != nil {
		panic(err)
	}
	return table
}

// patientColumns are the roles of the columns of patients.
var patientColumns = rvflplus.Columns{Target: "y", Privileged: "lab_*"}

// Train on rows with privileged columns, then predict rows that lack them.
func ExampleTrain() {
	ctx := context.Background()
	config := rvflplus.DefaultConfig()
	config.Kind, config.Gamma, config.Correction = "krvfl+", 1, "additive"
	model, err := rvflplus.Train(ctx, patients(80), patientColumns, config, rvflplus.TrainOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	report := model.Report()
	fmt.Printf("leave-one-out RMSE %.2f over %d rows\n", report.LeaveOneOut.Regression.RMSE, report.Rows)

	fresh, err := rvflplus.NewTable(
		rvflplus.Column{Name: "x1", Numbers: []float64{0.8, 0.2}},
		rvflplus.Column{Name: "x2", Numbers: []float64{-0.3, 0.4}},
		rvflplus.Column{Name: "x3", Numbers: []float64{0.1, 0.9}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := model.Predict(ctx, fresh, rvflplus.PredictOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range p.Rows() {
		fmt.Printf("prediction %.2f\n", p.Value(i, 0))
	}
	// Output:
	// leave-one-out RMSE 1.40 over 80 rows
	// prediction 0.66
	// prediction 0.19
}

// Search hyper-parameters by exact leave-one-out; a given width is not searched.
func ExampleTune() {
	ctx := context.Background()
	config := rvflplus.DefaultConfig()
	config.Kind, config.Kernel = "krvfl+", kernel.Must("rbf:width=4")
	options := rvflplus.TuneOptions{Trials: 20, Fixed: []string{"gamma"}}
	r, err := rvflplus.Tune(ctx, patients(60), patientColumns, config, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s of %d trials: %s %.2f\n", r.Scheme, len(r.Trials), r.Score, r.Trials[r.Best].Score)
	fmt.Println(r.Config().Gamma, r.Model.Config().Kernel)
	// Output:
	// leave-one-out of 20 trials: rmse 1.56
	// 10000 rbf:width=4
}

// Ask whether the privileged columns help before anything is built on them.
func ExampleCompare() {
	ctx := context.Background()
	c, err := rvflplus.Compare(ctx, patients(60), patientColumns, rvflplus.DefaultConfig(), rvflplus.CompareOptions{
		Methods: []string{"krvfl", "krvfl+:projected"}, Splits: 5, Permutations: 19,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Verdict)
	for _, m := range c.Methods {
		fmt.Printf("%s (%s): %s %.1f\n", m.Name, m.Role, c.Metric, m.Mean)
	}
	// Output:
	// helps
	// krvfl (baseline): rmse 1.7
	// averaged (baseline): rmse 1.7
	// krvfl+:projected (privileged): rmse 1.5
	// krvfl seeing all (upper bound): rmse 0.8
	// averaged seeing all (upper bound): rmse 0.8
}

// flowers is a table with classes and a categorical column.
const flowers = `sepal,petal,colour,kind
5.1,1.4,blue,a
6.2,4.5,white,b
4.9,1.5,blue,a
5.9,4.2,white,b
5.0,1.3,white,a
6.4,4.7,blue,b
`

// One row is predicted without a table; missing cells are nil where the model fills them.
func ExampleModel_PredictRow() {
	ctx := context.Background()
	table, err := rvflplus.ReadCSV(ctx, strings.NewReader(flowers), rvflplus.CSVOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	config := rvflplus.DefaultConfig()
	config.Kind, config.Impute, config.Proba = "krvfl+", "mean", "platt"
	columns := rvflplus.Columns{Target: "kind", Privileged: "petal"}
	model, err := rvflplus.Train(ctx, table, columns, config, rvflplus.TrainOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range []rvflplus.Row{
		{"sepal": 5.2, "colour": "blue"},
		{"sepal": 6, "colour": nil},
	} {
		p, err := model.PredictRow(ctx, row, rvflplus.PredictOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		for k, class := range model.Classes() {
			fmt.Printf("%s %.2f, ", class, p.Probability(0, k))
		}
		fmt.Println("predicted:", p.Label(0))
	}
	// Output:
	// a 0.77, b 0.23, predicted: a
	// a 0.32, b 0.68, predicted: b
}

// Numbers in a matrix of gonum, in the order of Model.Columns, and intervals that cover 80 % of new targets.
func ExampleModel_PredictMatrix() {
	ctx := context.Background()
	config := rvflplus.DefaultConfig()
	config.Kind, config.Intervals, config.Std = "krvfl+", true, true
	model, err := rvflplus.Train(ctx, patients(80), patientColumns, config, rvflplus.TrainOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range model.Columns() {
		fmt.Print(c.Name, " ")
	}
	fmt.Println("columns")
	x := mat.NewDense(2, 3, []float64{
		0.8, -0.3, 0.1,
		0.2, 0.4, 0.9,
	})
	p, err := model.PredictMatrix(ctx, x, rvflplus.PredictOptions{Level: 0.8})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range p.Rows() {
		lower, upper := p.Interval(i, 0)
		fmt.Printf("%.2f in [%.2f, %.2f], standard deviation %.2f\n", p.Value(i, 0), lower, upper, p.Std(i, 0))
	}
	// Output:
	// x1 x2 x3 columns
	// 0.32 in [-1.49, 2.16], standard deviation 0.39
	// -0.73 in [-2.54, 1.10], standard deviation 0.42
}

// A saved model predicts the same numbers; the file holds everything it needs. Streams work as files do.
func ExampleModel_Save() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "rvfl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "flowers.csv")
	if err := os.WriteFile(file, []byte(flowers), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	table, err := rvflplus.OpenTable(ctx, file, rvflplus.CSVOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	config := rvflplus.DefaultConfig()
	config.Hidden = 10
	columns := rvflplus.Columns{Target: "kind", Privileged: "petal"}
	model, err := rvflplus.Train(ctx, table, columns, config, rvflplus.TrainOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join(dir, "m.rvfl")
	if err := model.Save(ctx, path, rvflplus.SaveOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := rvflplus.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := loaded.Evaluate(ctx, table, rvflplus.EvaluateOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(loaded.Config().Kind, e.Metrics.Classification.Accuracy)

	var stream bytes.Buffer
	if err := loaded.Encode(&stream, rvflplus.SaveOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	copied, err := rvflplus.Decode(&stream)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(copied.Classes())
	// Output:
	// stack 1
	// [a b]
}

// Errors name what is wrong, and hints what to do. Their kind tells what has to change.
func ExampleTrain_mistake() {
	ctx := context.Background()
	train := func(columns rvflplus.Columns, c rvflplus.Config) {
		_, err := rvflplus.Train(ctx, patients(10), columns, c, rvflplus.TrainOptions{})
		fmt.Println(err, errors.Is(err, fault.Usage))
		if hint := fault.HintOf(err); hint != "" {
			fmt.Println("  hint:", hint)
		}
	}
	train(rvflplus.Columns{Target: "lab"}, rvflplus.DefaultConfig())
	config := rvflplus.DefaultConfig()
	config.C = 0
	train(patientColumns, config)
	config = rvflplus.DefaultConfig()
	config.Kind = "krvfl+"
	train(rvflplus.Columns{Target: "y"}, config)
	// Output:
	// no column is named "lab" true
	//   hint: did you mean "lab_1"? The columns are: x1, x2, x3, lab_1, lab_2, y
	// C must be a finite number > 0, got 0 true
	// kind krvfl+ learns from privileged columns, but none is named true
	//   hint: name them with privileged or priv-data, or use kind=krvfl
}

// Files of all formats are opened by their names; an ARFF file, or a public data set such as "@iris", states the roles
// of its columns.
func ExampleReadTable() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "rvfl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "flowers.arff")
	text := "@relation 'flowers: -C -1'\n@attribute sepal numeric\n@attribute petal numeric\n" +
		"@attribute kind {a,b}\n@data\n5.1,1.4,a\n6.2,4.5,b\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	file, err := tablefile.Open(ctx, path, tablefile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	table, err := rvflplus.ReadTable(ctx, file, rvflplus.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(table.Rows(), table.Names(), "target:", rvflplus.ColumnsOf(file.Roles).Target)
	// Output:
	// 2 [sepal petal kind] target: kind
}
