// Package modelfile writes and reads trained models: safetensors files whose
// tensor names and metadata are a public promise (docs/model-file.md).
package modelfile

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/prep"
	"rvflplus/internal/target"
)

// Version is the newest version of the format. A file has the oldest version that can hold its model, and files of
// every version stay readable. Version 2 added columns that are constant in training (prep.Column.Constant), version 3
// the scalings quantile and log, and a scaling of the privileged columns of their own, version 4 readings of cells
// (percentages, money, units, dates, …), lists of missing cells, cycles of dates, indicators of missing cells, groups
// of rare categories, and weights of classes for kinds other than support vector machines.
const Version = "4"

// versions lists the versions, oldest first. Constant columns of version 1 are prepared as others are.
var versions = []string{"1", "2", "3", Version}

// schema is the metadata value "schema".
type schema struct {
	Task     target.Task `json:"task"`
	Targets  []string    `json:"targets"`
	Classes  []string    `json:"classes,omitempty"`
	Encoding string      `json:"encoding,omitempty"`
	pipeline.Schema
}

// preparation is the metadata value "preparation".
type preparation struct {
	Normal     *prep.Space `json:"normal"`
	Privileged *prep.Space `json:"privileged,omitempty"`
}

// versionOf returns the number in versions of the oldest one that can hold a model of a schema and a preparation.
func versionOf(c param.Config, s *pipeline.Schema, p preparation) int {
	oldest := 0
	if bends(c.Scale) || c.PrivScale != "" {
		oldest = 2
	}
	k, err := kind.ByName(c.Kind)
	weighsRows := err == nil && c.ClassWeight != "" && !k.WeighsClasses
	if c.MissingIndicator || c.MinCategory > 0 || c.Dates != "" || s.Reads() || weighsRows {
		oldest = 3
	}
	for _, space := range []*prep.Space{p.Normal, p.Privileged} {
		switch {
		case space == nil:
		case slices.ContainsFunc(space.Columns, func(c prep.Column) bool { return c.Indicator || c.Rare != nil }):
			oldest = 3
		case bends(space.Scale):
			oldest = max(oldest, 2)
		case slices.ContainsFunc(space.Columns, func(c prep.Column) bool { return c.Constant }):
			oldest = max(oldest, 1)
		}
	}
	return oldest
}

// bends reports whether a scaling is one of version 3.
func bends(scale string) bool { return scale == "quantile" || scale == "log" }

// Save writes m to path: to a temporary file first, so that path never holds a
// part of it. keepPrivileged adds what prediction does not need: the privileged
// layer or kernel rows, their weights and preparation.
func Save(ctx context.Context, path string, m *pipeline.Model, keepPrivileged bool) error {
	return atomicfile.Write(ctx, path, func(w io.Writer) error { return Encode(w, m, keepPrivileged) })
}

// Encode writes m. The same model gives the same bytes.
func Encode(w io.Writer, m *pipeline.Model, keepPrivileged bool) error {
	if m.Foreign() {
		const message = "a model that LIBSVM trained is kept in its own format: how it was trained is not known"
		return fault.New(fault.Usage, message)
	}
	tensors := append(m.Kind.Tensors(m.Estimator, keepPrivileged), uncertaintyTensors(m)...)
	p := preparation{Normal: m.Normal}
	if keepPrivileged {
		p.Privileged = m.Priv
	}
	metadata, err := metadataOf(m, p)
	if err != nil {
		return err
	}
	metadata["format_version"] = versions[versionOf(m.Config, &m.Schema, p)]
	return writeTensors(w, tensors, metadata)
}

// metadataOf returns the JSON texts that describe a model.
func metadataOf(m *pipeline.Model, p preparation) (map[string]string, error) {
	metadata := map[string]string{}
	for key, value := range map[string]any{
		"config":      kind.Settings(m.Config),
		"schema":      schema{m.Coder.Task, m.Coder.Names, m.Coder.Classes, m.Coder.Encoding, m.Schema},
		"preparation": p,
		"report":      m.Report,
	} {
		text, err := encodeJSON(value)
		if err != nil {
			return nil, err
		}
		metadata[key] = string(text)
	}
	if d, is := m.Kind.Estimator.(kind.Described); is {
		text, err := d.Description(m.Estimator)
		if err != nil {
			return nil, err
		}
		metadata["parts"] = text
	}
	return metadata, nil
}

