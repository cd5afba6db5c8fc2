package celltext

import (
	"math"
	"strings"
	"time"

	"rvflplus/fault"
)

// Day returns the day number of a time: days since 1 January 1970, 00:00 UTC, with the time of day as a fraction. The
// same time has the same bits wherever it comes from.
func Day(at time.Time) float64 {
	seconds := at.Unix()
	days := seconds / daySeconds
	if seconds%daySeconds < 0 {
		days--
	}
	return DayOf(days, (seconds-days*daySeconds)*1e9+int64(at.Nanosecond()))
}

// DayOf returns the day number of whole days and nanoseconds of the day.
func DayOf(days, nanoseconds int64) float64 {
	return float64(days) + float64(nanoseconds)/(daySeconds*1e9)
}

const daySeconds = 86400

// TimeOf returns the time of a day number, to the nearest microsecond.
func TimeOf(day float64) time.Time {
	whole := math.Floor(day)
	micros := math.Round((day - whole) * daySeconds * 1e6)
	return time.Unix(int64(whole)*daySeconds, int64(micros)*1000).UTC()
}

// FormatDay writes a day number as an ISO 8601 date, with a time unless it is midnight.
func FormatDay(day float64) string {
	at := TimeOf(day)
	if at.Equal(at.Truncate(24 * time.Hour)) {
		return at.Format(time.DateOnly)
	}
	return at.Format("2006-01-02T15:04:05.999999")
}

// isoLayouts are the forms of ISO 8601 that are read; a fraction of a second may follow the seconds. A time without an
// offset is taken as UTC.
var isoLayouts = []string{
	time.DateOnly, "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04", "2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05Z07", "2006-01", "20060102T150405", "20060102T150405Z07:00",
}

// ISOTime reads an ISO 8601 date or date-time: 2006-01-02, 2006-01-02T15:04, 2006-01-02 15:04:05.25+01:00, 2006-01.
func ISOTime(text string) (time.Time, bool) {
	text = strings.TrimSpace(text)
	const shortest, longest = len("2006-01"), len("2006-01-02T15:04:05.000000000+00:00") + 1
	if len(text) < shortest || len(text) > longest || text[0]-'0' > 9 || text[4]-'0' <= 9 && len(text) < 15 {
		return time.Time{}, false
	}
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + strings.Replace(text[11:], " ", "", 1)
	}
	for _, layout := range isoLayouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// DateFormat is how dates are written, in the language of strptime: %Y-%m-%d. "" is no format.
type DateFormat string

// DateFormatHelp lists what a format is made of.
const DateFormatHelp = "%Y year, %y year of two digits (69 to 99 are 1969 to 1999), %m month, %b or %B its English " +
	"name, %d or %e day, %j day of the year, %H hour, %I hour of 12 with %p, %M minute, %S second, %f its fraction, " +
	"%z offset, %a or %A day of the week, %F for %Y-%m-%d, %T for %H:%M:%S, %% for %"

var longForms = strings.NewReplacer("%F", "%Y-%m-%d", "%T", "%H:%M:%S", "%e", "%d", "%h", "%b", "%D", "%m/%d/%y",
	"%R", "%H:%M")

// Check returns a fault.Usage error for a format that cannot tell a day.
func (f DateFormat) Check() error {
	var has [256]bool
	text := longForms.Replace(string(f))
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		if i++; i == len(text) || !strings.ContainsRune("YymbBdjHIpMSfzaA%", rune(text[i])) {
			return fault.Param("date-format", "made of "+DateFormatHelp, string(f))
		}
		has[text[i]] = true
	}
	year, month := has['Y'] || has['y'], has['m'] || has['b'] || has['B']
	if f != "" && !(year && (has['j'] || month)) {
		return fault.Param("date-format", "a year (%Y) with a month and a day (%m, %d) or a day of the year (%j)",
			string(f))
	}
	return nil
}

// Digits reports whether a date of the format may look like a plain number.
func (f DateFormat) Digits() bool {
	text := longForms.Replace(string(f))
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			if text[i] != '.' && text[i]-'0' > 9 {
				return false
			}
			continue
		}
		if i++; i < len(text) && !strings.ContainsRune("YymdjHIMSf", rune(text[i])) {
			return false
		}
	}
	return f != ""
}

