package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"rvflplus/internal/compare"
)

// The studies of docs/compare.md, small: six data sets without a gain may have one false
// verdict.
func TestStudy(t *testing.T) {
	for names, fits := range map[string]func(helps int) bool{
		"explains":              func(helps int) bool { return helps == 2 },
		"noise,copy,noisy copy": func(helps int) bool { return helps <= 1 },
	} {
		s, err := parse([]string{"-rows", "60", "-seeds", "2", "-first", "7", "-situations", names, "-methods",
			"krvfl,krvfl+:additive", "-permutations", "19", "-splits", "4"})
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
			t.Fatalf("row %d is no copy", i)
		}
	}
}

// A comparison that ends early has the verdict of all permutations.
func TestEarly(t *testing.T) {
	o := compare.Options{Methods: []string{"krvfl", "krvfl+:additive"}, Splits: 2, Permutations: 59}
	for name, fewer := range map[string]bool{"explains": false, "noise": true} {
		s, _ := situationByName(name)
		all, err1 := s.compare(context.Background(), 60, 7, o)
		o := o
		o.Early = true
		early, err2 := s.compare(context.Background(), 60, 7, o)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if early.Verdict != all.Verdict || early.Difference != all.Difference ||
			(early.Permutation.Rounds < o.Permutations) != fewer {
			t.Errorf("%s: %s after %d permutations, %s after all", name, early.Verdict, early.Permutation.Rounds,
				all.Verdict)
		}
		for k, v := range early.Permutation.Tests[0].Null {
			if v != all.Permutation.Tests[0].Null[k] {
				t.Fatalf("permutation %d differs", k)
			}
		}
	}
}
