package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"rvflplus/internal/report"
)

// A block <!-- measured: SUBJECT --> of the document holds what a function of subjects writes, up to <!-- end -->.
var block = regexp.MustCompile(`(?s)(<!-- measured: ([^\n]+) -->\n).*?<!-- end -->`)

// subjects write what was measured.
var subjects = map[string]func(*comparison, io.Writer) error{
	"tables":                    (*comparison).writeTables,
	"ranges":                    (*comparison).writeRanges,
	"losses":                    (*comparison).writeLosses,
	"ranks":                     (*comparison).writeRanks,
	"wins and losses":           (*comparison).writeWins,
	"differences":               (*comparison).writeDifferences,
	"auto against plain KRVFL":  (*comparison).writePlain,
	"time to train and predict": (*comparison).writeTimes,
}

// renew returns the document with its blocks written anew. Every subject must have its block.
func (v *comparison) renew(document string) (string, error) {
	var failed []error
	told := map[string]bool{}
	out := block.ReplaceAllStringFunc(document, func(text string) string {
		m := block.FindStringSubmatch(text)
		write := subjects[m[2]]
		if write == nil {
			failed = append(failed, fmt.Errorf("nothing was measured of %q", m[2]))
			return text
		}
		told[m[2]] = true
		var b strings.Builder
		if err := write(v, &b); err != nil {
			failed = append(failed, err)
		}
		return m[1] + "\n" + b.String() + "\n<!-- end -->"
	})
	for _, subject := range slices.Sorted(maps.Keys(subjects)) {
		if !told[subject] {
			failed = append(failed, fmt.Errorf("the document has no block %q", subject))
		}
	}
	return out, errors.Join(failed...)
}

func row(w io.Writer, cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }

// head writes the first lines of a table: a name, and columns of numbers.
func head(w io.Writer, name string, columns ...string) {
	row(w, append([]string{name}, columns...)...)
	fmt.Fprintln(w, "|---|"+strings.Repeat("---:|", len(columns)))
}

func (v *comparison) writeTables(w io.Writer) error {
	head(w, "table", "rows", "features", "classes", "targets", "training rows", "test rows", "splits")
	for i, t := range v.tables {
		a := v.about[i]
		drawn, err := t.rows(t.splits()-1, a.Rows)
		if err != nil {
			return err
		}
		classes, targets := "", strconv.Itoa(a.Targets)
		if t.task == classification {
			classes, targets = strconv.Itoa(a.Classes), ""
		}
		row(w, t.name, strconv.Itoa(a.Rows), strconv.Itoa(a.Features), classes, targets, strconv.Itoa(t.train),
			strconv.Itoa(len(drawn.Test)), strconv.Itoa(t.splits()))
	}
	return nil
}

// writeRanges quotes what rivals.py draws its settings from.
func (v *comparison) writeRanges(w io.Writer) error {
	_, after, found := strings.Cut(script, "\nSETTINGS")
	ranges, _, closed := strings.Cut(after, "\n\n\ndef ")
	if !found || !closed {
		return errors.New("rivals.py has no ranges of settings")
	}
	_, err := fmt.Fprintf(w, "```python\nSETTINGS%s\n```\n", ranges)
	return err
}

func (v *comparison) writeLosses(w io.Writer) error {
	head(w, "table", v.methods...)
	for i, t := range v.tables {
		losses := make([]float64, len(v.methods))
		for k := range losses {
			losses[k] = v.loss(i, k)
		}
		ranks := ranksOf(losses)
		cells := []string{t.name}
		for k, loss := range losses {
			text := fmt.Sprintf("%.3f", loss)
			if ranks[k] == slices.Min(ranks) {
				text = "**" + text + "**"
			}
			cells = append(cells, text)
		}
		row(w, cells...)
	}
	return nil
}

func (v *comparison) writeRanks(w io.Writer) error {
	mean, first := v.ranks(), make([]int, len(v.methods))
	for i := range v.tables {
		losses := make([]float64, len(v.methods))
		for k := range losses {
			losses[k] = v.loss(i, k)
		}
		ranks := ranksOf(losses)
		for k, rank := range ranks {
			if rank == slices.Min(ranks) {
				first[k]++
			}
		}
	}
	head(w, "method", "mean rank", "tables on which it is first, ties counted")
	order := make([]int, len(mean))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
	for _, k := range order {
		row(w, v.methods[k], fmt.Sprintf("%.2f", mean[k]), strconv.Itoa(first[k]))
	}
	f, p := friedman(mean, len(v.tables))
	const told = "\nAll methods alike: F = %.2f, p = %.2g. Critical difference of two mean ranks: %.2f (%d methods, " +
		"%d tables).\n"
	_, err := fmt.Fprintf(w, told, f, p, nemenyi(len(mean), len(v.tables)), len(mean), len(v.tables))
	return err
}

