package celltext

import (
	"slices"
	"strings"
)

// Markers are the texts of cells that are missing. The zero value are the usual ones; an empty list that is not nil is
// of the empty cell alone, which is always missing.
type Markers []string

// usual are the usual markers in lower case. Those of Parse are missing in every column; the others only where the
// other cells are numbers or dates, because None or a dash may be a category among words.
var usual = []string{"na", "n/a", "#n/a", "<na>", "nan", "null", "none", "nil", "-", ".", "?"}

// UsualMarkers lists the usual markers for messages.
const UsualMarkers = "NA, N/A, #N/A, <NA>, NaN, null, None, nil, - . ?"

// Has reports whether a cell among numbers or dates is missing. The usual markers are compared without regard to case.
func (m Markers) Has(text string) bool {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return true
	case m != nil:
		return slices.Contains(m, text)
	}
	return len(text) <= 4 && slices.Contains(usual, strings.ToLower(text))
}

// Numbers returns the markers that are numbers, such as -999.
func (m Markers) Numbers() (values []float64) {
	for _, text := range m {
		if v, kind := Parse(text); kind == Number {
			values = append(values, v)
		}
	}
	return values
}

// ParseMarkers reads a list of markers, separated by commas. Blanks around a marker do not count.
func ParseMarkers(list string) Markers {
	markers := Markers{}
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(markers, part) {
			markers = append(markers, part)
		}
	}
	return markers
}
