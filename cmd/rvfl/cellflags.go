package main

import (
	"github.com/spf13/pflag"

	"rvflplus/dataset"
	"rvflplus/internal/celltext"
)

// cellFlags say how texts become numbers, dates and missing cells.
type cellFlags struct {
	cells   dataset.Cells
	markers string // the texts of missing cells, as they were given
}

func (c *cellFlags) add(f *pflag.FlagSet) {
	c.addMissing(f)
	f.StringVar(&c.cells.Decimal, "decimal", "",
		`what stands before decimals in text files: "," or "." (default: the cells of a column tell)`)
	f.StringVar(&c.cells.DateFormat, "date-format", "",
		"how dates are written, beside ISO 8601: %d.%m.%Y, %m/%d/%Y, … (the language of strptime, docs/tables.md)")
}

// addMissing registers the flag of missing cells alone.
func (c *cellFlags) addMissing(f *pflag.FlagSet) {
	set := func(list string) error {
		c.markers, c.cells.Missing = list, celltext.ParseMarkers(list)
		return nil
	}
	f.Var(&flagValue{"list", set, func() string { return c.markers }}, "na",
		"texts of missing cells, separated by commas, in the place of the usual ones: "+celltext.UsualMarkers)
}
