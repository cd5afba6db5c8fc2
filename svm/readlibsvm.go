package svm

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/blas"
	"rvflplus/fault"
	"rvflplus/internal/lines"
	"rvflplus/internal/memory"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// ReadLIBSVM reads a model in LIBSVM's text format: c_svc, nu_svc, epsilon_svr or
// nu_svr with kernel linear, polynomial or rbf. name stands for the file in
// errors; features is their number, 0 for the largest index. The model is a
// *Classifier, whose class i has labels[i] and whose classes have the order of the
// file, or a *Regressor without labels. A text that is no such model is a
// fault.Data error with line and column.
func ReadLIBSVM(text io.Reader, name string, features int) (m learn.Model, labels []int, err error) {
	input, err := lines.NewReader(text, name)
	if err != nil {
		return nil, nil, err
	}
	r := &modelReader{Reader: input, name: name, features: features, words: map[string][]string{}}
	if err := r.header(); err != nil {
		return nil, nil, err
	}
	if err := r.supportVectors(); err != nil {
		return nil, nil, err
	}
	return r.model()
}

// modelReader reads one model.
type modelReader struct {
	*lines.Reader
	name     string
	features int
	words    map[string][]string // of the header, by key
	classes  bool
	coefs    [][]float64
	support  [][]entry
	cells    int
	weighed  int // cells when memory was last checked
}

type entry struct {
	column int
	value  float64
}

// maxHeader bounds the lines of a header, of which LIBSVM writes a dozen.
const maxHeader = 100

// maxClasses bounds the number of pairs, which grows as the square of the number of classes.
const maxClasses = 1 << 12

func (r *modelReader) bad(format string, args ...any) error {
	return fault.New(fault.Data, r.name+": "+format, args...)
}

func (r *modelReader) header() error {
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.bad("no line SV: not a model of LIBSVM")
		}
		if err != nil {
			return err
		}
		words := strings.Fields(line)
		if len(words) == 0 {
			return r.Fault(0, "an empty line in the header")
		}
		if words[0] == "SV" {
			switch t := r.word("svm_type"); t {
			case "c_svc", "nu_svc":
				r.classes = true
			case "epsilon_svr", "nu_svr":
			default:
				return r.bad("svm_type %q, expected c_svc, nu_svc, epsilon_svr or nu_svr", lines.Abbreviate(t))
			}
			return nil
		}
		if len(r.words) == maxHeader {
			return r.Fault(0, "more than %d lines before SV", maxHeader)
		}
		if _, twice := r.words[words[0]]; twice {
			return r.Fault(0, "%q a second time", lines.Abbreviate(words[0]))
		}
		r.words[words[0]] = words[1:]
	}
}

// word returns the single word of a key, or "".
func (r *modelReader) word(key string) string {
	if w := r.words[key]; len(w) == 1 {
		return w[0]
	}
	return ""
}

// numbers returns the words of a key as that many finite numbers.
func (r *modelReader) numbers(key string, count int) ([]float64, error) {
	words := r.words[key]
	if len(words) != count {
		return nil, r.bad("%s has %d numbers, expected %d", key, len(words), count)
	}
	var out []float64
	for _, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || v-v != 0 {
			return nil, r.bad("%s: %q is not a finite number", key, lines.Abbreviate(w))
		}
		out = append(out, v)
	}
	return out, nil
}

// whole returns the words of a key as that many whole numbers.
func (r *modelReader) whole(key string, count int) ([]int, error) {
	v, err := r.numbers(key, count)
	var out []int
	for _, x := range v {
		if x != math.Trunc(x) || math.Abs(x) > math.MaxInt32 {
			return nil, r.bad("%s: %v is not a whole number", key, x)
		}
		out = append(out, int(x))
	}
	return out, err
}

