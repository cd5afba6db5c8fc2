package lead

import (
	"cmp"
	"strings"
	"time"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// layouts are the forms of ISO 8601 that are read as times; a fraction of a second may follow the seconds. A time
// without an offset is taken as UTC.
var layouts = []string{
	"2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z07:00", "2006-01-02T15:04", "2006-01-02T15:04Z07:00",
	"2006-01", "20060102T150405", "20060102T150405Z07:00",
}

// Times returns a function that compares the times of two rows. A cell that is missing or no time is a fault.Data
// error.
func Times(c *dataset.Column) (compare func(a, b int) int, err error) {
	if i := c.FirstMissing(); i >= 0 {
		return nil, c.MissingError(i, "give the row its time, or remove it")
	}
	if c.Numeric() {
		return func(a, b int) int { return cmp.Compare(c.Numbers[a], c.Numbers[b]) }, nil
	}
	at := make([]time.Time, len(c.Levels))
	known := make([]bool, len(c.Levels))
	for i, code := range c.Codes {
		if known[code] {
			continue
		}
		if at[code], known[code] = parseTime(c.Levels[code]); !known[code] {
			return nil, fault.New(fault.Data, "%s: %q is not a time", c.Place(i), c.Text(i)).
				WithHint("write numbers, or dates and times as 2006-01-02, 2006-01-02T15:04:05 or 2006-01-02 15:04")
		}
	}
	return func(a, b int) int { return at[c.Codes[a]].Compare(at[c.Codes[b]]) }, nil
}

func parseTime(text string) (at time.Time, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for _, layout := range layouts {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
