package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// The studies of docs/compare.md, small: six data sets without a gain may have one false
// verdict.
func TestStudy(t *testing.T) {
	for names, fits := range map[string]func(helps int) bool{
		"explains":              func(helps int) bool { return helps == 2 },
		"noise,copy,noisy copy": func(helps int) bool { return helps <= 1 },
	} {
		s, err := parse([]string{"-rows", "60", "-seeds", "2", "-first", "7", "-situations", names, "-methods", "krvfl,krvfl+:additive", "-permutations", "19", "-splits", "4"})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := s.run(context.Background(), &out); err != nil {
			t.Fatal(err)
		}
		if !fits(strings.Count(out.String(), "| helps |")) {
			t.Errorf("%s", out.String())
		}
	}
}

func TestUnknownSituation(t *testing.T) {
	if _, err := parse([]string{"-situations", "noise,nothing"}); err == nil {
		t.Error("accepted")
	}
}

// The privileged columns of a copy are the normal ones, and the target knows neither.
func TestCopy(t *testing.T) {
	s, _ := situationByName("copy")
	d, same := s.table(50, 1), situations[0].table(50, 1)
	for i := range 50 {
		if d.Columns[3].Numbers[i] != d.Columns[0].Numbers[i] || d.Columns[5].Numbers[i] == same.Columns[5].Numbers[i] {
			t.Fatalf("row %d: %v", i, cells(d, i, 0, 6))
		}
	}
}
