package main

import (
	"strings"

	"rvflplus/internal/registry"
	"rvflplus/internal/split"
)

// mostTested is the largest number of test rows of a split.
const mostTested = 2000

// table is a public table on which methods are compared.
type table struct {
	name   string
	entry  string // in the registry, or "" for a table that scikit-learn brings along or generates
	parts  string // of the entry, comma-separated, one below the other; "" means all rows
	raw    bool   // the target as it is published, without the registry's grouping into classes
	task   string
	normal bool   // only the columns that are normal by default
	target string // the only target that is kept, or "" for all
	train  int    // training rows of a split
	// The first split is the published one: the first rows, and for testing the rows of the last file.
	published bool
}

const (
	classification = "classification"
	regression     = "regression"
)

// partNames are the parts of the entry whose rows the table has.
func (t table) partNames() []string {
	if t.parts == "" {
		return []string{registry.All}
	}
	return strings.Split(t.parts, ",")
}

// tables are all tables, in the order of the document. None is left out for what it shows.
var tables = []table{
	{name: "iris", entry: "iris", task: classification, train: 100},
	{name: "wine", entry: "wine", task: classification, train: 118},
	{name: "glass", entry: "glass", task: classification, train: 143},
	{name: "parkinsons", entry: "parkinsons", task: classification, train: 130},
	{name: "breast-cancer", task: classification, train: 150},
	{name: "mnist+", entry: "mnist+", normal: true, task: classification, train: 100, published: true},
	{name: "segment", entry: "segment", parts: "all,test", task: classification, train: 150},
	{name: "segment-normal", entry: "segment", parts: "all,test", normal: true, task: classification, train: 150},
	{name: "digits", task: classification, train: 500},
	{name: "abalone", entry: "abalone", task: classification, train: 500},
	{name: "wine-red", entry: "wine-red", task: classification, train: 1000},
	{name: "wine-white", entry: "wine-white", task: classification, train: 2000},
	{name: "shuttle", entry: "shuttle", task: classification, train: 5000},
	{name: "slump", entry: "slump", task: regression, train: 69},
	{name: "edm", entry: "edm", task: regression, train: 103},
	{name: "andro", entry: "andro", task: regression, train: 33},
	{name: "friedman2", task: regression, train: 100},
	{name: "diabetes", task: regression, train: 150},
	{name: "friedman1", task: regression, train: 150},
	{name: "friedman3", task: regression, train: 300},
	{name: "wine-red-grade", entry: "wine-red", task: regression, train: 300},
	{name: "scm20d", entry: "scm20d", target: "first", task: regression, train: 500},
	{name: "abalone-rings", entry: "abalone", raw: true, task: regression, train: 1000},
	{name: "wine-white-grade", entry: "wine-white", task: regression, train: 1000},
	{name: "scm1d-test", entry: "scm1d-test", target: "first", task: regression, train: 1000},
}

const mostSplits = 5

// splits is the number of splits: more where there are few rows. To tune the rivals on many rows takes minutes a split.
func (t table) splits() int {
	if t.train <= 150 {
		return mostSplits
	}
	return 2
}

// rows returns the rows of split s, from 0, of n rows: train rows at random, and of the others up to mostTested.
func (t table) rows(s, n int) (split.Split, error) {
	if t.published && s == 0 {
		return t.publishedRows()
	}
	return split.Shuffled(n, split.Rows(t.train), split.Rows(min(mostTested, n-t.train)), uint64(s+1))
}

// publishedRows are the first rows for training, and the rows of the last block of the registry's entry.
func (t table) publishedRows() (split.Split, error) {
	e, _, err := registry.Find(t.entry)
	if err != nil {
		return split.Split{}, err
	}
	s := split.Split{Train: make([]int, t.train), Test: make([]int, e.Blocks[len(e.Blocks)-1].Rows)}
	for i := range s.Train {
		s.Train[i] = i
	}
	for i := range s.Test {
		s.Test[i] = e.Rows - len(s.Test) + i
	}
	return s, nil
}

func tableNames() []string {
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.name
	}
	return names
}
