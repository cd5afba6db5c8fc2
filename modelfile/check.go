package modelfile

import (
	"math"
	"slices"

	"rvflplus/pipeline"
	"rvflplus/prep"
	"rvflplus/target"
)

// check refuses a model whose metadata and tensors do not fit together.
func check(m *pipeline.Model) error {
	if err := checkCoder(m.Coder); err != nil {
		return err
	}
	if err := checkSpace(m.Normal, m.Schema.Normal); err != nil {
		return err
	}
	if m.Priv != nil {
		if err := checkSpace(m.Priv, m.Schema.Privileged); err != nil {
			return err
		}
	}
	features, outputs := m.Estimator.Dims()
	if features != m.Normal.Width() || outputs != m.Coder.Outputs() {
		return bad("the tensors take %d features to %d outputs, preparation and schema say %d and %d",
			features, outputs, m.Normal.Width(), m.Coder.Outputs())
	}
	return nil
}

func checkCoder(c *target.Coder) error {
	switch {
	case c.Task == target.Regression && len(c.Names) > 0 && len(c.Classes) == 0:
	case c.Task == target.Classification && len(c.Names) == 1 && len(c.Classes) >= 2 && slices.Contains(target.Encodings(), c.Encoding):
		if c.Encoding == "sign" && len(c.Classes) != 2 {
			return bad("schema: encoding sign with %d classes", len(c.Classes))
		}
		if len(slices.Compact(slices.Sorted(slices.Values(c.Classes)))) != len(c.Classes) {
			return bad("schema: a class occurs twice")
		}
	default:
		return bad("schema: task %q with %d targets, %d classes and encoding %q", c.Task, len(c.Names), len(c.Classes), c.Encoding)
	}
	return nil
}

func checkSpace(s *prep.Space, columns []pipeline.SchemaColumn) error {
	if s == nil || len(s.Columns) != len(columns) || len(columns) == 0 {
		return bad("preparation and schema have different columns")
	}
	if err := (prep.Options{Scale: s.Scale, Impute: s.Impute}).Validate(); err != nil {
		return bad("preparation: %v", err)
	}
	names := map[string]bool{}
	for i, c := range s.Columns {
		if c.Name != columns[i].Name || names[c.Name] {
			return bad("preparation: column %q stands where the schema has %q, or twice", c.Name, columns[i].Name)
		}
		names[c.Name] = true
		numeric := c.Levels == nil
		if numeric != (columns[i].Type == "numeric") || numeric && !(math.Abs(c.Scale) > 0) || !slices.IsSorted(c.Levels) {
			return bad("preparation: column %q is not sound", c.Name)
		}
	}
	return nil
}
