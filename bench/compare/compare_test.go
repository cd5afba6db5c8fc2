package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
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
	o := compare.Options{Methods: []string{"krvfl", "krvfl+:additive"}, Splits: 2, Permutations: 59,
		NoAuto: true}
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

var update = flag.Bool("update", false, "write the table of docs/compare.md anew")

// The table in docs/compare.md counts the verdicts in docs/results/compare-study.md, which are the program's answers.
func TestStudyIsCounted(t *testing.T) {
	answers, err := os.ReadFile("../../docs/results/compare-study.md")
	if err != nil {
		t.Fatal(err)
	}
	type key struct{ situation, rows string }
	var order []key
	counts := map[key]map[string]int{}
	line := regexp.MustCompile(`(?m)^\| ([a-z ]+) \| (\d+) \| \d+ \| (helps|hurts|no evidence) \|`)
	for _, m := range line.FindAllStringSubmatch(string(answers), -1) {
		k := key{m[1], m[2]}
		if counts[k] == nil {
			order, counts[k] = append(order, k), map[string]int{}
		}
		counts[k][m[3]]++
	}
	var table strings.Builder
	table.WriteString("| situation | rows | data sets | `helps` | `hurts` | `no evidence` |\n")
	table.WriteString("|---|---:|---:|---:|---:|---:|\n")
	for _, k := range order {
		c := counts[k]
		all := c["helps"] + c["hurts"] + c["no evidence"]
		fmt.Fprintf(&table, "| %s | %s | %d | %d | %d | %d |\n", k.situation, k.rows, all, c["helps"], c["hurts"],
			c["no evidence"])
		if _, known := situationByName(k.situation); !known || all < 100 {
			t.Errorf("%s: %d data sets", k.situation, all)
		}
		if k.situation != "explains" && k.situation != "groups not named" && 20*c["helps"] > all {
			t.Errorf("%s: %d false alarms of %d", k.situation, c["helps"], all)
		}
	}
	block := regexp.MustCompile(`(?s)<!-- study -->\n.*?<!-- end -->`)
	const path = "../../docs/compare.md"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	renewed := block.ReplaceAllString(string(old), "<!-- study -->\n\n"+table.String()+"\n<!-- end -->")
	switch {
	case *update:
		if err := os.WriteFile(path, []byte(renewed), 0o666); err != nil {
			t.Fatal(err)
		}
	case renewed != string(old):
		t.Errorf("%s does not count the verdicts: go test ./bench/compare -run Counted -update", path)
	}
}
