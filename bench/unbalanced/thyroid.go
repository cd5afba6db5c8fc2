package main

import (
	"math"
	"math/rand/v2"

	"rvflplus/dataset"
)

// thyroid generates a table that resembles the records of thyroid patients in the UCI repository: skewed hormone levels
// with few ill patients, whose levels are off in one of two ways, beside answers to questions of which few matter.
// The classes overlap. rows of which ill are ill, in random order; the last column is the class.
func thyroid(rows, ill int, r *rand.Rand) *dataset.Table {
	names := []string{"age", "tsh", "t3", "tt4", "t4u", "fti"}
	const questions = 10
	numbers := make([][]float64, len(names)+questions)
	class := dataset.Column{Name: "class", Levels: []string{"healthy", "ill"}}
	for _, i := range r.Perm(rows) {
		is := i < ill
		age := min(95, max(1, 50+20*r.NormFloat64()))
		stimulating, triiodo, thyroxine, uptake := r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		thyroxine += 0.5 * triiodo
		treated := r.Float64() < 0.15
		switch {
		case is && r.Float64() < 0.7: // under-active: much stimulating hormone, little thyroxine
			stimulating += 2.2 + 0.5*r.NormFloat64()
			thyroxine -= 1.4
		case is: // over-active
			stimulating -= 1.8
			triiodo += 1.8
		case treated: // healthy with a level that is off, by the medicine
			stimulating += 1.3
		}
		cells := []float64{math.Round(age), math.Exp(0.6 + 0.9*stimulating), math.Exp(0.7 + 0.3*triiodo),
			108 + 33*thyroxine, 1 + 0.18*uptake, (108 + 33*thyroxine) / max(0.3, 1+0.18*uptake)}
		for q := range questions {
			share := 0.02 + 0.03*float64(q)
			answer := r.Float64() < share
			switch {
			case q == 0:
				answer = treated
			case q == 1:
				answer = r.Float64() < share || is && r.Float64() < 0.25
			}
			v := 0.0
			if answer {
				v = 1
			}
			cells = append(cells, v)
		}
		for j, v := range cells {
			numbers[j] = append(numbers[j], v)
		}
		code := 0
		if is {
			code = 1
		}
		class.Codes = append(class.Codes, code)
	}
	t := &dataset.Table{Rows: rows}
	for j, v := range numbers {
		name := ""
		if j < len(names) {
			name = names[j]
		} else {
			name = "question" + string(rune('a'+j-len(names)))
		}
		t.Columns = append(t.Columns, dataset.Column{Name: name, Numbers: v})
	}
	t.Columns = append(t.Columns, class)
	return t
}
