package main

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rvflplus/internal/rng"
)

// The page has a row for each table in which the balanced KRVFL comes within one point of SVC, as its numbers say.
func TestPageTellsWhatWasMeasured(t *testing.T) {
	page, err := os.ReadFile("../../docs/results/unbalanced.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`\| ([a-z -]+) \| ([0-9.]+) \| ([0-9.]+) \| [0-9.]+ \| [0-9.]+ \| ([-+0-9.]+) ± `)
	rows := row.FindAllStringSubmatch(string(page), -1)
	if len(rows) != 2 {
		t.Fatalf("%d tables", len(rows))
	}
	for _, row := range rows {
		var v [3]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(row[2+i], 64); err != nil {
				t.Fatal(err)
			}
		}
		if math.Abs(v[0]-v[1]-v[2]) > 0.011 || v[2] < -1 {
			t.Errorf("%s: %v beside %v, difference %v", row[1], v[0], v[1], v[2])
		}
	}
	if !strings.Contains(string(page), "go run ./bench/unbalanced -splits 20 -settings 60") {
		t.Error("the page does not name its command")
	}
}

// Training rows have the share of the smaller class that the page says, and no row is in both parts.
func TestPairs(t *testing.T) {
	cancer := thyroid(900, 300, rng.New(1, "test"))
	p := subsampled(cancer, "ill", rng.New(2, "test"))
	count := 0
	for i := range p.train.Rows {
		if p.train.Find("class").Text(i) == "ill" {
			count++
		}
	}
	if share := float64(count) / float64(p.train.Rows); p.train.Rows != 421 || math.Abs(share-0.05) > 0.002 ||
		p.train.Rows+p.test.Rows != 900 {
		t.Errorf("%d training rows with %d ill, %d test rows", p.train.Rows, count, p.test.Rows)
	}
	seen := map[float64]bool{}
	for _, v := range p.train.Find("tsh").Numbers {
		seen[v] = true
	}
	for _, v := range p.test.Find("tsh").Numbers {
		if seen[v] {
			t.Errorf("tsh %v is trained on and tested", v)
		}
	}
}
