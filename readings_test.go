package rvflplus

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"rvflplus/dataset"
)

// messyText is a table in disguise, cleanText the same table.
func messyText() (messy, clean string) {
	var a, b strings.Builder
	a.WriteString("rate,price,day,zip,y\n")
	b.WriteString("rate,price,day,zip,y\n")
	for i := range 30 {
		rate, price, day := float64(i*7%30)+0.5, 900+float64(i*i)*3.25, 19723+(i*11)%30
		zip := fmt.Sprintf("0%d", i%3)
		y := rate/10 + price/1000 + float64(i%3)
		thousands := fmt.Sprintf("%.2f", price)
		if price >= 1000 {
			thousands = fmt.Sprintf("%d,%06.2f", int(price)/1000, price-float64(int(price)/1000*1000))
		}
		date := (&dataset.Column{Numbers: []float64{float64(day)}, Reading: dataset.Days}).Text(0)
		fmt.Fprintf(&a, "%v%%,\"$%s\",%s,%s,%v\n", rate, thousands, date, zip, y)
		fmt.Fprintf(&b, "%v,%v,%v,%s,%v\n", rate, price, day, zip, y)
	}
	return a.String(), b.String()
}

func trainReadings(t *testing.T, table *Table) *Model {
	t.Helper()
	c := DefaultConfig()
	c.Kind, c.Dates = "krvfl", "cyclic"
	m, err := Train(context.Background(), table, Columns{Target: "y"}, c, TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A model that learned from cells in disguise predicts the same bits for the disguise and for clean numbers, from
// tables, from one row alone and from PredictRow.
func TestDisguisesPredictTheBitsOfCleanNumbers(t *testing.T) {
	ctx := context.Background()
	messy, clean := messyText()
	table, err := ReadCSV(ctx, strings.NewReader(messy), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := trainReadings(t, table)
	if notes := fmt.Sprint(m.Report().Notes); !strings.Contains(notes, "percentages") {
		t.Errorf("notes %s", notes)
	}
	predict := func(text string, o CSVOptions) []float64 {
		later, err := ReadCSV(ctx, strings.NewReader(text), o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Predict(ctx, later, PredictOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var values []float64
		for i := range p.Rows() {
			values = append(values, p.Value(i, 0))
		}
		return values
	}
	want := predict(messy, CSVOptions{})
	same := func(what string, got []float64, want ...float64) {
		if len(got) != len(want) {
			t.Fatalf("%s: %d rows", what, len(got))
		}
		for i, v := range got {
			if v != want[i] {
				t.Errorf("%s: row %d is %v, want %v", what, i, v, want[i])
			}
		}
	}
	same("clean", predict(clean, CSVOptions{}), want...)
	same("for the model", predict(messy, CSVOptions{Model: m}), want...)
	lines, cleanLines := strings.Split(messy, "\n"), strings.Split(clean, "\n")
	for i := 1; i <= 30; i += 7 {
		same("one row", predict(lines[0]+"\n"+lines[i]+"\n", CSVOptions{}), want[i-1])
	}
	mixed := strings.Join([]string{lines[0], lines[1], cleanLines[2], lines[3]}, "\n")
	same("mixed", predict(mixed, CSVOptions{Model: m}), want[:3]...)

	rows := []Row{
		{"rate": "0.5%", "price": "$900.00", "day": "2024-01-01", "zip": "00"},
		{"rate": 0.5, "price": 900, "day": 19723, "zip": "00"},
		{"rate": "0.5", "price": "900", "day": "2024-01-01T00:00:00Z", "zip": "00"},
	}
	for _, row := range rows {
		p, err := m.PredictRow(ctx, row, PredictOptions{})
		if err != nil {
			t.Fatal(err)
		}
		same(fmt.Sprint(row), []float64{p.Value(0, 0)}, want[0])
	}
	row := Row{"rate": "5 kg", "price": 1, "day": 1, "zip": "00"}
	if _, err := m.PredictRow(ctx, row, PredictOptions{}); err == nil {
		t.Error("another unit is taken")
	}
	row["rate"] = "N/A"
	if _, err := m.PredictRow(ctx, row, PredictOptions{}); err == nil ||
		!strings.Contains(err.Error(), "missing") {
		t.Errorf("a marker: %v", err)
	}
}

// A source that knows dates gives the model that the texts of the dates give.
func TestTypedDatesGiveTheModelOfTexts(t *testing.T) {
	ctx := context.Background()
	messy, _ := messyText()
	texts, err := ReadCSV(ctx, strings.NewReader(messy), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	typed := &dataset.Table{Rows: texts.t.Rows}
	for _, c := range texts.t.Columns {
		typed.Columns = append(typed.Columns, dataset.Column{
			Name: c.Name, Numbers: c.Numbers, Codes: c.Codes, Levels: c.Levels, Reading: c.Reading,
		})
	}
	typed.Find("day").Reading = nil
	table, err := ReadTable(ctx, dated{typed.Source()}, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	for b, table := range map[*bytes.Buffer]*Table{&want: texts, &got: table} {
		if err := trainReadings(t, table).Encode(b, SaveOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(want.Bytes(), got.Bytes()) {
		t.Error("the models differ")
	}
}

// dated declares the column day as one of dates.
type dated struct{ dataset.Source }

func (d dated) Fields() []dataset.Field {
	fields := d.Source.Fields()
	for i := range fields {
		if fields[i].Name == "day" {
			fields[i].Kind = dataset.Date
		}
	}
	return fields
}
