package modelfile

import (
	"math"
	"slices"

	"rvflplus/dataset"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/prep"
	"rvflplus/internal/target"
)

// check refuses a model whose metadata and tensors contradict each other.
func check(m *pipeline.Model, tensors map[string]kind.Tensor) error {
	for _, err := range []error{
		checkCoder(m.Coder),
		checkSpace(m.Normal, m.Schema.Normal),
		checkPriv(m),
		checkRoles(m),
		checkTargetReadings(m),
		checkConfig(m),
		checkUncertainty(m),
		checkTensors(m, tensors),
	} {
		if err != nil {
			return err
		}
	}
	features, outputs := m.Estimator.Dims()
	if features == 0 {
		return bad("the model has no features")
	}
	if features != m.Normal.Width() || outputs != m.Coder.Outputs() {
		return bad("the tensors take %d features to %d outputs, preparation and schema say %d and %d",
			features, outputs, m.Normal.Width(), m.Coder.Outputs())
	}
	return checkReport(m)
}

func checkReport(m *pipeline.Model) error {
	r := m.Report
	if r.Rows < 1 || r.SystemSize < 0 || !slices.Contains(m.Kind.Solvers, r.Solver) {
		return bad("report: %d rows, solver %q", r.Rows, r.Solver)
	}
	if err := checkWithoutPriv(m); err != nil {
		return err
	}
	if err := checkColumnShares(r.Columns, m.Schema.Normal); err != nil {
		return err
	}
	scored := []pipeline.Scored{r.Train}
	if r.LeaveOneOut != nil {
		scored = append(scored, *r.LeaveOneOut)
	}
	for _, s := range scored {
		if (s.Metrics.Class != nil) != (m.Coder.Task == target.Classification) ||
			(s.Metrics.Number != nil) != (m.Coder.Task == target.Regression) {
			return bad("report: the metrics are not those of a %s", m.Coder.Task)
		}
	}
	return nil
}

// checkColumnShares refuses shares that are not those of all normal columns, the largest first and 1 together. A file
// need not have any.
func checkColumnShares(shares []pipeline.ColumnShare, normal []pipeline.SchemaColumn) error {
	if shares == nil {
		return nil
	}
	left := map[string]bool{}
	for _, c := range normal {
		left[c.Name] = true
	}
	sum, last := 0.0, 1.0
	for _, c := range shares {
		if !left[c.Name] || !(c.Share >= 0 && c.Share <= last) {
			return bad("report: column %q has the share %v: it is no normal column, occurs twice, or the share is not "+
				"0 to 1 in descending order", c.Name, c.Share)
		}
		delete(left, c.Name)
		sum, last = sum+c.Share, c.Share
	}
	if len(left) > 0 || math.Abs(sum-1) > 1e-9 {
		return bad("report: the shares of %d of %d columns have the sum %v", len(shares), len(normal), sum)
	}
	return nil
}

// checkWithoutPriv compares the count of rows without privileged values with the
// kind and with the privileged rows, where they are kept.
func checkWithoutPriv(m *pipeline.Model) error {
	without, rows := m.Report.WithoutPriv, m.Report.Rows
	if without < 0 || without >= rows || without > 0 && len(m.Schema.Privileged) == 0 {
		return bad("report: %d of %d rows without privileged values, %d privileged columns", without, rows,
			len(m.Schema.Privileged))
	}
	if n := m.Report.Unlabelled; n < 0 || n > 0 && len(m.Schema.Privileged) == 0 {
		return bad("report: %d rows without a target, %d privileged columns", n, len(m.Schema.Privileged))
	}
	if kept := m.Kind.Facts(m.Estimator).PrivRows; kept >= 0 && kept != rows-without {
		return bad("the file has %d privileged rows, the report %d", kept, rows-without)
	}
	return nil
}

func checkTargetReadings(m *pipeline.Model) error {
	readings := m.Schema.Targets
	if readings != nil && len(readings) != len(m.Coder.Names) ||
		slices.ContainsFunc(readings, func(r *dataset.Reading) bool { return r != nil && !r.Sound() }) {
		return bad("schema: the targets cannot be read as it says")
	}
	return nil
}

func checkCoder(c *target.Coder) error {
	if err := checkNames("targets", c.Names); err != nil {
		return err
	}
	switch {
	case c.Task == target.Regression && len(c.Classes) == 0 && c.Encoding == "":
		return nil
	case c.Task != target.Classification || len(c.Names) != 1 || len(c.Classes) < 2 ||
		!slices.Contains(target.Encodings(), c.Encoding),
		c.Encoding == "sign" && len(c.Classes) != 2:
		return bad("schema: task %q with %d targets, %d classes and encoding %q", c.Task, len(c.Names), len(c.Classes),
			c.Encoding)
	case !target.ClassesSorted(c.Classes):
		return bad("schema: the classes are not in order")
	}
	return checkNames("classes", c.Classes)
}

