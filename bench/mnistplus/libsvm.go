package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"rvflplus/learn"
)

// writeLIBSVM writes a problem as svm-train reads it.
func writeLIBSVM(path string, p learn.Problem) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	rows, _ := p.X.Dims()
	for i := range rows {
		fmt.Fprint(w, p.Y.At(i, 0))
		for j, v := range p.X.RawRowView(i) {
			if v != 0 {
				fmt.Fprintf(w, " %d:%v", j+1, v)
			}
		}
		fmt.Fprintln(w)
	}
	return errors.Join(w.Flush(), f.Close())
}
