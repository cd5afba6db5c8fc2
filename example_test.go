package rvflplus_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"rvflplus"
	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
)

// Train on rows with a privileged column, then predict rows that lack it.
func ExampleTrain() {
	ctx := context.Background()
	table, _ := dataset.Synthetic{Rows: 80, Strength: 1, Noise: 0.2, Seed: 1}.Table()

	model, err := rvflplus.Train(ctx, table,
		rvflplus.Columns{Target: "y", Priv: "lab_*"},
		rvflplus.Config{Kind: "krvfl+", Gamma: 1, Correction: "additive"})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, loo := model.Report().LeaveOneOut.Metrics.Main()
	fmt.Printf("leave-one-out RMSE %.2f over %d rows\n", loo, model.Report().Rows)

	fresh := &rvflplus.Table{Rows: 1, Columns: []dataset.Column{
		{Name: "x1", Numbers: []float64{0.8}},
		{Name: "x2", Numbers: []float64{-0.3}},
		{Name: "x3", Numbers: []float64{0.1}},
	}}
	p, err := model.Predict(ctx, fresh)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("prediction %.2f\n", p.Outputs.At(0, 0))
	// Output:
	// leave-one-out RMSE 1.40 over 80 rows
	// prediction 0.66
}

// A saved model predicts the same numbers; the file holds everything it needs.
func ExampleLoad() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "rvfl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "flowers.csv")
	if err := os.WriteFile(file, []byte("sepal,petal,kind\n5.1,1.4,a\n6.2,4.5,b\n4.9,1.5,a\n5.9,4.2,b\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	table, err := rvflplus.ReadCSV(ctx, file)
	if err != nil {
		fmt.Println(err)
		return
	}
	model, err := rvflplus.Train(ctx, table, rvflplus.Columns{Target: "kind", Priv: "petal"}, rvflplus.Config{Hidden: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join(dir, "m.rvfl")
	if err := model.Save(ctx, path); err != nil {
		fmt.Println(err)
		return
	}
	loaded, err := rvflplus.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := loaded.Predict(ctx, table)
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := loaded.Evaluate(ctx, table)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Class(0), p.Class(1), e.Metrics.Class.Accuracy)
	// Output: a b 1
}

// Errors name what is wrong and what to do.
func ExampleTrain_mistake() {
	table, _ := dataset.Synthetic{Rows: 10}.Table()
	_, err := rvflplus.Train(context.Background(), table, rvflplus.Columns{Target: "Y"}, rvflplus.Config{Kind: "rvfl"})
	fmt.Println(err)
	// Output: no column is named "Y"
}

// Files of all formats are opened by their names; an ARFF file, or a public data set
// such as "@iris", states the roles of its columns.
func ExampleRead() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "rvfl")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "flowers.arff")
	text := "@relation 'flowers: -C -1'\n@attribute sepal numeric\n@attribute petal numeric\n@attribute kind {a,b}\n@data\n5.1,1.4,a\n6.2,4.5,b\n"
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
	table, err := rvflplus.Read(ctx, file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(table.Rows, table.Names(), "target:", file.Roles.Target)
	// Output:
	// 2 [sepal petal kind] target: kind
}
