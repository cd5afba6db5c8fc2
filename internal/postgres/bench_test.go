package postgres

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"rvflplus/dataset"
	"rvflplus/dataset/csv"
	"rvflplus/internal/postgrestest"
)

// Reading a table of ten columns of numbers, by the driver and by way of psql and a CSV file. docs/databases.md has the
// numbers.
func BenchmarkRead(b *testing.B) {
	rows := 1_000_000
	if testing.Short() {
		rows = 10_000
	}
	s := postgrestest.Start(b)
	s.SQL(b, `SELECT setseed(0.5); CREATE TABLE t AS SELECT random() AS a, random() AS b, random() AS c, random() AS d,
		random() AS e, random() AS f, random() AS g, random() AS h, random() AS i, random() AS j
		FROM generate_series(1, `+strconv.Itoa(rows)+`); VACUUM ANALYZE t`)
	drain := func(src dataset.Source) {
		n := 0
		for block, err := range src.Blocks(b.Context(), make([]dataset.ReadAs, 10)) {
			if err != nil {
				b.Fatal(err)
			}
			n += block.Rows
		}
		if n != rows {
			b.Fatalf("%d rows", n)
		}
	}
	tell := func(b *testing.B) { b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s") }
	for _, again := range []bool{false, true} {
		b.Run("postgres-compared="+strconv.FormatBool(again), func(b *testing.B) {
			for b.Loop() {
				r, err := Open(b.Context(), s.URL(), Secrets{}, Options{Table: "t", Again: again})
				if err != nil {
					b.Fatal(err)
				}
				drain(r)
				r.Close()
			}
			tell(b)
		})
	}
	path := filepath.Join(b.TempDir(), "t.csv")
	read := func() {
		f, err := os.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		r, err := csv.NewReader(f, csv.Options{Name: path})
		if err != nil {
			b.Fatal(err)
		}
		drain(r)
	}
	b.Run("psql-and-csv", func(b *testing.B) {
		for b.Loop() {
			s.Copy(b, "t", path)
			read()
		}
		tell(b)
	})
	b.Run("csv-alone", func(b *testing.B) {
		s.Copy(b, "t", path)
		b.ResetTimer()
		for b.Loop() {
			read()
		}
		tell(b)
	})
}
