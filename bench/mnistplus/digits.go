package main

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/internal/prep"
	"rvflplus/learn"
)

// digits are MNIST+ in one scaling of each space. Targets are -1 for a five and 1 for
// an eight.
type digits struct {
	train            learn.Problem
	validation, test learn.Problem // without privileged features
}

// part is the table of one of the published parts.
func part(ctx context.Context, folder, name string) (*dataset.Table, error) {
	f, err := tablefile.Open(ctx, "@mnist+:"+name, tablefile.Options{Folder: folder})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dataset.Collect(ctx, f, make([]dataset.ReadAs, len(f.Fields())))
}

// columns splits a table into pixels, descriptions and digit.
func columns(t *dataset.Table) (pixels, priv []*dataset.Column, digit *dataset.Column) {
	for i := range t.Columns {
		switch c := &t.Columns[i]; {
		case c.Name == "digit":
			digit = c
		case c.Name[:2] == "pf":
			priv = append(priv, c)
		default:
			pixels = append(pixels, c)
		}
	}
	return pixels, priv, digit
}

// load reads MNIST+; scale and privScale are named as package prep does.
func load(ctx context.Context, folder, scale, privScale string) (d digits, err error) {
	var spaces [2]*prep.Space
	for _, p := range []struct {
		name string
		to   *learn.Problem
	}{{"train", &d.train}, {"validation", &d.validation}, {"test", &d.test}} {
		t, err := part(ctx, folder, p.name)
		if err != nil {
			return d, err
		}
		pixels, priv, digit := columns(t)
		if p.name == "train" {
			if spaces[0], err = prep.Fit(pixels, prep.Options{Scale: scale}); err != nil {
				return d, err
			}
			if spaces[1], err = prep.Fit(priv, prep.Options{Scale: privScale}); err != nil {
				return d, err
			}
			if p.to.Priv, _, err = spaces[1].Apply(priv, t.Rows); err != nil {
				return d, err
			}
		}
		if p.to.X, _, err = spaces[0].Apply(pixels, t.Rows); err != nil {
			return d, err
		}
		p.to.Y = signs(digit, t.Rows)
	}
	return d, nil
}

// signs codes fives as -1, eights as 1.
func signs(digit *dataset.Column, rows int) *mat.Dense {
	y := mat.NewDense(rows, 1, nil)
	for i := range rows {
		y.Set(i, 0, -1)
		if digit.Text(i) == "8" {
			y.Set(i, 0, 1)
		}
	}
	return y
}

// accuracy is in per cent.
func accuracy(m learn.Model, p learn.Problem) float64 {
	rows, _ := p.X.Dims()
	out := mat.NewDense(rows, 1, nil)
	m.PredictTo(out, p.X)
	right := 0
	for i := range rows {
		if out.At(i, 0)*p.Y.At(i, 0) > 0 {
			right++
		}
	}
	return 100 * float64(right) / float64(rows)
}
