// Command unbalanced compares the balanced KRVFL with scikit-learn's SVC(class_weight="balanced") on rows of which 5 %
// are of the smaller class. Both search the same number of settings by balanced accuracy on five folds of the training
// rows.
//
//	go run ./bench/unbalanced          # measures, and writes docs/results/unbalanced.md
//
// Run it in the root of the repository; it takes some minutes. It needs Debian's python3-sklearn and python3-pandas.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"rvflplus/dataset"
	"rvflplus/dataset/tablefile"
	"rvflplus/internal/atomicfile"
	"rvflplus/internal/param"
	"rvflplus/internal/pipeline"
	"rvflplus/internal/rng"
	"rvflplus/internal/roles"
	"rvflplus/internal/search"
)

//go:embed unbalanced.py
var script string

const (
	share = 0.05 // of the training rows, those of the smaller class
	folds = 5
	page  = "docs/results/unbalanced.md" // below the root of the repository
)

// bench is what the command line asks for.
type bench struct {
	python           string
	splits, settings int
}

// pair is the training and the test rows of a split.
type pair struct{ train, test *dataset.Table }

// source makes pairs of one kind.
type source struct {
	name, about string
	make        func(r *rand.Rand) pair
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var b bench
	f := flag.NewFlagSet("unbalanced", flag.ContinueOnError)
	f.StringVar(&b.python, "python", "/usr/bin/python3", "Python with scikit-learn and pandas")
	f.IntVar(&b.splits, "splits", 20, "splits of each table")
	f.IntVar(&b.settings, "settings", 60, "settings that each method searches")
	out := f.String("o", page, "page to write")
	if err := f.Parse(args); err != nil {
		return err
	}
	if b.splits < 2 || b.settings < 1 || f.NArg() > 0 {
		return fmt.Errorf("-splits must be >= 2 and -settings >= 1, got %d and %d; no arguments, got %q", b.splits,
			b.settings, f.Args())
	}
	folder, err := os.MkdirTemp("", "unbalanced")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	sources, err := b.sources(ctx, folder)
	if err != nil {
		return err
	}
	var results []result
	for _, s := range sources {
		r, err := b.measure(ctx, s, folder)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		results = append(results, *r)
	}
	return atomicfile.Write(ctx, *out, func(w io.Writer) error { return b.write(w, results) })
}

// sources returns the tables.
func (b *bench) sources(ctx context.Context, folder string) ([]source, error) {
	path := filepath.Join(folder, "breast.csv")
	if err := b.runPython(ctx, nil, "breast", path); err != nil {
		return nil, err
	}
	cancer, err := read(ctx, path)
	if err != nil {
		return nil, err
	}
	const of = 2000
	return []source{
		{"breast cancer", "scikit-learn's `load_breast_cancer`, 30 columns. Two thirds of the benign rows and as " +
			"many\n  malignant ones as make 5 % are trained on, all others tested", func(r *rand.Rand) pair {
			return subsampled(cancer, "malignant", r)
		}},
		{"thyroid-like", fmt.Sprintf("generated (`bench/unbalanced/thyroid.go`), 16 columns, %d training and %d "+
			"test rows", of/2, of), func(r *rand.Rand) pair {
			return pair{thyroid(of/2, of/40, r), thyroid(of, of/20, r)}
		}},
	}, nil
}

// subsampled draws two thirds of the rows of other classes and as many rows of the rare class as make its share of the
// training rows; the rest is tested. The balanced accuracy does not depend on the share in the test rows.
func subsampled(t *dataset.Table, rare string, r *rand.Rand) pair {
	class := &t.Columns[len(t.Columns)-1]
	var of [2][]int
	for _, i := range r.Perm(t.Rows) {
		k := 0
		if class.Text(i) == rare {
			k = 1
		}
		of[k] = append(of[k], i)
	}
	others := 2 * len(of[0]) / 3
	few := int(float64(others)*share/(1-share) + 0.5)
	train := append(append([]int{}, of[0][:others]...), of[1][:few]...)
	test := append(append([]int{}, of[0][others:]...), of[1][few:]...)
	return pair{t.Subset(train), t.Subset(test)}
}

// result holds the balanced accuracies of the methods on the splits of a table.
type result struct {
	source
	rows, rare, test int // of the first split: training rows, of these of the smaller class, test rows
	of               map[string][]float64
}

// Names of the methods.
const (
	ours, oursPlain     = "KRVFL, balanced", "KRVFL"
	theirs, theirsPlain = "SVC, balanced", "SVC"
)

