package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rvflplus/dataset"
	"rvflplus/internal/survey"
)

// drawn makes the sheet of a table and its picture.
func drawn(t *testing.T, table *dataset.Table, class int) (*Sheet, string) {
	t.Helper()
	ctx := context.Background()
	want := make([]dataset.ReadAs, len(table.Columns))
	summary, err := survey.Summarize(ctx, table.Source(), want, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSheet("a title", summary, class)
	for block, err := range table.Source().Blocks(ctx, want) {
		if err != nil {
			t.Fatal(err)
		}
		s.Add(block)
	}
	var b bytes.Buffer
	if err := s.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	return s, b.String()
}

// texts returns what stands in a picture; it must be well-formed XML.
func texts(t *testing.T, svg string) []string {
	t.Helper()
	var all []string
	d := xml.NewDecoder(strings.NewReader(svg))
	inText := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		switch x := token.(type) {
		case xml.StartElement:
			inText = x.Name.Local == "text"
		case xml.CharData:
			if inText {
				all = append(all, string(x))
			}
		case xml.EndElement:
			inText = false
		}
	}
}

func TestSheetCountsEveryCell(t *testing.T) {
	nan := math.NaN()
	table := &dataset.Table{Rows: 6, Columns: []dataset.Column{
		{Name: "x", Numbers: []float64{0, 0.5, 1, 1, nan, 24}},
		{Name: "n", Numbers: []float64{3, 4, 4, 7, 7, 7}},
		{Name: "k", Codes: []int{0, 1, 0, -1, 1, 1}, Levels: []string{"u", "v", "never"}},
		{Name: "class", Codes: []int{0, 1, 0, 1, 0, 1}, Levels: []string{"a", "b"}},
	}}
	s, svg := drawn(t, table, 3)
	if !slices.Equal(s.Classes, []string{"a", "b"}) {
		t.Errorf("classes %v", s.Classes)
	}
	x := s.Panels[0]
	wantX := [][]int{make([]int, bins), make([]int, bins)}
	wantX[0][0], wantX[0][1], wantX[1][0], wantX[1][1], wantX[1][23] = 1, 1, 1, 1, 1
	if x.Low != 0 || x.High != 24 || x.Missing != 1 || !reflect.DeepEqual(x.Counts, wantX) {
		t.Errorf("x: %+v", x)
	}
	if n := s.Panels[1]; !reflect.DeepEqual(n.Counts, [][]int{{1, 1, 0, 0, 1}, {0, 1, 0, 0, 2}}) {
		t.Errorf("n: %+v", n)
	}
	k := s.Panels[2]
	if !slices.Equal(k.Bars, []string{"u", "v"}) || !reflect.DeepEqual(k.Counts, [][]int{{2, 1}, {0, 2}}) {
		t.Errorf("k: %+v", k)
	}
	shown := texts(t, svg)
	for _, want := range []string{
		"a title", "x", "n", "k", "class", "a", "b", "u", "v", "1 missing", "24", "12", "3", "5", "7",
	} {
		if !slices.Contains(shown, want) {
			t.Errorf("no %q in the picture: %q", want, shown)
		}
	}
	if !strings.Contains(svg, "#0072B2") || !strings.Contains(svg, "#E69F00") {
		t.Error("the classes have no colours")
	}
}

func TestFrequentCategoriesHaveBars(t *testing.T) {
	c := dataset.Column{Name: "k"}
	for level := range 12 {
		c.Levels = append(c.Levels, "level "+strconv.Itoa(level))
		for range 1 + level%6 {
			c.Codes = append(c.Codes, level)
		}
	}
	s, _ := drawn(t, &dataset.Table{Rows: len(c.Codes), Columns: []dataset.Column{c}}, -1)
	p := s.Panels[0]
	if len(p.Bars) != maxBars || p.Bars[0] != "level 2" || p.Bars[6] != "level 10" || p.Bars[7] != others {
		t.Errorf("bars %q", p.Bars)
	}
	total := 0
	for _, n := range p.Counts[0] {
		total += n
	}
	if total != len(c.Codes) || p.Counts[0][3] != 6 {
		t.Errorf("%d of %d cells in %v", total, len(c.Codes), p.Counts)
	}
}

// Nothing that a table may hold makes a panic, a NaN or an endless axis.
func TestOddColumns(t *testing.T) {
	nan := math.NaN()
	big := math.MaxFloat64
	table := &dataset.Table{Rows: 3, Columns: []dataset.Column{
		{Name: "range beyond float64", Numbers: []float64{-big, 0, big}},
		{Name: "tiny", Numbers: []float64{5e-324, 1e-323, nan}},
		{Name: "close", Numbers: []float64{1, math.Nextafter(1, 2), 1}},
		{Name: "constant", Numbers: []float64{big, big, big}},
		{Name: "empty", Numbers: []float64{nan, nan, nan}},
		{Name: "no category", Codes: []int{-1, -1, -1}},
		{Name: "<&>\x01\"\n", Codes: []int{0, 1, 2}, Levels: []string{"<&>", "\x02", strings.Repeat("ö", 99)}},
		{Name: "whole, far away", Numbers: []float64{1e300, 1e300 + 1, 2e300}},
		{Name: "-0", Numbers: []float64{math.Copysign(0, -1), 0, 1}},
	}}
	for class := -1; class < len(table.Columns); class++ {
		s, svg := drawn(t, table, class)
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("class column %d: NaN or Inf in the picture", class)
		}
		texts(t, svg)
		if len(s.Panels) != len(table.Columns) {
			t.Errorf("%d panels", len(s.Panels))
		}
	}
	drawn(t, &dataset.Table{Columns: []dataset.Column{
		{Name: "x", Numbers: []float64{}}, {Name: "k", Codes: []int{}, Levels: []string{"a", "b"}},
	}}, 1)
}

func TestManyColumns(t *testing.T) {
	table := &dataset.Table{Rows: 1}
	for i := range maxPanels + 5 {
		table.Columns = append(table.Columns, dataset.Column{Name: "c" + strconv.Itoa(i),
			Numbers: []float64{float64(i)}})
	}
	s, svg := drawn(t, table, -1)
	if len(s.Panels) != maxPanels || !strings.Contains(svg, "the first 400 of 405 columns") {
		t.Errorf("%d panels, %s", len(s.Panels), s.Title)
	}
}
