// Package target codes the target columns: the task they imply, the classes in
// their order, and the numbers a model is fitted to.
package target

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
)

// Task is what is predicted.
type Task string

const (
	Classification Task = "classification"
	Regression     Task = "regression"
)

// Options say how targets are coded.
type Options struct {
	Task     string // "" (by the column), "classify" or "regress"
	Encoding string // of classes: "" or "onehot" (a {0,1} output for each), "sign" (one ±1 output, two classes)
	// OtherKind is the kind to advise where the kind at hand learns one task only and the target is of the other:
	// numbers for a kind of classes, or the reverse. "" where the kind learns both.
	OtherKind string
}

// Encodings lists the codings of classes.
func Encodings() []string { return []string{"onehot", "sign"} }

// ParseTask reads a task's name: classify, classification, regress or regression.
func ParseTask(name string) (Task, error) {
	switch name {
	case "":
		return "", nil
	case "classify", string(Classification):
		return Classification, nil
	case "regress", string(Regression):
		return Regression, nil
	}
	return "", fault.Param("task", "classify or regress", name)
}

// Validate returns a fault.Usage error for an unknown option.
func (o Options) Validate() error {
	if _, err := ParseTask(o.Task); err != nil {
		return err
	}
	if o.Encoding != "" && !slices.Contains(Encodings(), o.Encoding) {
		return fault.Param("encoding", "onehot or sign", o.Encoding)
	}
	return nil
}

// Coder is a fitted coding. It is plain data, so that a model file can hold it.
type Coder struct {
	Task     Task     `json:"task"`
	Names    []string `json:"names"`              // of the target columns
	Classes  []string `json:"classes,omitempty"`  // sorted, numbers as numbers
	Encoding string   `json:"encoding,omitempty"` // of classes
}

// MaxIntegerClasses is the number of distinct whole numbers up to which a column
// of whole numbers means classes.
const MaxIntegerClasses = 20

// Fit decides the task and finds the classes. Notes say what was decided
// where the data left a choice. Several columns always mean regression. Missing
// cells and columns that do not suit the task are fault.Data errors.
func Fit(columns []*dataset.Column, o Options) (c *Coder, notes []fault.Text, err error) {
	if len(columns) == 0 {
		return nil, nil, fault.New(fault.Usage, "no target column").WithHint("name it with %s", fault.Name("target"))
	}
	for _, column := range columns {
		if column.Texts != nil || len(column.Numbers)+len(column.Codes) == 0 {
			return nil, nil, fault.New(fault.Usage, "column %q has no numbers or categories to be a target",
				column.Name)
		}
		if i := column.FirstMissing(); i >= 0 {
			return nil, nil, refuseMissing(columns, column, i)
		}
	}
	task, err := ParseTask(o.Task)
	if err != nil {
		return nil, nil, err
	}
	if task == "" {
		task, notes = guess(columns)
	}
	c = &Coder{Task: task}
	for _, column := range columns {
		c.Names = append(c.Names, column.Name)
	}
	if task == Regression {
		return c, notes, adviseOnText(checkNumbers(columns), columns, o)
	}
	return c, notes, c.fitClasses(columns, o)
}

// refuseMissing is the error for the missing cell of row i.
func refuseMissing(columns []*dataset.Column, column *dataset.Column, i int) error {
	if !slices.ContainsFunc(columns, func(c *dataset.Column) bool { return !c.Missing(i) }) {
		return column.MissingError(i, "leave out the rows without a target with %s, or use %s, which learns from such "+
			"rows by their privileged values", fault.Name("drop-missing"), fault.Set("kind", "label"))
	}
	return column.MissingError(i, "the row has other targets: give this one too, or leave out such rows with %s",
		fault.Name("drop-missing"))
}

