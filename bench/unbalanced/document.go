package main

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/gonum/stat"
)

const head = `# Unbalanced classes

Five percent of the training rows are of the smaller class. A KRVFL whose rows weigh what their classes weigh
(` + "`--class-weight balanced`" + `) stands beside scikit-learn's ` + "`SVC(class_weight=\"balanced\")`" + `. Both
search %d settings at random by the mean balanced accuracy on %d stratified folds of the training rows
(` + "`--score balanced-accuracy`" + `), and both standardise the columns. SVC has an rbf kernel with C from 2⁻⁵ to 2¹⁰
and gamma from 2⁻¹⁵ to 2³. The KRVFL has the ranges of ` + "`rvfl tune`" + `. The command

    go run ./bench/unbalanced -splits %d -settings %d

measured all numbers and wrote this page.

The table shows the mean balanced accuracy on the test rows of %d splits, in percent. The last column is the mean
difference of the two balanced methods with its standard error, in points. The splits of breast cancer share rows, so
that the true standard error is larger there. Without weights both methods were searched by balanced accuracy too.

| data | %s | %s | %s | %s | difference |
|---|---:|---:|---:|---:|---:|
`

// write writes the page.
func (b *bench) write(w io.Writer, results []result) error {
	methods := []string{ours, theirs, oursPlain, theirsPlain}
	_, err := fmt.Fprintf(w, head, b.settings, folds, b.splits, b.settings, b.splits, methods[0], methods[1],
		methods[2], methods[3])
	for _, r := range results {
		line := "| " + r.name
		for _, m := range methods {
			line += fmt.Sprintf(" | %.2f", 100*stat.Mean(r.of[m], nil))
		}
		mean, se := difference(r.of[ours], r.of[theirs])
		if err == nil {
			_, err = fmt.Fprintf(w, "%s | %+.2f ± %.2f |\n", line, 100*mean, 100*se)
		}
	}
	for _, r := range results {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n- %s: %s.\n  The first split has %d training rows, of which %d are of the "+
				"smaller class, and %d test rows.", r.name, r.about, r.rows, r.rare, r.test)
		}
	}
	if err == nil {
		_, err = fmt.Fprintln(w)
	}
	return err
}

// difference returns the mean of a − b and its standard error.
func difference(a, b []float64) (mean, se float64) {
	var d []float64
	for i := range a {
		d = append(d, a[i]-b[i])
	}
	mean, sd := stat.MeanStdDev(d, nil)
	return mean, sd / math.Sqrt(float64(len(d)))
}
