// Package celltext reads the text of a cell: a number, a missing value, or a word; numbers with signs, separators and
// units; dates.
package celltext

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind tells what a cell holds.
type Kind int

const (
	Missing   Kind = iota // empty, NA, NaN or ?
	Number                // a finite decimal number
	NotFinite             // an infinity, or a number beyond float64
	Word                  // anything else
)

// Parse reads a cell, without the blanks around it. The number is NaN for a missing cell.
func Parse(text string) (float64, Kind) {
	if v, _, ok := Plain(text); ok {
		return v, Number
	}
	// The general rule; the case above only makes it fast.
	text = hyphen(strings.TrimSpace(text))
	switch text {
	case "", "NA", "NaN", "nan", "?":
		return math.NaN(), Missing
	}
	if !strings.Contains("0123456789+-.iInN", text[:1]) || // nor infinity, nan
		strings.ContainsAny(text, "_xXpP") { // Go's own spellings: 1_000, 0x1p3
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

// Shape tells how plain numbers are written: one bit for each thing that some of them have. The zero value is that of
// digits alone, without a leading zero.
type Shape uint8

const (
	Pointed Shape = 1 << iota // a decimal point
	Signed                    // a sign, an exponent, or too many digits for exact arithmetic
	Padded                    // digits alone that begin with a zero, such as 007: a post code, an identifier
)

// Plain reads a decimal number without blanks around it, fast, and tells its shape; false for everything else.
func Plain(text string) (float64, Shape, bool) {
	if v, shape, ok := exact(text); ok {
		return v, shape, true
	}
	if decimal(text) {
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			return v, Pointed | Signed, true
		}
	}
	if hyphened := hyphen(text); hyphened != text {
		return Plain(hyphened)
	}
	return 0, 0, false
}

// hyphen writes the minus sign U+2212 before a number as a hyphen.
func hyphen(text string) string {
	if digits, is := strings.CutPrefix(text, "−"); is && strings.IndexAny(digits, "0123456789.") == 0 {
		return "-" + digits
	}
	return text
}

var powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// exact reads a short decimal without an exponent. Its digits as a whole number below 2⁵³ and the power of ten are both
// exact in float64, so that one division rounds correctly (Clinger 1990, doi:10.1145/93542.93557).
func exact(text string) (float64, Shape, bool) {
	digits, shape := text, Shape(0)
	if text != "" && (text[0] == '-' || text[0] == '+') {
		digits, shape = text[1:], Signed
	}
	if len(digits) > 19 { // 19 digits fit in 64 bits
		return 0, 0, false
	}
	var whole uint64
	count, point := 0, 0
	for i := 0; i < len(digits); i++ {
		if d := digits[i] - '0'; d <= 9 {
			whole = 10*whole + uint64(d)
			count++
		} else if digits[i] == '.' && i == count { // the first
			point = len(digits) - 1 - i
		} else {
			return 0, 0, false
		}
	}
	if count == 0 || whole >= 1<<53 {
		return 0, 0, false
	}
	if count < len(digits) {
		shape |= Pointed
	} else {
		shape = padded(digits, shape)
	}
	v := float64(whole) / powers[point]
	if text[0] == '-' {
		v = -v
	}
	return v, shape, true
}

// padded returns the shape of digits alone.
func padded(digits string, shape Shape) Shape {
	if digits[0] == '0' && len(digits) > 1 && shape == 0 {
		return Padded
	}
	return shape
}

// decimal reports whether text has no characters but those of decimal numbers.
func decimal(text string) bool {
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b-'0' <= 9, b == '.', b == '-', b == '+', b == 'e', b == 'E':
		default:
			return false
		}
	}
	return text != ""
}

// FormatNumber writes v as the shortest decimal that Parse reads as the same bits.
func FormatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Abbreviate is a cell as it stands in a message: about 40 bytes, no character cut in two.
func Abbreviate(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