// Time reads a date of the format.
func (f DateFormat) Time(text string) (time.Time, bool) {
	d := dateFields{month: 1, day: 1, rest: strings.TrimSpace(text), zone: time.UTC}
	format := longForms.Replace(string(f))
	for i := 0; i < len(format); i++ {
		ok := true
		switch b := format[i]; {
		case b == '%' && i+1 < len(format):
			i++
			ok = d.take(format[i])
		case b == ' ':
			d.rest = strings.TrimLeft(d.rest, " ")
		default:
			d.rest, ok = strings.CutPrefix(d.rest, string(b))
		}
		if !ok {
			return time.Time{}, false
		}
	}
	if d.rest != "" || f == "" {
		return time.Time{}, false
	}
	return d.time()
}

// dateFields are the parts of a date as they are read.
type dateFields struct {
	rest                             string
	year, month, day, yearDay        int
	hour, minute, second, nanosecond int
	afternoon, half                  bool // %p; half: hours are of 12
	zone                             *time.Location
}

// ranges are the digits that a field has at most, and the least and the greatest number.
var ranges = map[byte][3]int{
	'Y': {4, 1, 9999}, 'y': {2, 0, 99}, 'm': {2, 1, 12}, 'd': {2, 1, 31}, 'j': {3, 1, 366},
	'H': {2, 0, 23}, 'I': {2, 1, 12}, 'M': {2, 0, 59}, 'S': {2, 0, 59},
}

// take reads a field.
func (d *dateFields) take(field byte) bool {
	switch field {
	case '%':
		var ok bool
		d.rest, ok = strings.CutPrefix(d.rest, "%")
		return ok
	case 'b', 'B':
		i, ok := d.name(func(k int) string { return time.Month(k + 1).String() }, 12)
		d.month = i + 1
		return ok
	case 'a', 'A':
		_, ok := d.name(func(k int) string { return time.Weekday(k).String() }, 7)
		return ok
	case 'p':
		i, ok := d.name(func(k int) string { return []string{"AM", "PM"}[k] }, 2)
		d.afternoon = i == 1
		return ok
	case 'z':
		return d.offset()
	case 'f':
		return d.fraction()
	}
	v, ok := d.digits(ranges[field])
	d.set(field, v)
	return ok
}

// set sets a field of digits.
func (d *dateFields) set(field byte, v int) {
	switch field {
	case 'Y':
		d.year = v
	case 'y':
		if d.year = 1900 + v; v < 69 {
			d.year = 2000 + v
		}
	case 'm':
		d.month = v
	case 'd':
		d.day = v
	case 'j':
		d.yearDay = v
	case 'H':
		d.hour = v
	case 'I':
		d.hour, d.half = v%12, true
	case 'M':
		d.minute = v
	case 'S':
		d.second = v
	}
}

func (d *dateFields) digits(r [3]int) (v int, ok bool) {
	n := 0
	for n < len(d.rest) && n < r[0] && d.rest[n]-'0' <= 9 {
		v = 10*v + int(d.rest[n]-'0')
		n++
	}
	d.rest = d.rest[n:]
	return v, n > 0 && v >= r[1] && v <= r[2] && (r[0] != 4 || n == 4)
}

// name reads one of n English names, or its first three letters.
func (d *dateFields) name(of func(int) string, n int) (int, bool) {
	for i := range n {
		for _, name := range []string{of(i), of(i)[:min(3, len(of(i)))]} {
			if len(d.rest) >= len(name) && strings.EqualFold(d.rest[:len(name)], name) {
				d.rest = d.rest[len(name):]
				return i, true
			}
		}
	}
	return 0, false
}

func (d *dateFields) fraction() bool {
	n, scale := 0, int(1e9)
	for ; n < len(d.rest) && d.rest[n]-'0' <= 9; n++ {
		scale /= 10
		d.nanosecond += int(d.rest[n]-'0') * scale
	}
	d.rest = d.rest[n:]
	return n > 0
}

func (d *dateFields) offset() bool {
	for _, layout := range []string{"Z07:00", "Z0700", "Z07"} {
		for n := min(6, len(d.rest)); n > 0; n-- {
			if at, err := time.Parse(layout, d.rest[:n]); err == nil {
				d.zone, d.rest = at.Location(), d.rest[n:]
				return true
			}
		}
	}
	return false
}

// time returns the time of the fields; false for a day that does not exist.
func (d *dateFields) time() (time.Time, bool) {
	if d.half && d.afternoon {
		d.hour += 12
	}
	month, day := d.month, d.day
	if d.yearDay > 0 {
		month, day = 1, d.yearDay
	}
	at := time.Date(d.year, time.Month(month), day, d.hour, d.minute, d.second, d.nanosecond, d.zone)
	exists := at.Year() == d.year && (d.yearDay > 0 || at.Day() == d.day)
	return at, exists
}
