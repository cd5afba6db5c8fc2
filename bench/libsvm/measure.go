package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"rvflplus/learn"
	"rvflplus/svm"
)

// result is one row of the table.
type result struct {
	*problem
	ours, theirs, overhead time.Duration
	objective, reference   float64
	agree                  float64
}

func (r result) String() string {
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }
	return fmt.Sprintf("| %s | %d | %g | %s | %s | %s | %.1f | %.1e | %.2f %% |", r.name, r.rows, r.c,
		seconds(r.ours), seconds(r.theirs), seconds(r.overhead), (r.theirs-r.overhead).Seconds()/r.ours.Seconds(),
		math.Abs(r.objective-r.reference)/math.Abs(r.reference), 100*r.agree)
}

func (t task) measure(ctx context.Context, o options, folder string) (r result, err error) {
	if r.problem, err = t.load(ctx, o.data); err != nil {
		return r, err
	}
	text := filepath.Join(folder, "train.txt")
	if err = r.write(text); err != nil {
		return r, err
	}
	var model learn.Model
	r.ours, r.theirs, r.overhead = math.MaxInt64, math.MaxInt64, math.MaxInt64
	for range o.rounds {
		m, spent, err := r.train(ctx, o.tol)
		if err != nil {
			return r, err
		}
		r.ours, r.objective, model = min(r.ours, spent), m.objective, m.model
		out, spent, err := r.svmTrain(ctx, text, o.tol)
		if err != nil {
			return r, err
		}
		r.theirs, r.reference = min(r.theirs, spent), objective(out)
		if _, spent, err = r.svmTrain(ctx, text, 1e9); err != nil {
			return r, err
		}
		r.overhead = min(r.overhead, spent)
	}
	if _, _, err = r.svmTrain(ctx, text, o.tol); err != nil {
		return r, err
	}
	theirs, err := svmPredict(ctx, text)
	r.agree = r.agreement(model, theirs)
	return r, err
}

type fit struct {
	model     learn.Model
	objective float64
}

// train is our side.
func (p *problem) train(ctx context.Context, tol float64) (fit, time.Duration, error) {
	classes := svm.DefaultConfig()
	classes.C, classes.Kernel, classes.Tolerance = p.c, p.kernel(), tol
	var trainer learn.Trainer = classes
	if p.regression {
		numbers := svm.DefaultRegressionConfig()
		numbers.C, numbers.Kernel, numbers.Tolerance = p.c, p.kernel(), tol
		trainer = numbers
	}
	start := time.Now()
	m, report, err := trainer.Train(ctx, learn.Problem{X: p.x, Y: p.y})
	spent := time.Since(start)
	if err != nil {
		return fit{}, spent, err
	}
	return fit{m, report.Optimum.Objective}, spent, nil
}

// write makes svm-train's text.
func (p *problem) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	rows, cols := p.x.Dims()
	for i := range rows {
		fmt.Fprint(w, p.answer(i))
		for j := range cols {
			if v := p.x.At(i, j); v != 0 {
				fmt.Fprintf(w, " %d:%v", j+1, v)
			}
		}
		fmt.Fprintln(w)
	}
	return errors.Join(w.Flush(), f.Close())
}

func (p *problem) answer(i int) string {
	if p.regression {
		return strconv.FormatFloat(p.y.At(i, 0), 'g', -1, 64)
	}
	return strconv.Itoa(p.labels[i] + 1)
}

func (p *problem) svmTrain(ctx context.Context, text string, tol float64) (string, time.Duration, error) {
	args := []string{"-m", "256", "-c", number(p.c), "-e", number(tol)}
	if p.regression {
		args = append(args, "-s", "3", "-p", "0.1")
	}
	if p.linear {
		args = append(args, "-t", "0")
	} else {
		args = append(args, "-t", "2", "-g", number(1/p.width))
	}
	start := time.Now()
	out, err := exec.CommandContext(ctx, "svm-train", append(args, text, text+".model")...).Output()
	return string(out), time.Since(start), err
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

var objectives = regexp.MustCompile(`obj = ([^,]+),`)

// objective sums what svm-train prints for each machine; ours has the other sign.
func objective(out string) float64 {
	var sum float64
	for _, match := range objectives.FindAllStringSubmatch(out, -1) {
		v, _ := strconv.ParseFloat(match[1], 64)
		sum -= v
	}
	return sum
}

func svmPredict(ctx context.Context, text string) ([]string, error) {
	if err := exec.CommandContext(ctx, "svm-predict", text, text+".model", text+".out").Run(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(text + ".out")
	return strings.Fields(string(bytes.TrimSpace(data))), err
}

// agreement is the share of equal classes, or of numbers within 1e-4.
func (p *problem) agreement(m learn.Model, theirs []string) float64 {
	_, outputs := m.Dims()
	out := mat.NewDense(p.rows, outputs, nil)
	m.PredictTo(out, p.x)
	var classes []int
	if c, ok := m.(*svm.Classifier); ok {
		classes = c.Decide(out)
	}
	same := 0
	for i, text := range theirs {
		v, _ := strconv.ParseFloat(text, 64)
		if classes != nil && int(v) == classes[i]+1 || classes == nil && math.Abs(out.At(i, 0)-v) < 1e-4 {
			same++
		}
	}
	return float64(same) / float64(p.rows)
}
