// Package prep turns the columns of one space, normal or privileged, into numbers
// a model can use: missing cells are filled, categories one-hot coded, features
// scaled. It is fitted on training rows only, and on each space by itself.
package prep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Options say how features are prepared.
type Options struct {
	Scale  string // see Scales; "" means "standard"
	Impute string // see Imputes; "" means "none"
	// MissingIndicator gives every column with missing training cells a further feature: 1 where a cell is missing,
	// else 0. It needs an Impute other than "none".
	MissingIndicator bool
	// MinCategory groups the categories of a column that fewer training rows have into one; up to 1 groups none.
	MinCategory int
	// Cyclic gives columns of dates the day of the week and of the year too: see cyclic.go.
	Cyclic bool
}

// Scales lists the scalings: "standard" (mean 0, standard deviation 1), "minmax"
// (training range to [0, 1]), "l1" and "l2" (each row divided by its norm), "none", "quantile" (the normal score of the
// rank among the training cells, by straight lines between at most 200 knots) and "log" (the logarithm of skewed
// columns), both then with mean 0 and standard deviation 1. All but l1 and l2 leave one-hot columns as they are. Under
// all of them a column that is constant in training counts as its training cell in every row: 0 under standard, minmax,
// quantile and log.
func Scales() []string { return []string{"standard", "none", "minmax", "l1", "l2", "quantile", "log"} }

// Imputes lists the values that fill missing cells: "none" refuses such cells; "mean" and "median" of the column's
// training cells; "most-frequent" (of equals the smallest).
// Categories are filled by the most frequent one under each.
func Imputes() []string { return []string{"none", "mean", "median", "most-frequent"} }

// Validate returns a fault.Usage error for an unknown option.
func (o Options) Validate() error {
	if o.Scale != "" && !slices.Contains(Scales(), o.Scale) {
		return fault.Param("scale", "one of "+strings.Join(Scales(), ", "), o.Scale)
	}
	if o.Impute != "" && !slices.Contains(Imputes(), o.Impute) {
		return fault.Param("impute", "one of "+strings.Join(Imputes(), ", "), o.Impute)
	}
	return o.checkIndicator()
}

// RefuseMissing returns the fault.Data error for the first missing cell that nothing fills, nil without one.
func (o Options) RefuseMissing(columns []*dataset.Column) error {
	if cmp.Or(o.Impute, "none") != "none" {
		return nil
	}
	for _, c := range columns {
		if i := c.FirstMissing(); i >= 0 {
			const hint = "fill missing cells with %s, median or most-frequent, drop the column with %s, or remove " +
				"the row"
			return c.MissingError(i, hint, fault.Set("impute", "mean"), fault.Name("drop"))
		}
	}
	return nil
}

// Space is a fitted preparation of one space. It is plain data, so that a model
// file can hold it.
type Space struct {
	Scale   string   `json:"scale"`
	Impute  string   `json:"impute"`
	Columns []Column `json:"columns"`
}

// Column is the preparation of one column: (g(x)−Shift)/Scale for numbers, with the map g of "quantile" or "log" where
// there is one; a column of 0 or 1 for each level for categories.
type Column struct {
	Name      string   `json:"name"`
	Levels    []string `json:"levels"` // sorted; nil for numbers
	Shift     float64  `json:"shift"`
	Scale     float64  `json:"scale"`
	Fill      *float64 `json:"fill"`       // for missing numbers, nil to refuse them
	FillLevel *string  `json:"fill_level"` // for missing categories
	Min       float64  `json:"min"`        // range of the training cells
	Max       float64  `json:"max"`
	// Under "quantile" a number is mapped to its score before it is shifted and scaled: see score. Both ascend.
	Knots  []float64 `json:"knots"`
	Scores []float64 `json:"scores"`
	// Under "log" a number of a skewed column is mapped to its logarithm before: see fitLog. A Unit of 0 is none.
	Origin float64 `json:"origin"`
	Unit   float64 `json:"unit"`
	// Constant says that all training cells were equal, filled ones too. Every cell then counts as the training cell,
	// whatever it holds. Model files of format 1 do not have it: their constant columns count as they are.
	Constant bool `json:"constant"`
	// Cyclic says that the column holds dates and gives four more features: see cyclic.go.
	Cyclic bool `json:"cyclic"`
	// Rare lists the categories that were grouped, sorted: all of them count as one more level, behind Levels. A column
	// of rare categories alone has no Levels, but a slice that is not nil.
	Rare []string `json:"rare"`
	// Indicator says that training cells were missing and that a feature behind all others is 1 where a cell is
	// missing.
	Indicator bool `json:"missing_indicator"`
}