// guess takes regression for several columns and for numbers, unless these are
// few distinct whole ones.
func guess(columns []*dataset.Column) (Task, []fault.Text) {
	column := columns[0]
	if len(columns) > 1 {
		return Regression, nil
	}
	if !column.Numeric() {
		return Classification, nil
	}
	distinct, whole := distinctNumbers(column.Numbers)
	if !whole {
		return Regression, nil
	}
	if distinct <= MaxIntegerClasses {
		return Classification, []fault.Text{fault.Textf("target %q holds %d distinct whole numbers: taken as classes "+
			"(%s for numbers)",
			column.Name, distinct, fault.Set("task", "regress"))}
	}
	return Regression, []fault.Text{fault.Textf("target %q holds %d distinct whole numbers, more than %d: taken as "+
		"numbers (%s for classes)",
		column.Name, distinct, MaxIntegerClasses, fault.Set("task", "classify"))}
}

func distinctNumbers(v []float64) (count int, whole bool) {
	seen := map[float64]bool{}
	whole = true
	for _, x := range v {
		seen[x] = true
		whole = whole && x == math.Trunc(x)
	}
	return len(seen), whole
}

func checkNumbers(columns []*dataset.Column) error {
	for _, column := range columns {
		if !column.Numeric() {
			return fault.New(fault.Data, "%s: %q is text, but regression needs numbers", column.Place(0),
				column.Text(0))
		}
	}
	return nil
}

// adviseOnText gives the error for a target of text, which may be nil, its remedy: what makes the target classes.
func adviseOnText(err error, columns []*dataset.Column, o Options) error {
	var text *fault.Error
	switch {
	case !errors.As(err, &text):
		return err
	case len(columns) > 1:
		return text.WithHint("name one target column for classification")
	case o.OtherKind != "":
		return text.WithHint("use %s, which learns classes", fault.Set("kind", o.OtherKind))
	}
	return text.WithHint("use %s, or leave %s out, to take the texts as classes", fault.Set("task", "classify"),
		fault.Name("task"))
}

func (c *Coder) fitClasses(columns []*dataset.Column, o Options) error {
	encoding := cmp.Or(o.Encoding, "onehot")
	if len(columns) > 1 {
		return fault.New(fault.Usage, "classification takes one target column, got %d", len(columns)).
			WithHint("several targets always mean regression")
	}
	column := columns[0]
	if column.Numeric() {
		if _, whole := distinctNumbers(column.Numbers); !whole {
			first := firstFraction(column.Numbers)
			err := fault.New(fault.Data, "%s: classes must be whole numbers or text, got %s", column.Place(first),
				column.Text(first))
			categorical := fault.Set("categorical", column.Name)
			if o.OtherKind != "" {
				return err.WithHint("use %s for a regression; %s to take every number as a class",
					fault.Set("kind", o.OtherKind), categorical)
			}
			return err.WithHint("use %s, or %s to take every number as a class", fault.Set("task", "regress"),
				categorical)
		}
	}
	c.Classes = classesOf(column)
	c.Encoding = encoding
	switch {
	case len(c.Classes) < 2:
		return fault.New(fault.Data, "%s: the target has the single class %q in all %d rows", column.Place(0),
			c.Classes[0], len(column.Numbers)+len(column.Codes)).
			WithHint("training needs rows of at least two classes")
	case encoding == "sign" && len(c.Classes) != 2:
		return fault.New(fault.Usage, "encoding sign needs two classes, target %q has %d", column.Name, len(c.Classes)).
			WithHint("use %s", fault.Set("encoding", "onehot"))
	}
	return nil
}

func firstFraction(v []float64) int {
	return slices.IndexFunc(v, func(x float64) bool { return x != math.Trunc(x) })
}

// classesOf returns the distinct labels: numbers in order of size, before texts
// in alphabetical order.
func classesOf(column *dataset.Column) []string {
	seen := map[string]bool{}
	for i := range len(column.Numbers) + len(column.Codes) {
		label := column.Text(i)
		if label == "-0" {
			label = "0"
		}
		seen[label] = true
	}
	var classes []string
	for label := range seen {
		classes = append(classes, label)
	}
	slices.SortFunc(classes, compareLabels)
	return classes
}