// picture is the diagram of mean ranks.
func (v *comparison) picture() *report.Ranks {
	p := &report.Ranks{Title: "Mean ranks of losses, 1 is best", Critical: nemenyi(len(v.methods), len(v.tables))}
	for k, rank := range v.ranks() {
		p.Methods = append(p.Methods, report.RankedMethod{
			Name: v.methods[k], Rank: rank, Bold: slices.Contains(ours, v.methods[k]),
		})
	}
	return p
}

// others are the methods that auto is compared with.
func (v *comparison) others() []string { return v.methods[1:] }

func (v *comparison) writeWins(w io.Writer) error {
	head(w, "auto against", "better on", "no clear difference on", "worse on")
	for _, other := range v.others() {
		var counts [3]int // worse, neither, better
		for i := range v.tables {
			d, err := v.difference(i, auto, other)
			if err != nil {
				return err
			}
			counts[1-d.beyond()]++
		}
		row(w, other, strconv.Itoa(counts[2]), strconv.Itoa(counts[1]), strconv.Itoa(counts[0]))
	}
	return nil
}

func (v *comparison) writeDifferences(w io.Writer) error {
	head(w, "auto less", v.others()...)
	for i, t := range v.tables {
		cells := []string{t.name}
		for _, other := range v.others() {
			d, err := v.difference(i, auto, other)
			if err != nil {
				return err
			}
			text := fmt.Sprintf("%+.3f ± %.3f", d.mean, d.se)
			switch d.beyond() {
			case -1:
				text = "**" + text + "**"
			case 1:
				text = "*" + text + "*"
			}
			cells = append(cells, text)
		}
		row(w, cells...)
	}
	return nil
}

func (v *comparison) writePlain(w io.Writer) error {
	var better, worse []string
	for i, t := range v.tables {
		d, err := v.difference(i, auto, plain)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("  - %s: %.3f, KRVFL %.3f, difference %+.4f ± %.4f", t.name, v.loss(i, v.method(auto)),
			v.loss(i, v.method(plain)), d.mean, d.se)
		switch d.beyond() {
		case -1:
			better = append(better, line)
		case 1:
			worse = append(worse, line)
		}
	}
	fmt.Fprintf(w, "- Worse by more than two standard errors on %s.\n", count(worse))
	for _, line := range worse {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(w, "- Better by more than two standard errors on %s.\n", count(better))
	for _, line := range better {
		fmt.Fprintln(w, line)
	}
	return nil
}

func count(lines []string) string {
	switch len(lines) {
	case 0:
		return "no table"
	case 1:
		return "1 table"
	}
	return fmt.Sprintf("%d tables", len(lines))
}

// size is a group of tables, by training rows, whose times stand together.
type size struct {
	name string
	most int
}

var sizes = [...]size{{"33 to 150 rows", 150}, {"300 to 1,000 rows", 1000}, {"2,000 and 5,000 rows", 5000}}

func (v *comparison) writeTimes(w io.Writer) error {
	var columns []string
	for _, s := range sizes {
		columns = append(columns, "train, "+s.name)
	}
	head(w, "seconds", append(columns, "predict 1,000 rows", "all of training")...)
	for k, method := range v.methods {
		train, predict, err := v.seconds(k)
		if err != nil {
			return err
		}
		cells := []string{method}
		for _, of := range train {
			cells = append(cells, fmt.Sprintf("%.2g", median(of)))
		}
		row(w, append(cells, fmt.Sprintf("%.2g", median(predict)), fmt.Sprintf("%.0f", sum(train)))...)
	}
	return nil
}

// seconds returns the times that a method trained, by sizes, and its times to predict 1,000 rows.
func (v *comparison) seconds(method int) (train [][]float64, predict []float64, err error) {
	train = make([][]float64, len(sizes))
	for i, t := range v.tables {
		size := slices.IndexFunc(sizes[:], func(s size) bool { return t.train <= s.most })
		for s, c := range v.cells[i][method] {
			drawn, err := t.rows(s, v.about[i].Rows)
			if err != nil {
				return nil, nil, err
			}
			train[size] = append(train[size], c.Train)
			predict = append(predict, 1000*c.Predict/float64(len(drawn.Test)))
		}
	}
	return train, predict, nil
}

func sum(lists [][]float64) float64 {
	var all float64
	for _, list := range lists {
		all += floats.Sum(list)
	}
	return all
}