// MarshalJSON writes the fields of the column's type: shift, scale, range and
// fill of numbers, or levels and fill of categories.
func (c Column) MarshalJSON() ([]byte, error) {
	if c.Levels != nil {
		return marshal(struct {
			Name      string   `json:"name"`
			Levels    []string `json:"levels"`
			FillLevel *string  `json:"fill_level,omitempty"`
			Constant  bool     `json:"constant,omitempty"`
			Rare      []string `json:"rare,omitempty"`
			Indicator bool     `json:"missing_indicator,omitempty"`
		}{c.Name, c.Levels, c.FillLevel, c.Constant, c.Rare, c.Indicator})
	}
	return marshal(struct {
		Name      string    `json:"name"`
		Shift     float64   `json:"shift"`
		Scale     float64   `json:"scale"`
		Fill      *float64  `json:"fill,omitempty"`
		Min       float64   `json:"min"`
		Max       float64   `json:"max"`
		Constant  bool      `json:"constant,omitempty"`
		Knots     []float64 `json:"knots,omitempty"`
		Scores    []float64 `json:"scores,omitempty"`
		Origin    float64   `json:"origin,omitempty"`
		Unit      float64   `json:"unit,omitempty"`
		Cyclic    bool      `json:"cyclic,omitempty"`
		Indicator bool      `json:"missing_indicator,omitempty"`
	}{
		c.Name, c.Shift, c.Scale, c.Fill, c.Min, c.Max, c.Constant, c.Knots, c.Scores, c.Origin, c.Unit, c.Cyclic,
		c.Indicator,
	})
}

// marshal is json.Marshal without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// Fit fits a preparation to columns of training rows. A missing cell without
// imputation, or a column with nothing in it, is a fault.Data error.
func Fit(columns []*dataset.Column, o Options) (*Space, error) {
	s := &Space{Scale: cmp.Or(o.Scale, "standard"), Impute: cmp.Or(o.Impute, "none")}
	for _, c := range columns {
		fitted, err := s.fitColumn(c, o.MinCategory)
		if err != nil {
			return nil, err
		}
		fitted.Indicator = o.MissingIndicator && c.FirstMissing() >= 0
		fitted.Cyclic = o.Cyclic && c.Reading.IsDate() && !fitted.Constant
		s.Columns = append(s.Columns, fitted)
	}
	return s, nil
}

func (s *Space) fitColumn(c *dataset.Column, minCategory int) (Column, error) {
	if c.Texts != nil {
		return Column{}, fault.New(fault.Usage, "column %q was read as text: it can be an id, not a feature", c.Name)
	}
	if err := (Options{Impute: s.Impute}).RefuseMissing([]*dataset.Column{c}); err != nil {
		return Column{}, err
	}
	if c.Numeric() {
		return s.fitNumbers(c)
	}
	return s.fitLevels(c, minCategory)
}

func (s *Space) fitNumbers(c *dataset.Column) (Column, error) {
	present := slices.DeleteFunc(slices.Clone(c.Numbers), math.IsNaN)
	if len(present) == 0 {
		return Column{}, empty(c)
	}
	out := Column{Name: c.Name, Scale: 1, Min: slices.Min(present), Max: slices.Max(present)}
	out.Constant = out.Min == out.Max
	if s.Impute != "none" {
		fill := fillValue(present, s.Impute)
		if out.Constant {
			fill = out.Min // half a tiny median twice is less
		}
		out.Fill = &fill
	}
	filled := present
	for range len(c.Numbers) - len(present) {
		filled = append(filled, *out.Fill)
	}
	out.fitScale(s.Scale, filled)
	if math.IsInf(out.Shift, 0) || math.IsInf(out.Scale, 0) || math.IsNaN(out.Scale) || out.Scale == 0 {
		return out, fault.New(fault.Data, "column %q ranges from %g to %g: its spread over- or underflows under %s",
			c.Name, out.Min, out.Max, fault.Set("scale", s.Scale)).
			WithHint("use other units, or drop the column with %s", fault.Name("drop"))
	}
	return out, nil
}

