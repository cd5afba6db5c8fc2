// Command compare measures how often a comparison with the default options is right: it
// runs compare.Compare on generated data sets whose answer is known, prints the verdict on
// each, and counts. Each seed is one data set, and the seed of its comparison.
//
//	go run ./bench/compare -rows 80 -seeds 20 -first 1000 -situations noise,copy
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"rvflplus/internal/compare"
)

// study says which data sets are compared, and how.
type study struct {
	situations []situation
	rows       int
	seeds      int
	first      uint64
	options    compare.Options
}

func main() {
	s, err := parse(os.Args[1:])
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = s.run(ctx, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// parse reads the command line.
func parse(args []string) (study, error) {
	var s study
	var methods, names string
	f := flag.NewFlagSet("compare", flag.ExitOnError)
	f.IntVar(&s.rows, "rows", 80, "rows of a data set")
	f.IntVar(&s.seeds, "seeds", 10, "data sets of each situation")
	f.Uint64Var(&s.first, "first", 1000, "seed of the first")
	f.StringVar(&names, "situations", "explains,noise,copy,noisy copy",
		"what the privileged columns are, separated by commas")
	f.StringVar(&methods, "methods", "", "methods of a comparison (default: those of rvfl compare)")
	f.IntVar(&s.options.Permutations, "permutations", 0,
		"permutations of a comparison (default: those of rvfl compare)")
	f.IntVar(&s.options.Splits, "splits", 0, "splits of a comparison (default: those of rvfl compare)")
	f.BoolVar(&s.options.Early, "early", false,
		"leave out what does not bear upon the verdict, and permutations when helps has become impossible: the same "+
			"verdicts in less time")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if methods != "" {
		s.options.Methods = strings.Split(methods, ",")
	}
	for _, name := range strings.Split(names, ",") {
		one, known := situationByName(name)
		if !known {
			return s, fmt.Errorf("no situation is called %q", name)
		}
		s.situations = append(s.situations, one)
	}
	return s, nil
}

// run prints a line for each data set, and the counts of each situation.
func (s study) run(ctx context.Context, w io.Writer) error {
	fmt.Fprintln(w, "| situation | rows | seed | verdict | strongest | p | gain on held-out rows | seconds |")
	fmt.Fprintln(w, "|---|---:|---:|---|---|---:|---:|---:|")
	var counts []string
	for _, one := range s.situations {
		verdicts := map[compare.Verdict]int{}
		for k := range s.seeds {
			c, err := one.compare(ctx, s.rows, s.first+uint64(k), s.options)
			if err != nil {
				return fmt.Errorf("%s, seed %d: %w", one.name, s.first+uint64(k), err)
			}
			verdicts[c.Verdict]++
			fmt.Fprintf(w, "| %s | %d | %d | %s | %s | %.3f | %s | %.1f |\n", one.name, s.rows, c.Seed, c.Verdict,
				c.Strongest, c.StrongestP(), interval(c.Difference), c.Seconds)
		}
		counts = append(counts, fmt.Sprintf("%s, %d rows: helps %d, hurts %d, open %d, no evidence %d of %d", one.name,
			s.rows, verdicts[compare.Helps], verdicts[compare.Hurts], verdicts[compare.Open],
			verdicts[compare.NoEvidence], s.seeds))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(counts, "\n"))
	return err
}

func interval(v compare.Interval) string {
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", v.Mean, v.Low, v.High)
}