func (b *bench) measure(ctx context.Context, s source, folder string) (*result, error) {
	out := &result{source: s, of: map[string][]float64{}}
	var paths []string
	for i := range b.splits {
		p := s.make(rng.New(uint64(i), s.name))
		path := filepath.Join(folder, s.name+strconv.Itoa(i))
		paths = append(paths, path)
		if err := errors.Join(write(path+".train.csv", p.train), write(path+".test.csv", p.test)); err != nil {
			return nil, err
		}
		if i == 0 {
			out.rows, out.test = p.train.Rows, p.test.Rows
			class := p.train.Columns[len(p.train.Columns)-1]
			counts := map[string]int{}
			for row := range p.train.Rows {
				counts[class.Text(row)]++
			}
			out.rare = p.train.Rows
			for _, n := range counts {
				out.rare = min(out.rare, n)
			}
		}
		for name, weight := range map[string]string{ours: param.Balanced, oursPlain: ""} {
			v, err := b.krvfl(ctx, path, weight, uint64(i))
			if err != nil {
				return nil, fmt.Errorf("split %d, %s: %w", i, name, err)
			}
			out.of[name] = append(out.of[name], v)
		}
		fmt.Printf("%s %d: %s %.4f, %s %.4f\n", s.name, i, ours, out.of[ours][i], oursPlain, out.of[oursPlain][i])
	}
	tell := func(line string) error {
		var v struct{ Balanced, Plain float64 }
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			return err
		}
		out.of[theirs], out.of[theirsPlain] = append(out.of[theirs], v.Balanced), append(out.of[theirsPlain], v.Plain)
		fmt.Printf("%s %d: %s %.4f, %s %.4f\n", s.name, len(out.of[theirs])-1, theirs, v.Balanced, theirsPlain, v.Plain)
		return nil
	}
	args := append([]string{"svc", strconv.Itoa(b.settings), strconv.Itoa(folds), "0"}, paths...)
	if err := b.runPython(ctx, tell, args...); err != nil {
		return nil, err
	}
	if len(out.of[theirs]) != b.splits {
		return nil, fmt.Errorf("scikit-learn answered for %d of %d splits", len(out.of[theirs]), b.splits)
	}
	return out, nil
}

// krvfl returns the balanced accuracy on the test rows of a KRVFL that is tuned and trained on the training rows.
func (b *bench) krvfl(ctx context.Context, path, weight string, seed uint64) (float64, error) {
	train, err := read(ctx, path+".train.csv")
	if err != nil {
		return 0, err
	}
	data, err := roles.Assign(train, dataset.Selection{Target: "class"})
	if err != nil {
		return 0, err
	}
	c := param.With(func(c *param.Config) { c.Kind, c.ClassWeight, c.Task, c.Seed = "krvfl", weight, "classify", seed })
	found, err := search.Tune(ctx, data, c, search.Options{
		Trials: b.settings, Score: "balanced-accuracy", Scheme: search.Scheme{Folds: folds}, Seed: seed,
	})
	if err != nil {
		return 0, err
	}
	m, err := pipeline.Train(ctx, data, found.Trials[found.Best].Config, pipeline.Options{})
	if err != nil {
		return 0, err
	}
	test, err := read(ctx, path+".test.csv")
	if err != nil {
		return 0, err
	}
	e, err := m.Evaluate(ctx, test, []*dataset.Column{test.Find("class")}, pipeline.EvaluateOptions{})
	if err != nil {
		return 0, err
	}
	return e.Metrics.Class.BalancedAccuracy, nil
}

// read reads a CSV file.
func read(ctx context.Context, path string) (*dataset.Table, error) {
	f, err := tablefile.Open(ctx, path, tablefile.Options{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return dataset.Collect(ctx, f, make([]dataset.ReadAs, len(f.Fields())))
}

// write writes a table as CSV, so that both programs read the same digits.
func write(path string, t *dataset.Table) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, strings.Join(t.Names(), ","))
	for i := range t.Rows {
		var cells []string
		for j := range t.Columns {
			cells = append(cells, t.Columns[j].Text(i))
		}
		fmt.Fprintln(w, strings.Join(cells, ","))
	}
	return errors.Join(w.Flush(), f.Close())
}

// runPython runs the script and hands each line of its answer to tell, which may be nil.
func (b *bench) runPython(ctx context.Context, tell func(line string) error, args ...string) error {
	cmd := exec.CommandContext(ctx, b.python, append([]string{"-c", script}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	var told error
	for lines.Scan() && tell != nil && told == nil {
		told = tell(lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w (it needs scikit-learn and pandas; -python names another one)", b.python, err)
	}
	return told
}