// fitScale fits the map, shift and scale to the training cells.
func (c *Column) fitScale(scale string, cells []float64) {
	switch {
	case c.Constant:
	case scale == "quantile":
		c.fitKnots(cells)
	case scale == "log":
		c.fitLog(cells)
	}
	switch scale {
	case "standard", "quantile", "log":
		mapped := slices.Clone(cells)
		for i, v := range mapped {
			mapped[i] = c.mapped(v)
		}
		c.Shift, c.Scale = moments(mapped)
	case "minmax":
		c.Shift, c.Scale = c.Min, c.Max-c.Min
	}
	if c.Constant {
		c.Scale = 1
	}
}

// mapped returns a number after the map of "quantile" or "log".
func (c *Column) mapped(x float64) float64 {
	switch {
	case c.Knots != nil:
		return c.score(x)
	case c.Unit > 0:
		return signedLog(x, c.Origin, c.Unit)
	}
	return x
}

func empty(c *dataset.Column) error {
	return fault.New(fault.Data, "%s: the column has no cell that is not missing", c.Place(0)).
		WithHint("leave it out with %s", fault.Set("drop", c.Name))
}

// moments returns the mean and the standard deviation (divisor N).
func moments(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	mean = min(max(mean, slices.Min(v)), slices.Max(v)) // equal values have exactly that mean
	for _, x := range v {
		sd += (x - mean) * (x - mean) / float64(len(v))
	}
	return mean, math.Sqrt(sd)
}

func fillValue(present []float64, how string) float64 {
	sorted := slices.Clone(present)
	slices.Sort(sorted)
	half := len(sorted) / 2
	switch how {
	case "mean":
		mean, _ := moments(present)
		return mean
	case "median":
		if len(sorted)%2 == 0 {
			return sorted[half-1]/2 + sorted[half]/2
		}
		return sorted[half]
	}
	return mostFrequent(sorted)
}

// mostFrequent returns the value that a sorted slice repeats most; of equals the
// smallest.
func mostFrequent(sorted []float64) float64 {
	best, bestRun, run := sorted[0], 0, 0
	for i, v := range sorted {
		if i > 0 && v == sorted[i-1] {
			run++
		} else {
			run = 1
		}
		if run > bestRun {
			best, bestRun = v, run
		}
	}
	return best
}

func (s *Space) fitLevels(c *dataset.Column, minCategory int) (Column, error) {
	counts := map[string]int{}
	for i := range c.Codes {
		if !c.Missing(i) {
			counts[c.Text(i)]++
		}
	}
	if len(counts) == 0 {
		return Column{}, empty(c)
	}
	out := Column{Name: c.Name}
	for level := range counts {
		out.Levels = append(out.Levels, level)
	}
	slices.Sort(out.Levels)
	if s.Impute != "none" {
		fill := slices.MaxFunc(out.Levels, func(a, b string) int { return counts[a] - counts[b] })
		out.FillLevel = &fill
	}
	out.groupRare(counts, minCategory)
	out.Constant = out.levels() == 1
	return out, nil
}

// Check returns an error for a preparation that Fit could not have made, such as
// one read from a file.
func (s *Space) Check() error {
	if err := (Options{Scale: s.Scale, Impute: s.Impute}).Validate(); err != nil {
		return err
	}
	if s.Scale == "" || s.Impute == "" {
		return fault.New(fault.Usage, "scale or impute is missing")
	}
	for _, c := range s.Columns {
		if !c.sound(s) {
			return fault.New(fault.Usage, "column %q is not sound", c.Name)
		}
	}
	return nil
}

