package main

import (
	"fmt"
	"slices"
	"strings"
)

// The programs that do the work; peak is a second process of ours, which runs the
// loop of multiply-adds.
const (
	ours  = "ours"
	numpy = "NumPy"
	stock = "gonum"
	peak  = "peak"
)

// rival is what a task is compared with.
type rival struct {
	program string
	label   string
	// The ratio to reach, on one thread and on more; 0 where none is asked for.
	one, more float64
}

func (r rival) bar(threads int) float64 {
	if threads > 1 {
		return r.more
	}
	return r.one
}

// task is one kind of row of the table.
type task struct {
	work   string
	title  string // with one %d where sizes vary
	sizes  []int  // nil: those of -sizes
	rivals []rival
	from   int // the size from which the bars hold
	upTo   int // the largest size for gonum, which is slow
}

const (
	maxStock   = 2048
	panelRows  = 43500
	inCache    = 1 << 12
	inMemory   = 1 << 23
	kernelRows = 5000
)

var tasks = []task{
	{work: "gemm", title: "matrix product, n = %d", upTo: maxStock, rivals: []rival{
		{numpy, "NumPy dot, OpenBLAS", 1, 1}, {peak, "multiply-add peak", 0.8, 0.8}, {stock, "gonum", 0, 0}}},
	{work: "syrk", title: "AᵀA, one triangle, n = %d", upTo: maxStock, rivals: []rival{
		{numpy, "dsyrk, OpenBLAS", 1.2, 1.2}, {stock, "gonum", 0, 0}}},
	{work: "cholesky", title: "Cholesky, n = %d", from: 2048, upTo: maxStock, rivals: []rival{
		{numpy, "dpotrf, OpenBLAS", 1.5, 1.5}, {stock, "gonum", 0, 0}}},
	{work: "panel", title: "AᵀA, one triangle, A %d × 2,009", sizes: []int{panelRows}, rivals: []rival{
		{numpy, "dsyrk, OpenBLAS", 1.2, 1.2}, {peak, "multiply-add peak", 0, 0}}},
	{work: "exp", title: "exp, %d numbers", sizes: []int{inCache, inMemory}, upTo: inMemory, rivals: []rival{
		{numpy, "NumPy exp", 1, 1}, {stock, "math.Exp", 3, 3}}},
	{work: "rvfl+", title: "RVFL+ fit, %d rows, 5 + 4 features, 1000 + 1000 nodes, 7 classes", sizes: []int{panelRows},
		rivals: []rival{
			{numpy, "the same in NumPy, OpenBLAS", 1.6, 2}}},
	{work: "krvfl", title: "KRVFL (RBF) fit, %d rows, 20 features, 3 targets", sizes: []int{kernelRows},
		rivals: []rival{
			{numpy, "scikit-learn KernelRidge", 2, 2}}},
	{work: "krvfl+", title: "KRVFL+ fit, %d rows, 100 + 21 features, 2 classes (MNIST+)",
		sizes: []int{50, 100, 200, 400}, rivals: []rival{
			{numpy, "the same in NumPy, OpenBLAS", 1, 1}}},
}

func names() []string {
	var out []string
	for _, t := range tasks {
		out = append(out, t.work)
	}
	return out
}

// known splits a list of works; "" means all of them.
func known(list string) ([]string, error) {
	if list == "" {
		return names(), nil
	}
	works := strings.Split(list, ",")
	for _, w := range works {
		if !slices.Contains(names(), w) {
			return nil, fmt.Errorf("-work must be of %s, got %q", strings.Join(names(), ", "), w)
		}
	}
	return works, nil
}

// at returns the rivals of the task at one size, with the bars that hold there.
func (t task) at(size int) []rival {
	var out []rival
	for _, r := range t.rivals {
		if size < t.from {
			r.one, r.more = 0, 0
		}
		if r.program != stock || size <= t.upTo {
			out = append(out, r)
		}
	}
	return out
}

func (t task) sizesOf(o options) []int {
	if t.sizes != nil {
		return t.sizes
	}
	return o.sizes
}
