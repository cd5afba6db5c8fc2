package parquet

import (
	"math"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"rvflplus/dataset"
	"rvflplus/internal/celltext"
)

// Dates and timestamps of every unit have the bits of the same times in a text, before 1970 too.
func TestDatesAreDays(t *testing.T) {
	times := []string{
		"1970-01-01", "2024-02-29", "1969-12-31", "1969-12-31T23:59:59.999", "2024-02-29T12:34:56.789",
		"1901-05-06T07:08:09",
	}
	for name, unit := range map[string]struct {
		node  parquet.Node
		value func(at time.Time) parquet.Value
	}{
		"date": {parquet.Date(), func(at time.Time) parquet.Value {
			return parquet.Int32Value(int32(math.Floor(float64(at.Unix()) / 86400)))
		}},
		"milliseconds": {parquet.Timestamp(parquet.Millisecond), func(at time.Time) parquet.Value {
			return parquet.Int64Value(at.UnixMilli())
		}},
		"microseconds": {parquet.Timestamp(parquet.Microsecond), func(at time.Time) parquet.Value {
			return parquet.Int64Value(at.UnixMicro())
		}},
		"nanoseconds": {parquet.Timestamp(parquet.Nanosecond), func(at time.Time) parquet.Value {
			return parquet.Int64Value(at.UnixNano())
		}},
	} {
		var values []parquet.Value
		var want []float64
		for _, text := range times {
			at, ok := celltext.ISOTime(text)
			if !ok {
				t.Fatal(text)
			}
			if name == "date" {
				at = at.Truncate(24 * time.Hour)
			}
			values, want = append(values, unit.value(at)), append(want, dataset.Day(at))
		}
		data := one(t, parquet.Optional(unit.node), append(values, parquet.NullValue()))
		c := mustRead(t, data).Columns[0]
		if !c.Reading.IsDate() || len(c.Numbers) != len(want)+1 || !c.Missing(len(want)) {
			t.Fatalf("%s: %+v", name, c)
		}
		for i, v := range want {
			if math.Float64bits(c.Numbers[i]) != math.Float64bits(v) {
				t.Errorf("%s: %s is %v, want %v", name, times[i], c.Numbers[i], v)
			}
		}
		as := mustRead(t, data, dataset.Text).Columns[0]
		if at, ok := celltext.ISOTime(as.Texts[1]); !ok || dataset.Day(at) != want[1] || as.Texts[len(want)] != "" {
			t.Errorf("%s as text: %q", name, as.Texts)
		}
		if c := mustRead(t, data, dataset.Categorical).Columns[0]; c.Levels[1] != "2024-02-29" {
			t.Errorf("%s as categories: %q", name, c.Levels)
		}
	}
}