func (c *Column) sound(s *Space) bool {
	if c.Constant && !c.canBeConstant() || c.Cyclic && (c.Constant || c.Levels != nil) {
		return false
	}
	fills := s.Impute != "none"
	if c.Indicator && !fills {
		return false
	}
	if c.Levels != nil {
		return c.soundLevels() && c.Fill == nil && fills == (c.FillLevel != nil) && !c.hasKnots() &&
			!c.hasUnit()
	}
	return c.Rare == nil && c.Scale > 0 && c.Min <= c.Max && c.FillLevel == nil && fills == (c.Fill != nil) &&
		c.soundMap(s.Scale)
}

func (c *Column) hasKnots() bool { return len(c.Knots) > 0 || len(c.Scores) > 0 }
func (c *Column) hasUnit() bool  { return c.Origin != 0 || c.Unit != 0 }

// soundMap reports whether the column of numbers has map, shift and scale that Fit could have made under a scaling.
func (c *Column) soundMap(scale string) bool {
	switch {
	case scale == "quantile" && !c.Constant:
		return c.soundKnots() && !c.hasUnit()
	case scale == "log" && c.hasUnit():
		return c.Unit > 0 && (c.Origin == c.Min || c.Origin == c.Max) && !c.Constant && !c.hasKnots()
	case slices.Contains([]string{"none", "l1", "l2"}, scale) && (c.Scale != 1 || c.Shift != 0):
		return false
	}
	return !c.hasKnots() && !c.hasUnit()
}

func (c *Column) soundKnots() bool {
	n := len(c.Knots)
	return n >= 2 && n <= mostKnots && len(c.Scores) == n && ascends(c.Knots) && ascends(c.Scores) &&
		c.Knots[0] == c.Min && c.Knots[n-1] == c.Max
}

// ascends reports whether finite numbers grow from each to the next.
func ascends(v []float64) bool {
	for i, x := range v {
		if x-x != 0 || i > 0 && !(x > v[i-1]) {
			return false
		}
	}
	return true
}

func (c *Column) canBeConstant() bool {
	if c.Levels != nil {
		return c.levels() == 1
	}
	return c.Min == c.Max
}

// Width returns the number of prepared features.
func (s *Space) Width() int {
	var w int
	for _, c := range s.Columns {
		w += c.width()
	}
	return w
}

// Sources returns the number of the column, from 0, that each prepared feature comes from; nil of no space.
func (s *Space) Sources() []int {
	if s == nil {
		return nil
	}
	var out []int
	for k, c := range s.Columns {
		for range c.width() {
			out = append(out, k)
		}
	}
	return out
}

// width returns the number of the column's features.
func (c *Column) width() int {
	w := 1
	switch {
	case c.Levels != nil:
		w = c.levels()
	case c.Cyclic:
		w += cyclicFeatures
	}
	if c.Indicator {
		w++
	}
	return w
}

// Bends reports whether "quantile" or "log" does more to some column than "standard": of columns with two values they
// do not.
func (s *Space) Bends() bool {
	return slices.ContainsFunc(s.Columns, func(c Column) bool { return len(c.Knots) > 2 || c.Unit > 0 })
}

// Seen counts cells that training did not prepare for.
type Seen struct {
	OutOfRange int      // numbers outside the training range
	Unknown    int      // categories that training did not have: coded as all 0
	Varied     int      // cells that differ from a column that was constant in training: coded as the training cell
	Examples   []string // places of the first few
}

const maxExamples = 3

func (s *Seen) note(count *int, c *dataset.Column, row int) {
	*count++
	if len(s.Examples) < maxExamples {
		s.Examples = append(s.Examples, c.Place(row)+" is "+c.Text(row))
	}
}

// Apply prepares columns, which must be the columns of s in the order of s, into a matrix
// of rows × Width. A cell that is missing though nothing fills it, or a number
// where training had categories (or the other way round), is a fault.Data error.
func (s *Space) Apply(columns []*dataset.Column, rows int) (*mat.Dense, Seen, error) {
	if rows == 0 || s.Width() == 0 {
		return &mat.Dense{}, Seen{}, nil
	}
	out := mat.NewDense(rows, s.Width(), nil)
	seen, err := s.ApplyTo(out, columns)
	if err != nil {
		return nil, seen, err
	}
	return out, seen, nil
}

