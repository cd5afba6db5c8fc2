package main

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// The table in the documents keeps the promise of the default: on no data set is its loss larger than that of the tuned
// kind without privileged columns by more than one standard error, on test rows or on rows left out.
func TestTheDefaultKeepsItsPromise(t *testing.T) {
	text, err := os.ReadFile("../../docs/results/defaults.md")
	if err != nil {
		t.Fatal(err)
	}
	measured := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) < 10 || strings.Contains(line, "---") || strings.Contains(line, "beside") {
			continue
		}
		measured++
		for _, k := range []int{7, 9} {
			v, err := strconv.ParseFloat(strings.TrimSpace(cells[k]), 64)
			if err != nil || v > 1 {
				t.Errorf("%s: %s standard errors (%v)", strings.TrimSpace(cells[1]), strings.TrimSpace(cells[k]), err)
			}
		}
	}
	if measured < len(sources())+12 {
		t.Errorf("%d data sets are measured, of %d public ones and 12 generated ones", measured, len(sources()))
	}
}

// The tables of scalings in the documents keep the promise of the default: the scaling that it chooses is better than
// "standard" on the average of the tables, and on none worse by more than two standard errors.
func TestTheChosenScalingKeepsItsPromise(t *testing.T) {
	text, err := os.ReadFile("../../docs/results/scales.md")
	if err != nil {
		t.Fatal(err)
	}
	number := func(cell string) float64 {
		v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	measured, means := 0, 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		switch {
		case len(cells) < 11 || strings.Contains(line, "---") || strings.Contains(line, "standard"):
		case strings.Contains(line, "geometric mean"):
			means++
			if auto := number(cells[7]); auto >= 1 {
				t.Errorf("%s: the losses of auto are %v times those of standard", cells[3], auto)
			}
		default:
			measured++
			if v := number(cells[10]); v > 2 {
				t.Errorf("%s, %s: worse by %v standard errors", cells[1], cells[3], v)
			}
		}
	}
	if all := len(sources()) * len(kindsOfColumns); measured < all || means < 3*len(kindsOfColumns) {
		t.Errorf("%d lines are measured, want %d, and %d geometric means", measured, all, means)
	}
}
