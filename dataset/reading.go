package dataset

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"rvflplus/internal/celltext"
)

// Reading says how the cells of a column are written whose numbers are not written plainly. It is found once, from all
// cells of the training table, stands in the model file, and is used for every later table. The zero value is that of
// plain numbers: digits, a decimal point, a sign, an exponent.
//
// A Reading takes more than the cells it was found from: plain numbers count as themselves, and so do numbers that lack
// the prefix, the suffix or the separators of thousands.
type Reading struct {
	Prefix  string `json:"prefix,omitempty"`  // before the number: a sign of money
	Suffix  string `json:"suffix,omitempty"`  // behind it: "%", a sign of money, a unit; 1.4% is 1.4
	Decimal string `json:"decimal,omitempty"` // "," where a comma stands before decimals, else ""
	Group   string `json:"group,omitempty"`   // what separates thousands: ",", ".", " ", "'", or ""
	// Open says that no cell showed what points and commas do: 5 €, 17 €. Of later cells only those are read that
	// show it themselves, such as 5,5 € and 1.200,50 €. Where Open is false, the other sign than Decimal separates
	// thousands.
	Open bool `json:"open,omitempty"`
	// Date is ISO for ISO 8601, or a format in the language of strptime such as "%d.%m.%Y". The number is then that of
	// days since 1 January 1970, 00:00 UTC, with the time of day as a fraction. "" is of numbers.
	Date string `json:"date,omitempty"`
}

// ISO is the Reading.Date of ISO 8601 dates and date-times, such as 2006-01-02 and 2006-01-02T15:04:05Z.
const ISO = "iso"

// Days is the Reading of columns of kind Date in the blocks of a source. It must not be changed.
var Days = &Reading{Date: ISO}

// Plain reports whether the reading is that of plain numbers.
func (r *Reading) Plain() bool { return r == nil || *r == Reading{} }

// IsDate reports whether the numbers are days.
func (r *Reading) IsDate() bool { return r != nil && r.Date != "" }

// Sound reports whether a reading, of a model file say, is one that Read could have found.
func (r *Reading) Sound() bool {
	if r.Date != "" {
		return *r == Reading{Date: r.Date} && (r.Date == ISO || celltext.DateFormat(r.Date).Check() == nil)
	}
	return (r.Decimal == "" || r.Decimal == ",") && strings.Contains(",. '", r.Group) && len(r.Group) <= 1 &&
		(r.Group == "" || r.Group != r.decimal()) && !(r.Open && (r.Decimal != "" || r.Group == ","))
}

func (r *Reading) decimal() string {
	if r.Decimal == "" {
		return "."
	}
	return r.Decimal
}

// Day returns the number of a date or time in a column of dates: days since 1 January 1970, 00:00 UTC. Sources whose
// format has dates use it, so that the same time is the same bits in every format.
func Day(at time.Time) float64 { return celltext.Day(at) }

// needsTexts reports whether a cell that looks like a plain number may be another.
func (r *Reading) needsTexts() bool {
	return r != nil && (r.Group == "." || celltext.DateFormat(r.Date).Digits() && r.Date != ISO)
}

// Parse reads the text of a cell that is not missing; false if it is not written so.
func (r *Reading) Parse(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if r.IsDate() {
		return r.parseDate(text)
	}
	v, kind := celltext.Parse(text)
	if kind == celltext.Number && (r.Plain() || r.Group != "." || !strings.Contains(text, ".")) {
		return v, true
	}
	if r.Plain() || kind == celltext.NotFinite {
		return 0, false
	}
	return r.parseDisguised(text, v, kind == celltext.Number)
}

// parseDisguised reads a number in the disguise of the reading; v is its value if it is plain.
func (r *Reading) parseDisguised(text string, v float64, plain bool) (float64, bool) {
	w, ok := celltext.Split(text)
	if !ok || !r.affixed(w) {
		return 0, false
	}
	// A plain number where the others have a sign or a unit is not in their disguise: its point is a decimal point.
	bare := w.Prefix+w.Suffix == "" && r.Prefix+r.Suffix != ""
	if plain && (bare || w.Ambiguous == 0) {
		return v, true
	}
	sign := string(w.Ambiguous)
	switch {
	case r.Open && w.Ambiguous != 0:
		return 0, false // 1.250 € after 5 €
	case r.Open:
		return w.Value(w.DecimalSign())
	case w.Ambiguous != 0 && sign != r.decimal() && r.Group != "" && sign != r.Group:
		return 0, false // 1,234 where thousands have blanks
	}
	return w.Value(r.decimal()[0])
}

