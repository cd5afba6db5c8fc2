package main

import (
	"context"
	"regexp"
	"strconv"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/internal/pipeline"
)

// modelInput is a table that a model is used on.
type modelInput struct {
	file  *tablefile.Table
	names []string         // of the columns of the file
	read  []dataset.ReadAs // how each column is read: the model's normal columns; the others are skipped
	// readings are those of the model's columns, so that a cell means what it meant in training.
	readings []*dataset.Reading
	cells    dataset.Cells
}

// collect reads the columns.
func (in *modelInput) collect(ctx context.Context) (*dataset.Table, error) {
	return dataset.Read(ctx, in.file, in.read, in.cells, in.readings)
}

var libsvmFeature = regexp.MustCompile(`^f([1-9][0-9]{0,6})$`)

// openFor opens DATA for a model. A model of LIBSVM is widened to the columns of the file.
func (l *layoutFlags) openFor(ctx context.Context, a *app, m *pipeline.Model, path string) (*modelInput, error) {
	// LIBSVM text names only features that are not 0: the model tells how many there are.
	for _, c := range m.Schema.Normal {
		if match := libsvmFeature.FindStringSubmatch(c.Name); match != nil {
			n, _ := strconv.Atoi(match[1])
			l.features = max(l.features, min(n, 1<<20))
		}
	}
	l.missing = m.Schema.Markers()
	file, err := l.open(ctx, a, path, false)
	if err != nil {
		return nil, err
	}
	in := &modelInput{
		file: file, names: dataset.FieldNames(file.Fields()), cells: dataset.Cells{Missing: m.Schema.Markers()},
	}
	in.readings = make([]*dataset.Reading, len(in.names))
	*m = *m.Widened(in.names)
	in.read = skipAll(len(in.names))
	places := make(map[string]int, len(in.names))
	for i, name := range in.names {
		places[name] = i
	}
	for _, c := range m.Schema.Normal {
		i, found := places[c.Name]
		if !found {
			file.Close()
			return nil, pipeline.MissingColumn(c.Name, in.names)
		}
		in.read[i], in.readings[i] = dataset.Auto, c.ReadBy()
		if c.Type == "categorical" {
			in.read[i] = dataset.Categorical
		}
	}
	return in, nil
}

// skipAll returns how n columns are read of which none is needed.
func skipAll(n int) []dataset.ReadAs {
	read := make([]dataset.ReadAs, n)
	for i := range read {
		read[i] = dataset.Skip
	}
	return read
}
