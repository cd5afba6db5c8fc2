package modelfile

import (
	"encoding/json"
	"slices"
	"strings"

	"rvflplus/pipeline"
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
// Load's.
func Inspect(path string) (m *pipeline.Model, c Contents, size int64, err error) {
	tensors, metadata, size, err := loadTensors(path)
	if err != nil {
		return nil, c, 0, err
	}
	if m, err = assemble(tensors, metadata); err != nil {
		return nil, c, 0, inFile(path, err)
	}
	c = Contents{
		FormatVersion: metadata["format_version"], SHA256: metadata[sumKey],
		Config: json.RawMessage(metadata["config"]), Schema: json.RawMessage(metadata["schema"]),
		Preparation: json.RawMessage(metadata["preparation"]), Report: json.RawMessage(metadata["report"]),
	}
	for name, t := range tensors {
		c.Tensors = append(c.Tensors, TensorInfo{name, t.shape, 8 * int64(t.rows.Rows) * int64(t.rows.Cols)})
	}
	slices.SortFunc(c.Tensors, func(a, b TensorInfo) int { return strings.Compare(a.Name, b.Name) })
	return m, c, size, nil
}
