package dataset

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// CellKind tells what the text of a cell is.
type CellKind int

const (
	Missing   CellKind = iota // empty, NA, NaN or ?
	Number                    // a finite decimal number
	NotFinite                 // an infinity, or a number beyond float64
	Word                      // anything else
)

// ParseCell reads a cell, without the blanks around it. The number is NaN for a
// missing cell.
func ParseCell(text string) (float64, CellKind) {
	text = strings.TrimSpace(text)
	switch text {
	case "", "NA", "NaN", "nan", "?":
		return math.NaN(), Missing
	}
	if strings.ContainsAny(text, "_xXpP") { // Go's own spellings: 1_000, 0x1p3
		return 0, Word
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err == nil && math.IsNaN(v):
		return v, Missing
	case err == nil && !math.IsInf(v, 0):
		return v, Number
	case err == nil || errors.Is(err, strconv.ErrRange):
		return v, NotFinite
	}
	return 0, Word
}

// FormatNumber writes v so that ParseCell reads the same bits: the shortest
// decimal.
func FormatNumber(v float64) string {
	return strconv.FormatFloat(v, 'g', -1, 64)
}