// supportVectors reads the lines after SV.
func (r *modelReader) supportVectors() error {
	columns := 1
	if r.classes {
		k, err := r.whole("nr_class", 1)
		if err != nil {
			return err
		}
		if k[0] < 2 || k[0] > maxClasses {
			return r.bad("nr_class is %d, expected 2 to %d", k[0], maxClasses)
		}
		columns = k[0] - 1
	}
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.supportVector(line, columns); err != nil {
			return err
		}
		if r.Open { // the last number may lack digits
			return r.Fault(len(line), "the file ends within a line").
				WithHint("it was cut off: copy it again, or end the line if it is whole")
		}
		// Twice the size of the numbers, as slices grow.
		if len(r.support)%4096 == 0 || r.cells-r.weighed > 1<<20 {
			r.weighed = r.cells
			err := memory.Check(float64(32*r.cells), "the model "+r.name, "use a machine with more memory")
			if err != nil {
				return err
			}
		}
	}
}

// supportVector reads columns coefficients and then index:value words.
func (r *modelReader) supportVector(line string, columns int) error {
	words := strings.Fields(line)
	if len(words) < columns {
		return r.Fault(0, "%d coefficients, expected %d", len(words), columns)
	}
	var coef []float64
	for i, w := range words[:columns] {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || v-v != 0 {
			return r.Fault(start(line, i), "%q is not a finite coefficient", lines.Abbreviate(w))
		}
		coef = append(coef, v)
	}
	var row []entry
	for i, w := range words[columns:] {
		e, ok := parseEntry(w)
		if !ok || len(row) > 0 && e.column <= row[len(row)-1].column || e.column >= lines.MaxColumns {
			return r.Fault(start(line, columns+i), "%q is not index:value with a larger index than before, at most %d",
				lines.Abbreviate(w), lines.MaxColumns)
		}
		row = append(row, e)
	}
	r.coefs, r.support = append(r.coefs, coef), append(r.support, row)
	r.cells += columns + len(row)
	return nil
}

// start returns where a word of a line begins, words counted from 0.
func start(line string, word int) int {
	at := 0
	for ; ; word-- {
		for at < len(line) && lines.Blank(line[at]) {
			at++
		}
		if word == 0 || at == len(line) {
			return at
		}
		for at < len(line) && !lines.Blank(line[at]) {
			at++
		}
	}
}

func parseEntry(w string) (e entry, ok bool) {
	index, value, found := strings.Cut(w, ":")
	n, err := strconv.Atoi(index)
	v, errValue := strconv.ParseFloat(value, 64)
	return entry{n - 1, v}, found && err == nil && errValue == nil && n >= 1 && v-v == 0
}

// matrices returns the support vectors and the coefficients, times scale, as dense matrices.
func (r *modelReader) matrices(scale float64) (support, coef blas.Matrix, err error) {
	n := r.features
	for i, row := range r.support {
		if len(row) == 0 {
			continue
		}
		last := row[len(row)-1].column + 1
		if r.features > 0 && last > r.features {
			return support, coef, r.bad("support vector %d has index %d, the features are %d", i+1, last, r.features)
		}
		n = max(n, last)
	}
	n = max(n, 1)
	need := 8 * float64(len(r.support)) * float64(n)
	if err := memory.Check(need, "the model "+r.name, "use a machine with more memory"); err != nil {
		return support, coef, err
	}
	support = blas.New(len(r.support), n)
	coef = blas.New(len(r.coefs), 1)
	if len(r.coefs) > 0 {
		coef = blas.New(len(r.coefs), len(r.coefs[0]))
	}
	for i, row := range r.support {
		for _, e := range row {
			support.Data[i*support.Stride+e.column] = e.value
		}
		for j, v := range r.coefs[i] {
			coef.Data[i*coef.Stride+j] = scale * v
		}
	}
	return support, coef, nil
}