// affixed reports whether a number has the sign or the unit of the reading, or none.
func (r *Reading) affixed(w celltext.Written) bool {
	same := func(a, b string) bool { return a == "" || celltext.FoldUnit(a) == celltext.FoldUnit(b) }
	return same(w.Prefix, r.Prefix) && same(w.Suffix, r.Suffix)
}

// inDoubt returns the two numbers that a cell may be where the reading is open; false if it is no such cell.
func (r *Reading) inDoubt(text string) (thousand, decimals float64, is bool) {
	w, ok := celltext.Split(text)
	if !ok || !r.Open || w.Ambiguous == 0 || !r.affixed(w) {
		return 0, 0, false
	}
	other := map[byte]byte{',': '.', '.': ','}[w.Ambiguous]
	thousand, _ = w.Value(other)
	decimals, _ = w.Value(w.Ambiguous)
	return thousand, decimals, true
}

func (r *Reading) parseDate(text string) (float64, bool) {
	if r.Date != ISO {
		if at, ok := celltext.DateFormat(r.Date).Time(text); ok {
			return Day(at), true
		}
	}
	if at, ok := celltext.ISOTime(text); ok {
		return Day(at), true
	}
	v, kind := celltext.Parse(text)
	return v, kind == celltext.Number && r.takesDays()
}

// takesDays reports whether a plain number counts as the number of a day: 20240230 does not where dates are %Y%m%d.
func (r *Reading) takesDays() bool {
	return strings.Contains(r.Date, ".") || !celltext.DateFormat(r.Date).Digits()
}

// number returns the value of a cell that a source gave as the plain number v, without its text.
func (r *Reading) number(v float64) (float64, bool) {
	if !r.needsTexts() || !r.IsDate() || math.IsNaN(v) {
		return v, true
	}
	return r.Parse(strconv.FormatFloat(v, 'f', -1, 64))
}

// what names the numbers of a reading, for messages: "a percentage".
func (r *Reading) what() string {
	switch {
	case r.Plain():
		return "a number"
	case r.IsDate():
		return "a date"
	case r.Suffix == "%":
		return "a percentage"
	case celltext.IsCurrency(r.Prefix):
		return fmt.Sprintf("an amount in %s", r.Prefix)
	case celltext.IsCurrency(r.Suffix):
		return fmt.Sprintf("an amount in %s", r.Suffix)
	case r.Suffix != "":
		return fmt.Sprintf("a number of %q", r.Suffix)
	case r.Decimal != "":
		return "a number with a decimal comma"
	}
	return "a number with separated thousands"
}

// Phrase says what a note tells of columns with this reading: "percentages (1.4% is 1.4)".
func (r *Reading) Phrase() string {
	var s string
	switch {
	case r.Date == ISO:
		return "dates as days since 1970-01-01"
	case r.IsDate():
		return fmt.Sprintf("dates (%s) as days since 1970-01-01", r.Date)
	case r.Suffix == "%":
		s = "percentages (1.4% is 1.4)"
	case celltext.IsCurrency(r.Prefix) || celltext.IsCurrency(r.Suffix):
		s = "amounts in " + strings.TrimSpace(r.Prefix+" "+r.Suffix)
	case r.Suffix != "":
		s = fmt.Sprintf("numbers of %q", r.Suffix)
	default:
		s = "numbers"
	}
	if r.Decimal != "" {
		s += " with decimal commas"
	}
	signs := map[string]string{",": "commas", ".": "points", " ": "blanks", "'": "apostrophes"}
	if r.Group == "" {
		return s
	}
	with := " with "
	if r.Decimal != "" {
		with = " and "
	}
	return s + with + signs[r.Group] + " between thousands (1" + r.Group + "234 is 1234)"
}
