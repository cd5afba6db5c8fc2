package roles

import (
	"slices"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/noise"
)

// CleanSuffix is what WithNoise adds to the name of a column without noise.
const CleanSuffix = "_clean"

// WithNoise returns a table whose numeric normal columns carry noise. Behind all other columns, each normal column is
// there a second time without noise, called NAME_clean and privileged. Noise is added to the cells as read, before any
// scaling; categories get none, missing cells stay missing. The noise of a column depends on the seed and its name
// alone. Other columns keep their roles.
//
// In the paper's section on noise every feature is a normal one and the noise has 10 dBW.
func (d *Data) WithNoise(w noise.White) (*Data, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	out := *d
	out.Table = &dataset.Table{Rows: d.Rows, Columns: slices.Clone(d.Columns)}
	out.Roles.Priv = slices.Clone(d.Roles.Priv)
	noisy := 0
	for _, i := range d.Roles.Normal {
		clean := d.Columns[i]
		clean.Name += CleanSuffix
		if d.Find(clean.Name) != nil {
			return nil, fault.New(fault.Usage, "column %q is in the table already", clean.Name).WithHint("rename it")
		}
		out.Roles.Priv = append(out.Roles.Priv, len(out.Columns))
		out.Columns = append(out.Columns, clean)
		if clean.Numeric() {
			noisy++
			c := &out.Columns[i]
			c.Numbers = make([]float64, d.Rows)
			w.AddTo(c.Numbers, clean.Numbers, c.Name)
		}
	}
	if noisy == 0 {
		return nil, fault.New(fault.Usage, "there is no numeric normal column to add noise to")
	}
	return &out, nil
}