// Load reads the model in path: one that Save wrote, or a model file of LIBSVM (see
// pipeline.FromLIBSVM). A file that cannot be read or is not a sound model is a
// fault.Data error that begins with path.
func Load(path string) (*pipeline.Model, error) {
	m, _, _, err := Inspect(path)
	return m, err
}

// open returns the file and its size.
func open(path string) (*os.File, int64, error) {
	if path == "" {
		return nil, 0, fault.New(fault.Usage, "the name of the model file is empty")
	}
	if path == "-" {
		return nil, 0, fault.New(fault.Usage, "a model is not read from standard input (-)").
			WithHint("name the model file; one called - is ./-")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, openError(path, err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder")
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, openError(path, err)
	}
	return f, info.Size(), nil
}

// inFile puts path before a fault.
func inFile(path string, err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return fault.New(known.Kind, "%s: %w", path, err).WithHint("%s", fault.HintText(err))
	}
	return err
}

func openError(path string, err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fault.New(fault.Data, "cannot read the model %s: %w", path, err).WithHint("check the name of the file")
}

// Decode reads a model that Encode wrote, or a model file of LIBSVM, of size bytes or UnknownSize. It trusts a stream
// no more than a file: what a header claims takes no memory before it has come.
func Decode(r io.Reader, size int64) (*pipeline.Model, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if isLIBSVM(in) {
		return pipeline.ReadLIBSVM(in, "the model")
	}
	tensors, metadata, err := readTensors(in, size)
	if err != nil {
		return nil, err
	}
	return assemble(tensors, metadata)
}

// assemble builds the model from what a file holds, and checks that it fits
// together.
func assemble(tensors map[string]kind.Tensor, metadata map[string]string) (*pipeline.Model, error) {
	name := metadata["format_version"]
	version := slices.Index(versions, name)
	if version < 0 {
		return nil, fault.New(fault.Data, "the file has format version %q, this program reads %q", name, versions).
			WithHint("use a newer program, or train the model again")
	}
	var s schema
	var p preparation
	var c kind.Settings
	m := &pipeline.Model{}
	for _, part := range []struct {
		key  string
		into any
	}{{"config", &c}, {"schema", &s}, {"preparation", &p}, {"report", &m.Report}} {
		d := json.NewDecoder(strings.NewReader(metadata[part.key]))
		d.DisallowUnknownFields()
		if err := d.Decode(part.into); err != nil {
			return nil, bad("metadata %q: %v", part.key, err)
		}
		if d.More() {
			return nil, bad("metadata %q: more than one JSON value", part.key)
		}
	}
	if needed := versionOf(param.Config(c), &s.Schema, p); needed > version {
		return nil, bad("preparation or config: format version %q does not have what version %q has", name,
			versions[needed])
	}
	m.Schema, m.Normal, m.Priv = s.Schema, p.Normal, p.Privileged
	m.Coder = &target.Coder{Task: s.Task, Names: s.Targets, Classes: s.Classes, Encoding: s.Encoding}
	var err error
	if m.Config, m.Kind, err = kind.Complete(param.Config(c)); err != nil {
		return nil, bad("config: %v", err)
	}
	own := &kind.Tensors{All: tensors, Description: metadata["parts"]}
	if _, is := m.Kind.Estimator.(kind.Described); !is && own.Description != "" {
		return nil, bad("metadata %q does not belong to kind %s", "parts", m.Kind.Name)
	}
	if m.Estimator, err = m.Kind.Model(m.Config, own); err != nil {
		return nil, err
	}
	if err := restoreUncertainty(m, own); err != nil {
		return nil, err
	}
	if err := check(m, tensors); err != nil {
		return nil, err
	}
	return m, nil
}
