package modelfile

import (
	"bufio"
	"encoding/json"
	"slices"
	"strings"

	"rvflplus/internal/kind"
	"rvflplus/internal/pipeline"
)

// Contents describes what a model file holds, as it stands there.
type Contents struct {
	FormatVersion string          `json:"format_version"`
	Config        json.RawMessage `json:"config"`
	Schema        json.RawMessage `json:"schema"`
	Preparation   json.RawMessage `json:"preparation"`
	Report        json.RawMessage `json:"report"`
	SHA256        string          `json:"sha256"`
	Tensors       []TensorInfo    `json:"tensors"`
}

// TensorInfo is one tensor's name and size.
type TensorInfo struct {
	Name  string `json:"name"`
	Shape []int  `json:"shape"`
	Bytes int64  `json:"bytes"`
}

// Inspect loads the model in path and describes its file of size bytes; errors are
// Load's. A model file of LIBSVM has the format version "libsvm" and no checksum;
// its tensors are those of the model.
func Inspect(path string) (m *pipeline.Model, c Contents, size int64, err error) {
	f, size, err := open(path)
	if err != nil {
		return nil, c, 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	if isLIBSVM(r) {
		if m, err = pipeline.ReadLIBSVM(r, path); err != nil {
			return nil, c, 0, err
		}
		c, err = contentsOfLIBSVM(m)
		return m, c, size, err
	}
	tensors, metadata, err := readTensors(r, size)
	if err != nil {
		return nil, c, 0, inFile(path, err)
	}
	if m, err = assemble(tensors, metadata); err != nil {
		return nil, c, 0, inFile(path, err)
	}
	return m, contents(tensors, metadata), size, nil
}

func contentsOfLIBSVM(m *pipeline.Model) (c Contents, err error) {
	tensors := map[string]kind.Tensor{}
	for _, t := range m.Kind.Tensors(m.Estimator, false) {
		tensors[t.Name] = t
	}
	metadata, err := metadataOf(m, preparation{Normal: m.Normal})
	if err != nil {
		return c, err
	}
	metadata["format_version"] = "libsvm"
	return contents(tensors, metadata), nil
}

func contents(tensors map[string]kind.Tensor, metadata map[string]string) Contents {
	c := Contents{
		FormatVersion: metadata["format_version"], SHA256: metadata[sumKey],
		Config: json.RawMessage(metadata["config"]), Schema: json.RawMessage(metadata["schema"]),
		Preparation: json.RawMessage(metadata["preparation"]), Report: json.RawMessage(metadata["report"]),
	}
	for name, t := range tensors {
		c.Tensors = append(c.Tensors, TensorInfo{name, t.Shape, 8 * int64(t.Rows.Rows) * int64(t.Rows.Cols)})
	}
	slices.SortFunc(c.Tensors, func(a, b TensorInfo) int { return strings.Compare(a.Name, b.Name) })
	return c
}
