package survey_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/fault"
	"rvflplus/internal/survey"
	"rvflplus/internal/tabletest"
)

func summarize(t *testing.T, text string, as ...dataset.ReadAs) *survey.Summary {
	t.Helper()
	r, err := csv.NewReader(strings.NewReader(text), csv.Options{Name: "t.csv"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := survey.Summarize(context.Background(), r,
		append(as, make([]dataset.ReadAs, len(r.Fields()))...)[:len(r.Fields())], nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The statistics are NumPy's mean, std, min and max.
func TestSurveyOfNumbers(t *testing.T) {
	s := summarize(t, "x,y\n1000000004,0.1\n1000000007,-2.5\n,3.25\n1000000013,-0\nNA,0\n1000000016,1e-3\n")
	x, y := s.Columns[0], s.Columns[1]
	if s.Rows != 6 || x.Missing != 2 || x.Mean != 1000000010 || math.Abs(x.Std-4.743416490252569) > 1e-14 ||
		x.Min != 1000000004 || x.Max != 1000000016 {
		t.Errorf("x: %+v", x)
	}
	if math.Abs(y.Mean-0.14183333333333334) > 1e-16 || math.Abs(y.Std-1.6684224501672897) > 1e-13 || y.Min != -2.5 ||
		y.Max != 3.25 || y.Missing != 0 {
		t.Errorf("y: %+v", y)
	}
	if y.Distinct != 5 || !reflect.DeepEqual(y.Values[1], survey.ValueCount{Text: "0", Count: 2}) ||
		y.Values[0].Text != "-2.5" {
		t.Errorf("values of y: %+v", y.Values)
	}
}

func TestSurveyOfCategories(t *testing.T) {
	s := summarize(t, "c,m,t,g\nb,,7,1\na,,8,2\nb,,9,1\n?,,,\n", dataset.Auto, dataset.Auto, dataset.Text,
		dataset.Categorical|dataset.WithText)
	c, m, text, g := s.Columns[0], s.Columns[1], s.Columns[2], s.Columns[3]
	want := survey.Column{Field: dataset.Field{Name: "c", Kind: dataset.Nominal, Levels: []string{"b", "a"}},
		Missing:  1,
		Distinct: 2, Values: []survey.ValueCount{{Text: "b", Count: 2}, {Text: "a", Count: 1}}}
	if !math.IsNaN(c.Mean) {
		t.Errorf("mean %v of categories", c.Mean)
	}
	c.Min, c.Max, c.Mean, c.Std = 0, 0, 0, 0
	if !reflect.DeepEqual(c, want) {
		t.Errorf("c: %+v, want %+v", c, want)
	}
	if m.Kind != dataset.Numeric || m.Missing != 4 || !math.IsNaN(m.Min) || m.Distinct != 0 || m.Values != nil {
		t.Errorf("a column of missing cells: %+v", m)
	}
	if text.Kind != dataset.Nominal || text.Levels != nil || len(s.Columns) != 5 || s.Columns[4].Name != "g" {
		t.Errorf("texts: %+v", text)
	}
	if o := s.Outline(); o.Rows != 4 || len(o.Fields) != 5 || !reflect.DeepEqual(o.Fields[3], g.Field) ||
		len(g.Levels) != 2 {
		t.Errorf("outline %+v", o)
	}
}

func TestSurveyCountsFewNumbersOnly(t *testing.T) {
	for n, values := range map[int]int{survey.MaxDistinct: survey.MaxDistinct, survey.MaxDistinct + 1: 0} {
		var text strings.Builder
		text.WriteString("x\n")
		for i := range 3 * n {
			fmt.Fprintln(&text, i%n)
		}
		x := summarize(t, text.String()).Columns[0]
		if len(x.Values) != values || x.Distinct != n {
			t.Errorf("%d numbers: %d distinct, %d values", n, x.Distinct, len(x.Values))
		}
	}
}

func TestSurveyOfHugeNumbers(t *testing.T) {
	x := summarize(t, "x\n1e308\n-1e308\n1.5e308\n-1.5e308\n").Columns[0]
	if want := 1e308 * math.Sqrt((1+2.25)/2); math.Abs(x.Mean) > 1e293 || math.Abs(x.Std-want) > 1e-14*want {
		t.Errorf("%+v, want the deviation %g", x, want)
	}
	x = summarize(t, "x\n"+strings.Repeat("1.7e308\n-1.7e308\n", 100_000)).Columns[0]
	if math.Abs(x.Std-1.7e308) > 1e-9*1.7e308 {
		t.Errorf("%+v", x)
	}
}

func TestSurveyKeepsDeclaredCategories(t *testing.T) {
	field := dataset.Field{Name: "c", Kind: dataset.Nominal, Levels: []string{"u", "v"}}
	for name, blocks := range map[string][]*dataset.Table{
		"no rows":   {{Columns: []dataset.Column{{Name: "c"}}}},
		"no blocks": nil,
		"one row":   {{Rows: 1, Columns: []dataset.Column{{Name: "c", Codes: []int{1}, Levels: field.Levels}}}},
	} {
		s, err := survey.Summarize(context.Background(),
			tabletest.Source{Columns: []dataset.Field{field}, Tables: blocks}, []dataset.ReadAs{dataset.Auto}, nil)
		if err != nil || len(s.Columns) != 1 || !reflect.DeepEqual(s.Columns[0].Field, field) ||
			s.Columns[0].Distinct != s.Rows {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// words yields categories without end, each of them once.
type words struct {
	n    int
	rest []byte
}

func (w *words) Read(p []byte) (int, error) {
	for len(w.rest) < len(p) {
		w.rest = fmt.Appendf(w.rest, "word%d\n", w.n)
		w.n++
	}
	n := copy(p, w.rest)
	w.rest = append(w.rest[:0], w.rest[n:]...)
	return n, nil
}

func TestSurveyBoundsCategories(t *testing.T) {
	tabletest.LimitMemory(t, 8<<20)
	r, err := csv.NewReader(&words{}, csv.Options{Name: "t.csv", NoHeader: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = survey.Summarize(context.Background(), r, make([]dataset.ReadAs, 1), nil)
	if !errors.Is(err, fault.Resource) {
		t.Errorf("categories without end: %v", err)
	}
}

func TestSurveyAsksForMemoryFirst(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(200 << 20))
	wide := tabletest.Source{Columns: make([]dataset.Field, 1<<20)}
	_, err := survey.Summarize(context.Background(), wide, make([]dataset.ReadAs, 1<<20), nil)
	if !errors.Is(err, fault.Resource) || !strings.Contains(fmt.Sprint(err), "1048576 columns") {
		t.Error(err)
	}
}
