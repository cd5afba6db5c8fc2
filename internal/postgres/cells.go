package postgres

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
)

// class is how the cells of a type are read.
type class int

const (
	unread       class = iota // as text only, where a caller asks for a column as text
	number                    // a number in text
	float8                    // binary, like the following
	int2                      //
	int4                      //
	int8                      //
	text                      // categories
	padded                    // categories, with blanks up to a fixed length
	date                      // binary, like the following
	timestamp                 //
	timestampUTC              //
)

// classes are the types by their numbers in pg_type, which are the same everywhere. Types of extensions and enums get
// their numbers when they are created: see lookUp.
var classes = map[uint32]class{
	701: float8, 21: int2, 23: int4, 20: int8,
	700: number, 1700: number, // real as its shortest decimal, as in a CSV file; numeric has no other exact form
	25: text, 1043: text, 19: text, 18: text, 16: text, // text, varchar, name, "char", boolean as t and f
	1042: padded,
	1082: date, 1114: timestamp, 1184: timestampUTC,
}

// Formats of a column on the wire.
const (
	textFormat   = 0
	binaryFormat = 1
)

// isNumber reports whether the cells are numbers.
func (c class) isNumber() bool { return c >= number && c <= int8 }

// format returns the form in which the server is to send cells that are read as as says. Categories and texts are the
// cells as PostgreSQL writes them, so numbers are sent as text where a caller wants texts.
func (c class) format(as dataset.ReadAs) int16 {
	asText := as == dataset.Text || as == dataset.Categorical || as&dataset.WithText != 0
	if c >= date || c >= float8 && c <= int8 && !asText {
		return binaryFormat
	}
	return textFormat
}

// problem is why a cell cannot be read, and what to do.
type problem struct{ what, hint string }

func (p *problem) at(c *dataset.Column, row int) error {
	return fault.New(fault.Data, "%s: %s", c.Place(row), p.what).WithHint("%s", p.hint)
}

// numberOf reads a number that is not NULL. NaN is a missing cell, as in the files that PostgreSQL writes.
func (c class) numberOf(raw []byte, format int16) (float64, *problem) {
	if format == textFormat {
		return parseNumber(raw)
	}
	switch {
	case c == float8 && len(raw) == 8:
		v := math.Float64frombits(binary.BigEndian.Uint64(raw))
		if math.IsInf(v, 0) {
			return 0, notFinite(celltext.FormatNumber(v))
		}
		return v, nil
	case c == int4 && len(raw) == 4:
		return float64(int32(binary.BigEndian.Uint32(raw))), nil
	case c == int2 && len(raw) == 2:
		return float64(int16(binary.BigEndian.Uint16(raw))), nil
	case c == int8 && len(raw) == 8:
		whole := int64(binary.BigEndian.Uint64(raw))
		v := float64(whole)
		if v >= 1<<63 || int64(v) != whole {
			return 0, &problem{fmt.Sprintf("%d has no exact float64", whole),
				"integers beyond 2^53 would be rounded: cast an identifier to text, a quantity to float8"}
		}
		return v, nil
	}
	return 0, &problem{fmt.Sprintf("%d bytes are no number", len(raw)), "cast the column, as in COLUMN::float8"}
}

func parseNumber(raw []byte) (float64, *problem) {
	v, kind := celltext.Parse(string(raw))
	switch kind {
	case celltext.NotFinite:
		return 0, notFinite(shortened(string(raw)))
	case celltext.Word:
		return 0, &problem{fmt.Sprintf("%q is not a number", shortened(string(raw))), "cast the column to float8"}
	}
	return v, nil
}

func notFinite(cell string) *problem {
	return &problem{cell + " is not a finite number, or beyond the largest that is read, 1.8e308",
		"make it NULL in the query, as in NULLIF(COLUMN, 'Infinity'), or leave the row out"}
}

// shortened is a cell as it stands in a message.
func shortened(cell string) string {
	const most = 40
	if r := []rune(cell); len(r) > most {
		return string(r[:most]) + fmt.Sprintf("… (%d characters)", len(r))
	}
	return cell
}

const maxCell = 1 << 20

// textOf reads a text that is not NULL: a category, a date, or a cell as PostgreSQL writes it. The result may be part
// of a buffer that the next row overwrites.
func (c class) textOf(raw []byte) ([]byte, *problem) {
	switch {
	case c >= date:
		return c.isoDate(raw)
	case len(raw) > maxCell:
		return nil, &problem{fmt.Sprintf("a cell of %d bytes, at most %d are read", len(raw), maxCell),
			"leave the column out of the query"}
	case !utf8.Valid(raw):
		return nil, &problem{"the cell is not UTF-8 text", "convert the column, as in convert_from(COLUMN, 'LATIN1')"}
	case c == padded:
		return []byte(strings.TrimRight(string(raw), " ")), nil
	}
	return raw, nil
}

// isoDate writes a date, or a date with a time, as ISO 8601 does: so dates go to package dataset.
func (c class) isoDate(raw []byte) ([]byte, *problem) {
	at, problem := c.timeOf(raw)
	if problem != nil {
		return nil, problem
	}
	layout := map[class]string{
		date: time.DateOnly, timestamp: "2006-01-02T15:04:05.999999", timestampUTC: "2006-01-02T15:04:05.999999Z",
	}[c]
	return at.AppendFormat(nil, layout), nil
}

// timeOf reads a date, or a date with a time. PostgreSQL counts days or microseconds from 2000; the largest and the
// smallest count are infinity.
func (c class) timeOf(raw []byte) (time.Time, *problem) {
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	infinite := false
	switch {
	case c == date && len(raw) == 4:
		days := int32(binary.BigEndian.Uint32(raw))
		infinite = days == math.MaxInt32 || days == math.MinInt32
		at = at.AddDate(0, 0, int(days))
	case c != date && len(raw) == 8:
		micros := int64(binary.BigEndian.Uint64(raw))
		infinite = micros == math.MaxInt64 || micros == math.MinInt64
		const day = 24 * 60 * 60 * 1_000_000 // years beyond the reach of time.Duration need whole days first
		at = at.AddDate(0, 0, int(micros/day)).Add(time.Duration(micros%day) * time.Microsecond)
	default:
		return at, &problem{fmt.Sprintf("%d bytes are no date", len(raw)), "cast the column, as in COLUMN::text"}
	}
	if year := at.Year(); infinite || year < 1 || year > 9999 {
		return at, &problem{"the date is infinite, or not in the years 1 to 9999",
			"make it NULL in the query, as in NULLIF(COLUMN, 'infinity'), or leave the row out"}
	}
	return at, nil
}

// castHint names a cast that makes a column readable.
func castHint(c *column) string {
	name := quoted(c.name)
	switch {
	case c.typeName == "interval" || strings.HasPrefix(c.typeName, "time"):
		return "cast it in the query, as in EXTRACT(EPOCH FROM " + name + ")"
	case c.typeName == "money":
		return "cast it in the query, as in " + name + "::numeric"
	case strings.HasSuffix(c.typeName, "[]"):
		return "take elements in the query, as in " + name + "[1]"
	case strings.HasPrefix(c.typeName, "json"):
		return "take values in the query, as in (" + name + "->>'key')::float8"
	}
	return "cast it in the query, as in " + name + "::text"
}