// ApplyTo is Apply into dst, rows × Width, whatever it holds; it takes no new memory.
func (s *Space) ApplyTo(dst *mat.Dense, columns []*dataset.Column) (Seen, error) {
	var seen Seen
	dst.Zero()
	at := 0
	for i := range s.Columns {
		if err := s.Columns[i].apply(columns[i], dst, at, &seen); err != nil {
			return seen, err
		}
		at += s.Columns[i].width()
	}
	s.normalise(dst)
	return seen, nil
}

func (c *Column) apply(from *dataset.Column, out *mat.Dense, at int, seen *Seen) error {
	rows, _ := out.Dims()
	if from.Texts != nil {
		return fault.New(fault.Usage, "column %q was read as text, but the model needs it as a feature", from.Name)
	}
	if c.Levels == nil && !from.Numeric() {
		return fault.New(fault.Data, "%s: %q is text, but the model was trained on numbers in this column",
			from.Place(firstPresent(from)), from.Text(firstPresent(from)))
	}
	for i := range rows {
		var err error
		if c.Levels == nil {
			err = c.number(from, i, out, at, seen)
		} else {
			err = c.level(from, i, out, at, seen)
		}
		if err != nil {
			return err
		}
		if c.Indicator && from.Missing(i) {
			out.Set(i, at+c.width()-1, 1)
		}
	}
	return nil
}

func firstPresent(c *dataset.Column) int {
	return max(0, slices.IndexFunc(c.Codes, func(code int) bool { return code >= 0 }))
}

func (c *Column) number(from *dataset.Column, i int, out *mat.Dense, at int, seen *Seen) error {
	v := from.Numbers[i]
	switch {
	case math.IsNaN(v) && c.Fill == nil:
		return from.MissingError(i, "give the value, or train with %s, median or most-frequent",
			fault.Set("impute", "mean"))
	case math.IsNaN(v):
		v = *c.Fill
	case c.Constant && v != c.Min:
		seen.note(&seen.Varied, from, i)
		v = c.Min
	case v < c.Min || v > c.Max:
		seen.note(&seen.OutOfRange, from, i)
	}
	prepared := (c.mapped(v) - c.Shift) / c.Scale
	if math.IsInf(prepared, 0) {
		return fault.New(fault.Data, "%s: %g is too far from the training range [%g, %g]", from.Place(i), v, c.Min,
			c.Max)
	}
	out.Set(i, at, prepared)
	if c.Cyclic {
		setCycles(out.RawRowView(i)[at+1:at+1+cyclicFeatures], v)
	}
	return nil
}

func (c *Column) level(from *dataset.Column, i int, out *mat.Dense, at int, seen *Seen) error {
	text := from.Text(i)
	if from.Missing(i) {
		if c.FillLevel == nil {
			return from.MissingError(i, "give the value, or train with %s", fault.Set("impute", "most-frequent"))
		}
		text = *c.FillLevel
	}
	level, known := c.find(text)
	switch {
	case !known && c.Constant:
		seen.note(&seen.Varied, from, i)
		level = 0
	case !known:
		seen.note(&seen.Unknown, from, i)
		return nil
	}
	out.Set(i, at+level, 1)
	return nil
}

// normalise divides each row by its norm under "l1" and "l2"; a row of zeros
// stays.
func (s *Space) normalise(out *mat.Dense) {
	if s.Scale != "l1" && s.Scale != "l2" {
		return
	}
	rows, _ := out.Dims()
	for i := range rows {
		row := out.RawRowView(i)
		if norm := rowNorm(row, s.Scale); norm > 0 {
			for j := range row {
				row[j] /= norm
			}
		}
	}
}

func rowNorm(row []float64, kind string) float64 {
	var l1, l2 float64
	for _, v := range row {
		l1 += math.Abs(v)
		l2 = math.Hypot(l2, v)
	}
	if kind == "l1" {
		return l1
	}
	return l2
}
