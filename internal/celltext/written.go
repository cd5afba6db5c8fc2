package celltext

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Written is a number as people write it: -$1,234.50, 1.4%, 1.200,50 €, 37.5 kg, (12).
type Written struct {
	Prefix, Suffix string // what stands before and behind the number, without blanks: a sign of money, a unit
	Separators

	negative    bool
	whole, frac string // the digits, if an ambiguous separator is a decimal sign
	exponent    string // of ten, with its letter: E-05
}

// Separators tells what the separators of a number show. 1,234 may be a thousand or more than one: its comma is
// Ambiguous, and so is the point of 1.234.
type Separators struct {
	Decimal   byte // '.' or ',' where it surely stands before decimals, or 0
	Group     byte // ',', '.', ' ' or '\'' where it surely separates thousands, or 0
	Ambiguous byte // ',' or '.' where it may do either, or 0
	Long      bool // more than three digits before the decimals and no separator of thousands
}

var (
	// body is a whole number with groups of three digits (or, as in India, of two before the last three), or without,
	// and its decimals.
	body = regexp.MustCompile(`^(?:(\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3})+|\d{1,3}(?: \d{3})+|\d{1,3}(?:'\d{3})+|` +
		`\d{1,2}(?:,\d{2})+,\d{3})|(\d*))(?:([.,])(\d*))?$`)
	// unit is one or two words, perhaps with powers and quotients: kg, °C, mg/dl, kg/m2, sq ft.
	unit     = regexp.MustCompile(`^` + unitWord + `(?:[/·*]` + unitWord + `)*(?: ` + unitWord + `)?\.?$`)
	exponent = regexp.MustCompile(`^[eE][+-]?\d+`)
	ordinal  = regexp.MustCompile(`^(?i:st|nd|rd|th)$`)
)

const (
	unitWord = `(?:[\pL°µΩ%‰]+|[$€£¥₹])[23²³]?`
	longUnit = 24 // bytes; more is a sentence
)

var currencies = []string{
	"US$", "AU$", "CA$", "HK$", "NZ$", "A$", "C$", "R$", "S$", "$", "€", "£", "¥", "₹", "₽", "₩", "₪", "₫", "₴", "₺",
	"₦", "₱", "฿", "zł", "USD", "EUR", "GBP", "JPY", "CHF", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF",
	"AUD", "CAD", "NZD", "HKD", "SGD", "ZAR", "BRL", "MXN", "KRW", "TRY", "RUB", "Rs.", "Rs", "Fr.", "kr",
}

// IsCurrency reports whether a prefix or suffix is a sign of money.
func IsCurrency(sign string) bool { return slices.Contains(currencies, sign) }

// FoldUnit returns a unit, or a sign of money, in small letters: units that differ in case alone are one. An M at the
// beginning stays: a megawatt is no milliwatt.
func FoldUnit(unit string) string {
	if rest, is := strings.CutPrefix(unit, "M"); is {
		return "M" + strings.ToLower(rest)
	}
	return strings.ToLower(unit)
}

var blanks = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "’", "'", "−", "-")

// Split reads a number as people write it; false for other texts.
func Split(text string) (w Written, ok bool) {
	text = strings.TrimSpace(blanks.Replace(text))
	if inner, is := strings.CutPrefix(text, "("); is { // accountants write (12) for -12
		if inner, is = strings.CutSuffix(inner, ")"); !is {
			return w, false
		}
		text, w.negative = strings.TrimSpace(inner), true
	}
	text, signed := w.sign(text)
	for _, c := range currencies {
		if rest, is := strings.CutPrefix(text, c); is {
			w.Prefix, text = c, strings.TrimSpace(rest)
			break
		}
	}
	if !signed {
		text, _ = w.sign(text)
	}
	end := bodyEnd(text)
	w.exponent = exponent.FindString(text[end:])
	if w.Suffix = strings.TrimSpace(text[end+len(w.exponent):]); w.Suffix != "" && !isUnit(w.Suffix) {
		return w, false
	}
	return w, w.setBody(text[:end])
}

// sign takes a sign off the text, unless it is in parentheses.
func (w *Written) sign(text string) (rest string, found bool) {
	if w.negative || text == "" || text[0] != '-' && text[0] != '+' {
		return text, false
	}
	w.negative = text[0] == '-'
	return strings.TrimSpace(text[1:]), true
}

// bodyEnd returns where the digits and separators at the beginning of text end.
func bodyEnd(text string) int {
	digit := func(i int) bool { return i >= 0 && i < len(text) && text[i]-'0' <= 9 }
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case digit(i) || b == '.' || b == ',':
		case (b == ' ' || b == '\'') && digit(i-1) && digit(i+1):
		default:
			return i
		}
	}
	return len(text)
}

func isUnit(suffix string) bool {
	return len(suffix) <= longUnit && (IsCurrency(suffix) || unit.MatchString(suffix)) &&
		!exponent.MatchString(suffix) && !ordinal.MatchString(suffix)
}

// setBody reads digits and separators.
func (w *Written) setBody(text string) bool {
	m := body.FindStringSubmatch(text)
	if m == nil || m[1] == "" && m[2] == "" && m[4] == "" {
		return false
	}
	grouped, plain, decimal, frac := m[1], m[2], m[3], m[4]
	w.whole, w.frac = plain, frac
	if decimal != "" {
		w.Decimal = decimal[0]
	}
	if grouped == "" {
		w.Long = len(strings.TrimLeft(plain, "0")) > 3
		return true
	}
	at := strings.LastIndexAny(grouped, ",. '")
	separator := grouped[at]
	single := at == strings.IndexByte(grouped, separator)
	switch {
	case decimal != "" && decimal[0] == separator:
		return false // 1,234,5
	case w.exponent != "" && !single:
		return false // 1,234,567E5
	case decimal == "" && single && (separator == ',' || separator == '.'):
		w.whole, w.frac = grouped[:at], grouped[at+1:]
		if grouped[0] == '0' || w.exponent != "" { // 0,123 and 1,234E5 are no thousands
			w.Decimal = separator
		} else {
			w.Ambiguous = separator
		}
	default:
		w.whole, w.Group = strings.ReplaceAll(grouped, string(separator), ""), separator
	}
	return true
}

// DecimalSign returns what stands before decimals, or would, as far as the separators tell; '.' where they do not.
func (s Separators) DecimalSign() byte {
	if s.Decimal == ',' || s.Decimal == 0 && s.Group == '.' {
		return ','
	}
	return '.'
}

// Value returns the number, the nearest float64, if decimal ('.' or ',') stands before decimals; false if it cannot.
func (w Written) Value(decimal byte) (float64, bool) {
	if w.Decimal != 0 && w.Decimal != decimal || w.Group == decimal {
		return 0, false
	}
	digits := w.whole + "." + w.frac
	if w.Ambiguous != 0 && w.Ambiguous != decimal {
		digits = w.whole + w.frac
	}
	v, err := strconv.ParseFloat(digits+w.exponent, 64)
	if w.negative {
		v = -v
	}
	return v, err == nil
}