func checkNames(what string, names []string) error {
	if len(names) == 0 {
		return bad("schema: no %s", what)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if name == "" || seen[name] {
			return bad("schema: %s: %q is empty or occurs twice", what, name)
		}
		seen[name] = true
	}
	return nil
}

func checkSpace(s *prep.Space, columns []pipeline.SchemaColumn) error {
	if s == nil || len(s.Columns) != len(columns) || len(columns) == 0 {
		return bad("preparation and schema have different columns")
	}
	if err := s.Check(); err != nil {
		return bad("preparation: %v", err)
	}
	for i, c := range s.Columns {
		if c.Name != columns[i].Name || pipeline.ColumnType(c) != columns[i].Type {
			return bad("preparation has a column %q where the schema has %q of type %q", c.Name, columns[i].Name,
				columns[i].Type)
		}
	}
	for i, c := range columns {
		date := c.Reading.IsDate()
		if c.Reading != nil && (c.Type != "numeric" || !c.Reading.Sound()) || s.Columns[i].Cyclic && !date {
			return bad("schema: column %q cannot be read as it says", c.Name)
		}
	}
	return checkNames("columns", namesOf(columns))
}

func namesOf(columns []pipeline.SchemaColumn) []string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// checkPriv looks at what is kept of the privileged space.
func checkPriv(m *pipeline.Model) error {
	if has := len(m.Schema.Privileged) > 0; m.Kind.Privileged != has && !(m.Kind.PrivOptional && !has) {
		return bad("schema: kind %s with %d privileged columns", m.Kind.Name, len(m.Schema.Privileged))
	}
	if m.Config.PrivScale == param.AutoScale {
		return bad("config: the scaling of the privileged columns is not chosen")
	}
	if m.Priv == nil {
		return nil
	}
	if err := checkSpace(m.Priv, m.Schema.Privileged); err != nil {
		return err
	}
	if _, scale := m.Config.Scales(); scale != m.Priv.Scale {
		return bad("preparation: the privileged columns are scaled by %q, config says %q", m.Priv.Scale, scale)
	}
	if width := m.Kind.Facts(m.Estimator).PrivWidth; width >= 0 && width != m.Priv.Width() {
		return bad("the privileged tensors take %d features, the preparation gives %d", width, m.Priv.Width())
	}
	return nil
}

// checkRoles refuses a normal column with another role. Targets and privileged
// columns may have had files, and so names, of their own.
func checkRoles(m *pipeline.Model) error {
	normal := namesOf(m.Schema.Normal)
	others := []string{m.Schema.ID, m.Schema.Weight}
	if !m.Schema.TargetFile {
		others = append(others, m.Coder.Names...)
	}
	for _, name := range others {
		if slices.Contains(normal, name) {
			return bad("schema: column %q is normal and something else", name)
		}
	}
	return nil
}

// checkConfig compares the configuration with what it was to bring about.
func checkConfig(m *pipeline.Model) error {
	c := m.Config
	if err := pipeline.Validate(c); err != nil {
		return bad("config: %v", err)
	}
	classification := m.Coder.Task == target.Classification
	if c.Proba != "" && !classification || (c.Intervals || c.Std) && classification {
		return bad("config: what a %s does not have", m.Coder.Task)
	}
	hidden, known := 0, m.Kind.Facts(m.Estimator).Hidden
	if m.Kind.Has(param.Hidden) {
		hidden = c.Hidden
	}
	for _, space := range []*prep.Space{m.Normal, m.Priv} {
		if space != nil && !preparedFor(space, c) {
			return bad("preparation: indicators of missing cells or grouped categories that config does not ask for")
		}
	}
	if c.Scale != m.Normal.Scale || c.Impute != m.Normal.Impute || c.Task != string(m.Coder.Task) ||
		classification && c.Encoding != m.Coder.Encoding || known >= 0 && hidden != known {
		return bad("config contradicts schema, preparation or tensors")
	}
	return nil
}

// preparedFor reports whether a config asks for the indicators and groups that a preparation has.
func preparedFor(space *prep.Space, c param.Config) bool {
	return !slices.ContainsFunc(space.Columns, func(column prep.Column) bool {
		return column.Indicator && !c.MissingIndicator || column.Rare != nil && c.MinCategory < 2
	})
}

// checkTensors refuses tensors that the model does not have.
func checkTensors(m *pipeline.Model, tensors map[string]kind.Tensor) error {
	own := append(m.Kind.Tensors(m.Estimator, true), uncertaintyTensors(m)...)
	if len(own) != len(tensors) {
		return bad("the file has %d tensors, the model %d", len(tensors), len(own))
	}
	return nil
}
