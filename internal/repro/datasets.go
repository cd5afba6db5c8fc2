package repro

import (
	"cmp"
	"slices"

	"rvflplus/internal/registry"
)

// mnistPlus has published validation and test rows.
func mnistPlus() Dataset {
	d := fromPaper(registry.Paper()[0])
	d.Fixed = true
	d.Note = "training, validation and test rows are published: " +
		"trials differ by the random layers only, and methods without any run once"
	return d
}

// classifications are the rows of tables 4 and 7. An N×N system of Shuttle takes minutes: onShuttle is the number of
// trials of methods that solve one, by protocol.
func classifications(onShuttle map[string]int) []Dataset {
	rows := ofTable(3)
	rows[slices.IndexFunc(rows, func(d Dataset) bool { return d.Entry == "shuttle" })].KernelTrials = onShuttle
	evenly := map[string]string{"3": "≤5", "4": "≤5", "5": "≤5", "6": "6", "7": "≥7", "8": "≥7"}
	inPairs := map[string]string{"3": "3-4", "4": "3-4", "5": "5-6", "6": "5-6", "7": "7-8", "8": "7-8"}
	return slices.Insert(rows, 5, wineRed("≤5/6/≥7", evenly), wineRed("3-4/5-6/7-8", inPairs))
}

// regressions are the rows of tables 6 and 8.
func regressions() []Dataset { return ofTable(5) }

// wineRed is Red Wine Quality with its grades grouped into three classes. The paper has three classes and does not say
// which grades they are.
func wineRed(classes string, group map[string]string) Dataset {
	i := slices.IndexFunc(registry.Paper(), func(r registry.PaperRow) bool { return r.Entry == "wine-red" })
	d := fromPaper(registry.Paper()[i])
	d.Name, d.Group = "Red Wine Quality, "+classes, group
	d.Note = "the paper's three classes, grouped in one of two ways"
	return d
}

// ofTable returns the data sets of the paper's table 3 or 5.
func ofTable(number int) []Dataset {
	var out []Dataset
	for _, r := range registry.Paper() {
		if r.Table == number {
			out = append(out, fromPaper(r))
		}
	}
	return out
}

// Data sets with more than manyRows training rows have their settings chosen once, on so many rows.
const (
	manyRows       = 500
	tuneRows       = 1000
	marginTuneRows = 500
)

func fromPaper(r registry.PaperRow) Dataset {
	e := entry(r.Entry)
	d := Dataset{
		Name: r.Problem, Entry: r.Entry, Note: r.Remark, Folds: cmp.Or(e.Folds, 10),
		Train: e.Split.Train, Validation: e.Split.Validation, Test: e.Split.Test,
	}
	if d.Train > manyRows {
		d.Once, d.TuneRows, d.MarginTuneRows = true, tuneRows, marginTuneRows
	}
	switch r.Entry {
	case "shuttle":
		d.Published = true
		d.TuneRows, d.MarginTuneRows = 5000, 1000
		d.Note = "the published split in the first trial; then splits of the same sizes drawn from all 58,000 rows"
	case "scm1d", "scm20d":
		d.TuneRows, d.MarginTuneRows = 3000, 1000
	}
	if r.Entry == "scm1d" {
		part := entry("scm1d-test")
		d.Else = &Dataset{
			Name: d.Name, Entry: part.Name, Train: part.Split.Train, Test: part.Split.Test, Folds: part.Folds,
			Once: true, TuneRows: tuneRows, MarginTuneRows: marginTuneRows,
		}
	}
	return d
}

func entry(name string) registry.Entry {
	e, _, err := registry.Find(name)
	if err != nil {
		panic("repro: an experiment names no entry of the registry")
	}
	return e
}