// kernel returns the kernel and the factor of the coefficients: (γx·y + c)^d is γ^d(x·y + c/γ)^d.
func (r *modelReader) kernel() (k kernel.Kernel, scale float64, err error) {
	t := r.word("kernel_type")
	if t == "linear" {
		return kernel.Linear{}, 1, nil
	}
	if t != "rbf" && t != "polynomial" {
		return nil, 0, r.bad("kernel_type %q, expected linear, polynomial or rbf", lines.Abbreviate(t))
	}
	gamma, err := r.numbers("gamma", 1)
	if err != nil {
		return nil, 0, err
	}
	width := 1 / gamma[0]
	if !(gamma[0] > 0) || math.IsInf(width, 0) {
		return nil, 0, r.bad("gamma must be > 0 and 1/gamma finite, got %v", gamma[0])
	}
	if t == "rbf" {
		return kernel.RBF{Width: width}, 1, nil
	}
	return r.polynomial(gamma[0])
}

func (r *modelReader) polynomial(gamma float64) (kernel.Kernel, float64, error) {
	degree, err := r.whole("degree", 1)
	if err != nil {
		return nil, 0, err
	}
	coef0, err := r.numbers("coef0", 1)
	if err != nil {
		return nil, 0, err
	}
	k := kernel.Polynomial{Degree: float64(degree[0]), Offset: coef0[0] / gamma}
	scale := math.Pow(gamma, k.Degree)
	if degree[0] < 1 || degree[0] > 100 || !(k.Offset >= 0) || math.IsInf(k.Offset, 0) ||
		scale == 0 || math.IsInf(scale, 0) {
		return nil, 0, r.bad("polynomial kernel of degree %d, gamma %v and coef0 %v, "+
			"expected degree 1 to 100 and coef0 >= 0", degree[0], gamma, coef0[0])
	}
	return k, scale, nil
}

func (r *modelReader) model() (learn.Model, []int, error) {
	k, scale, err := r.kernel()
	if err != nil {
		return nil, nil, err
	}
	support, coef, err := r.matrices(scale)
	if err != nil {
		return nil, nil, err
	}
	total, err := r.whole("total_sv", 1)
	if err != nil {
		return nil, nil, err
	}
	if total[0] != support.Rows {
		return nil, nil, r.bad("%d support vectors, the header says %d", support.Rows, total[0])
	}
	if !r.classes {
		rho, err := r.numbers("rho", 1)
		if err != nil {
			return nil, nil, err
		}
		parts := RegressorParts{Kernel: k, Support: support, Coef: coef, Offset: []float64{0 - rho[0]}}
		m, err := RegressorFromParts(parts)
		if err != nil {
			return nil, nil, r.bad("%v", err)
		}
		return m, nil, nil
	}
	return r.classifier(ClassifierParts{Kernel: k, Support: support, Coef: coef})
}

func (r *modelReader) classifier(p ClassifierParts) (learn.Model, []int, error) {
	classes, _ := r.whole("nr_class", 1) // read before
	k := classes[0]
	if p.Support.Rows == 0 {
		p.Coef = blas.New(0, k-1)
	}
	rho, err := r.numbers("rho", pairCount(k))
	if err != nil {
		return nil, nil, err
	}
	for _, v := range rho {
		p.Offset = append(p.Offset, 0-v)
	}
	labels, err := r.whole("label", k)
	if err != nil {
		return nil, nil, err
	}
	if sorted := slices.Sorted(slices.Values(labels)); len(slices.Compact(sorted)) < k {
		return nil, nil, r.bad("a label occurs twice: %v", labels)
	}
	if p.Count, err = r.whole("nr_sv", k); err != nil {
		return nil, nil, err
	}
	for place := range k {
		p.Order = append(p.Order, place)
	}
	p.Outputs = k
	if r.words["probA"] != nil {
		a, errA := r.numbers("probA", pairCount(k))
		b, errB := r.numbers("probB", pairCount(k))
		if err := cmp.Or(errA, errB); err != nil {
			return nil, nil, err
		}
		for i := range a {
			p.Sigmoids = append(p.Sigmoids, Sigmoid{A: a[i], B: b[i]})
		}
	}
	m, err := ClassifierFromParts(p)
	if err != nil {
		return nil, nil, r.bad("%v", err)
	}
	return m, labels, nil
}
