// Package namelist puts lists of names into messages, and finds the name that a misspelt word meant.
package namelist

import (
	"strconv"
	"strings"
)

// Abbreviate lists at most twelve names.
func Abbreviate(names []string) string {
	if len(names) > 12 {
		return strings.Join(names[:12], ", ") + ", … (" + strconv.Itoa(len(names)) + " in all)"
	}
	return strings.Join(names, ", ")
}

// Nearest returns the name closest to word if it is close enough that word may be a misspelling of it, else "".
func Nearest(word string, names []string) string {
	best, bestName := len(word)/3+1, ""
	if len(word) < 3 {
		best = 0
	}
	for _, name := range names {
		if d := editDistance(strings.ToLower(word), strings.ToLower(name), best); d <= best &&
			(d < best || bestName == "") {
			best, bestName = d, name
		}
	}
	return bestName
}

// editDistance is Levenshtein's distance. Beyond limit the result may be any larger number.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
