package lead

import (
	"cmp"
	"time"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/celltext"
)

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
		if at[code], known[code] = celltext.ISOTime(c.Levels[code]); !known[code] {
			return nil, fault.New(fault.Data, "%s: %q is not a time", c.Place(i), c.Text(i)).
				WithHint("write numbers, or dates and times as 2006-01-02, 2006-01-02T15:04:05 or 2006-01-02 15:04")
		}
	}
	return func(a, b int) int { return at[c.Codes[a]].Compare(at[c.Codes[b]]) }, nil
}
