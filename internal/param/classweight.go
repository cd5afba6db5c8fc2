package param

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/fault"
)

// Balanced is the Config.ClassWeight under which all classes weigh the same.
const Balanced = "balanced"

// ClassWeight is the weight of a class in Config.ClassWeight.
type ClassWeight struct {
	Class  string
	Weight float64
}

// ParseClassWeight reads class=weight, separated by commas as in a line of CSV; it
// returns nothing for balanced weights and for none.
func ParseClassWeight(text string) ([]ClassWeight, error) {
	if text == "" || text == Balanced {
		return nil, nil
	}
	parts, err := csv.NewReader(strings.NewReader(text)).Read()
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil, badClassWeight(text)
	}
	var out []ClassWeight
	for _, part := range parts {
		at := strings.LastIndexByte(part, '=') // a class may contain one
		if at < 1 {
			return nil, badClassWeight(part)
		}
		w, err := strconv.ParseFloat(part[at+1:], 64)
		if err != nil || !(w > 0) || math.IsInf(w, 1) || strings.ContainsAny(part[at+1:], "_xX") {
			return nil, fault.Param("the class weight of "+strconv.Quote(part[:at]), wantPositive,
				strconv.Quote(part[at+1:]))
		}
		class := part[:at]
		if slices.ContainsFunc(out, func(c ClassWeight) bool { return c.Class == class }) {
			return nil, fault.New(fault.Usage, "the class %q has two weights", class)
		}
		out = append(out, ClassWeight{class, w})
	}
	return out, nil
}

// FormatClassWeight writes weights so that ParseClassWeight reads them; "" for none.
func FormatClassWeight(weights []ClassWeight) string {
	var parts []string
	for _, w := range weights {
		parts = append(parts, w.Class+"="+strconv.FormatFloat(w.Weight, 'g', -1, 64))
	}
	if parts == nil {
		return ""
	}
	var text strings.Builder
	line := csv.NewWriter(&text)
	_ = line.Write(parts) // a strings.Builder takes everything
	line.Flush()
	return strings.TrimSuffix(text.String(), "\n")
}

func badClassWeight(got string) error {
	return fault.Param("class-weight", "balanced, or weights by class such as yes=5,no=1", strconv.Quote(got)).
		WithHint(`a class with a comma is quoted as in CSV: '"a,b=5",c=1'`)
}
