package prep

import (
	"cmp"

	"rvflplus/fault"
)

// checkIndicator returns a fault.Usage error where missing cells are to be told of and nothing fills them.
func (o Options) checkIndicator() error {
	if o.MissingIndicator && cmp.Or(o.Impute, "none") == "none" {
		return fault.New(fault.Usage, "%s tells which cells were filled, but nothing fills missing cells",
			fault.Name("missing-indicator")).
			WithHint("add %s, median or most-frequent", fault.Set("impute", "mean"))
	}
	return nil
}

// Varies reports whether some feature of the column differs between training rows. A column whose cells are all equal,
// some of them filled, does by its indicator.
func (c *Column) Varies() bool { return !c.Constant || c.Indicator }
