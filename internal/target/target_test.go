package target

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rvflplus/blas"
	"rvflplus/dataset"
	"rvflplus/fault"
)

func numbers(v ...float64) *dataset.Column { return &dataset.Column{Name: "y", Numbers: v} }

func texts(levels ...string) *dataset.Column {
	c := &dataset.Column{Name: "y", Codes: []int{}}
	for _, level := range levels {
		k := slices.Index(c.Levels, level)
		if k < 0 {
			k = len(c.Levels)
			c.Levels = append(c.Levels, level)
		}
		c.Codes = append(c.Codes, k)
	}
	return c
}

func TestTaskByTheColumn(t *testing.T) {
	many := make([]float64, 21)
	for i := range many {
		many[i] = float64(i)
	}
	for name, c := range map[string]struct {
		columns []*dataset.Column
		o       Options
		want    Task
		note    string
	}{
		"text":       {[]*dataset.Column{texts("a", "b")}, Options{}, Classification, ""},
		"few whole":  {[]*dataset.Column{numbers(many[:20]...)}, Options{}, Classification, "20 distinct"},
		"many whole": {[]*dataset.Column{numbers(many...)}, Options{}, Regression, "more than 20"},
		"many asked": {[]*dataset.Column{numbers(many...)}, Options{Task: "classify"}, Classification, ""},
		"few asked":  {[]*dataset.Column{numbers(1, 2)}, Options{Task: "regress"}, Regression, ""},
		"fractions":  {[]*dataset.Column{numbers(1, 2.5)}, Options{}, Regression, ""},
		"several":    {[]*dataset.Column{numbers(1, 2), numbers(0, 1)}, Options{}, Regression, ""},
	} {
		coder, notes, err := Fit(c.columns, c.o)
		note := ""
		for _, n := range notes {
			note += n.String()
		}
		if err != nil || coder.Task != c.want || (c.note == "") != (note == "") || !strings.Contains(note, c.note) {
			t.Errorf("%s: %+v, note %q, %v", name, coder, note, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		columns []*dataset.Column
		o       Options
		want    fault.Kind
	}{
		"none": {nil, Options{}, fault.Usage},
		"task": {[]*dataset.Column{numbers(1, 2)}, Options{Task: "x"}, fault.Usage},
		"missing": {[]*dataset.Column{{Name: "y", Codes: []int{0, -1}, Levels: []string{"a"}}}, Options{},
			fault.Data},
		"one class":        {[]*dataset.Column{texts("a", "a")}, Options{}, fault.Data},
		"sign of three":    {[]*dataset.Column{texts("a", "b", "c")}, Options{Encoding: "sign"}, fault.Usage},
		"text regression":  {[]*dataset.Column{texts("a", "b")}, Options{Task: "regress"}, fault.Data},
		"fraction classes": {[]*dataset.Column{numbers(1, 2.5)}, Options{Task: "classify"}, fault.Data},
		"two classified":   {[]*dataset.Column{numbers(1, 2), numbers(1, 2)}, Options{Task: "classify"}, fault.Usage},
	} {
		if _, _, err := Fit(c.columns, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (Options{Encoding: "x"}).Validate(); !errors.Is(err, fault.Usage) {
		t.Errorf("encoding: %v", err)
	}
}

func TestClassesSort(t *testing.T) {
	coder, _, err := Fit([]*dataset.Column{texts("b", "10", "9", "a", "-1")}, Options{})
	if err != nil || !slices.Equal(coder.Classes, []string{"-1", "9", "10", "a", "b"}) {
		t.Errorf("%v, %v", coder.Classes, err)
	}
}

func TestLabelsAreReadAsNumbersToo(t *testing.T) {
	coder, _, err := Fit([]*dataset.Column{numbers(5, 8)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	labels, unknown, err := coder.Labels(texts("8.0", "05", "7", "8", "7"), 5)
	if err != nil || !slices.Equal(labels, []int{1, 0, 2, 1, 2}) || !slices.Equal(unknown, []string{"7"}) {
		t.Errorf("%v, unknown %v, %v", labels, unknown, err)
	}
}

func TestCodingAndDeciding(t *testing.T) {
	onehot := &Coder{Task: Classification, Classes: []string{"a", "b", "c"}, Encoding: "onehot"}
	if got := onehot.Code([]int{2, 0}, blas.Matrix{}).RawMatrix().Data; !slices.Equal(got,
		[]float64{0, 0, 1, 1, 0, 0}) {
		t.Errorf("one-hot %v", got)
	}
	scores := onehot.Scores(mat.NewDense(2, 3, []float64{1, 2, 2, 0, 0, 0}))
	if got := onehot.Decide(scores); !slices.Equal(got, []int{1, 0}) {
		t.Errorf("ties go to the first class: %v", got)
	}
	sign := &Coder{Task: Classification, Classes: []string{"a", "b"}, Encoding: "sign"}
	if got := sign.Code([]int{1, 0}, blas.Matrix{}).RawMatrix().Data; !slices.Equal(got, []float64{1, -1}) {
		t.Errorf("sign %v", got)
	}
	scores = sign.Scores(mat.NewDense(3, 1, []float64{0.5, -0.5, 0}))
	if !slices.Equal(scores.Data[:4], []float64{-0.5, 0.5, 0.5, -0.5}) ||
		!slices.Equal(sign.Decide(scores), []int{1, 0, 0}) {
		t.Errorf("scores %v, classes %v", scores.Data, sign.Decide(scores))
	}
	if onehot.Outputs() != 3 || sign.Outputs() != 1 ||
		(&Coder{Task: Regression, Names: []string{"u", "v"}}).Outputs() != 2 {
		t.Error("wrong numbers of outputs")
	}
}
