package pipeline

import (
	"math"
	"testing"

	"rvflplus/dataset"
)

func TestColumnsThatCountRows(t *testing.T) {
	counted := func(change func(i int, v float64) float64) *dataset.Column {
		c := &dataset.Column{Name: "n"}
		for i := range 12 {
			c.Numbers = append(c.Numbers, change(i, float64(i)))
		}
		return c
	}
	for what, c := range map[string]struct {
		column *dataset.Column
		want   bool
	}{
		"from 0":        {counted(func(_ int, v float64) float64 { return v }), true},
		"from 1001":     {counted(func(_ int, v float64) float64 { return v + 1001 }), true},
		"backwards":     {counted(func(_ int, v float64) float64 { return -v }), true},
		"in any order":  {counted(func(i int, _ float64) float64 { return float64(i * 5 % 12) }), true},
		"a number more": {counted(func(i int, v float64) float64 { return v + math.Floor(v/11) }), false},
		"one twice":     {counted(func(_ int, v float64) float64 { return max(v, 1) }), false},
		"halves":        {counted(func(_ int, v float64) float64 { return v + 0.5 }), false},
		"every second":  {counted(func(_ int, v float64) float64 { return 2 * v }), false},
		"two missing":   {counted(func(i int, v float64) float64 { return v + 0*math.Log(float64(i-1)) }), false},
		"huge":          {counted(func(_ int, v float64) float64 { return v * 1e300 }), false},
		"nine rows":     {&dataset.Column{Numbers: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}}, false},
		"categories":    {&dataset.Column{Codes: make([]int, 12), Levels: []string{"a"}}, false},
	} {
		if got := countsRows(c.column); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

func TestTextsThatDifferInCaseOrBlanks(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{[]string{"yes", "no"}, ""},
		{[]string{"yes", "no", "Yes", "NO "}, `"yes" and "Yes", "no" and "NO "`},
		{[]string{"New York", "New  York", "Newyork"}, `"New York" and "New  York"`},
		{nil, ""},
	} {
		if got := alikeText(c.texts); got != c.want {
			t.Errorf("%q: %s", c.texts, got)
		}
	}
}