// ClassesSorted reports whether classes are in the order that Fit gives them.
func ClassesSorted(classes []string) bool { return slices.IsSortedFunc(classes, compareLabels) }

func compareLabels(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX == nil && errY == nil && x != y:
		if x < y {
			return -1
		}
		return 1
	case errX == nil && errY != nil:
		return -1
	case errX != nil && errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}

// Outputs returns m, the number of a model's outputs.
func (c *Coder) Outputs() int {
	switch {
	case c.Task == Regression:
		return len(c.Names)
	case c.Encoding == "sign":
		return 1
	}
	return len(c.Classes)
}

// Numbers returns the targets of a regression, rows × m. A missing cell or text is
// a fault.Data error.
func (c *Coder) Numbers(columns []*dataset.Column, rows int) (blas.Matrix, error) {
	y := blas.New(rows, len(columns))
	if err := checkNumbers(columns); err != nil {
		return y, err
	}
	for j, column := range columns {
		if i := column.FirstMissing(); i >= 0 {
			return y, column.MissingError(i, "remove the row")
		}
		for i, v := range column.Numbers {
			y.Data[i*y.Stride+j] = v
		}
	}
	return y, nil
}

// Labels returns the class number of each row; labels that are not among Classes
// get the numbers that follow, in order of appearance, and are returned. A
// missing cell is a fault.Data error.
func (c *Coder) Labels(column *dataset.Column, rows int) (labels []int, unknown []string, err error) {
	if i := column.FirstMissing(); i >= 0 {
		return nil, nil, column.MissingError(i, "remove the row")
	}
	number := map[string]int{}
	for k, label := range c.Classes {
		number[label] = k
	}
	labels = make([]int, rows)
	for i := range labels {
		label := c.canonical(column.Text(i))
		k, known := number[label]
		if !known {
			k = len(number)
			number[label] = k
			unknown = append(unknown, label)
		}
		labels[i] = k
	}
	return labels, unknown, nil
}

// canonical turns 5.0 and 05 into 5 when the classes are numbers.
func (c *Coder) canonical(label string) string {
	if label == "-0" {
		return "0"
	}
	if slices.Contains(c.Classes, label) {
		return label
	}
	if v, kind := celltext.Parse(label); kind == celltext.Number {
		return celltext.FormatNumber(v)
	}
	return label
}

// Code returns what a model with this coding is fitted to: one-hot rows, ±1 (the
// second class is +1), or y itself.
func (c *Coder) Code(labels []int, y blas.Matrix) *mat.Dense {
	if c.Task == Regression {
		out := mat.NewDense(y.Rows, y.Cols, nil)
		copy(out.RawMatrix().Data, y.Data)
		return out
	}
	out := mat.NewDense(len(labels), c.Outputs(), nil)
	for i, k := range labels {
		if c.Encoding == "sign" {
			out.Set(i, 0, float64(2*k-1))
		} else {
			out.Set(i, k, 1)
		}
	}
	return out
}

// Scores returns a score for every class from a model's outputs: the outputs
// themselves, or −f and f for one output f.
func (c *Coder) Scores(outputs *mat.Dense) blas.Matrix {
	if c.Encoding != "sign" {
		return outputs.RawMatrix()
	}
	rows, _ := outputs.Dims()
	scores := blas.New(rows, 2)
	for i := range rows {
		f := outputs.At(i, 0)
		scores.Data[2*i], scores.Data[2*i+1] = -f, f
	}
	return scores
}

// Decide returns the class of the largest score of each row; ties go to the first
// class.
func (c *Coder) Decide(scores blas.Matrix) []int {
	classes := make([]int, scores.Rows)
	for i := range classes {
		for k, s := range blas.Row(scores, i) {
			if s > scores.Data[i*scores.Stride+classes[i]] {
				classes[i] = k
			}
		}
	}
	return classes
}
