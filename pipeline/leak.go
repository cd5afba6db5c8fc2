package pipeline

import (
	"fmt"
	"math"

	"rvflplus/dataset"
)

// leaks returns a warning for every feature column that equals or determines a
// target: such a column is usually the answer in another form.
func leaks(d *dataset.Data, priv bool) []string {
	var warnings []string
	check := func(columns []int, space string) {
		for _, i := range columns {
			for _, j := range d.Roles.Target {
				if how := relation(&d.Columns[i], &d.Columns[j], d.Rows); how != "" {
					warnings = append(warnings, fmt.Sprintf("%s column %q %s the target %q; if it is the answer in another form, drop it", space, d.Columns[i].Name, how, d.Columns[j].Name))
				}
			}
		}
	}
	check(d.Roles.Normal, "normal")
	if priv {
		check(d.Roles.Priv, "privileged")
	}
	return warnings
}

// constantTargets returns a warning for every target that is the same in all rows.
func constantTargets(d *dataset.Data) []string {
	var warnings []string
	for _, c := range d.Pick(d.Roles.Target) {
		if constant(c, d.Rows) {
			warnings = append(warnings, fmt.Sprintf("target %q is %s in every row", c.Name, c.Text(0)))
		}
	}
	return warnings
}

// relation says how column c gives target y away, or "".
func relation(c, y *dataset.Column, rows int) string {
	switch {
	case rows < 3 || constant(y, rows):
		return ""
	case equal(c, y, rows):
		return "equals"
	case affine(c, y) || function(c, y, rows):
		return "determines"
	}
	return ""
}

func constant(y *dataset.Column, rows int) bool {
	for i := range rows {
		if y.Text(i) != y.Text(0) {
			return false
		}
	}
	return true
}

// equal compares the rows in which c is present.
func equal(c, y *dataset.Column, rows int) bool {
	seen := 0
	for i := range rows {
		if c.Missing(i) {
			continue
		}
		seen++
		if c.Text(i) != y.Text(i) {
			return false
		}
	}
	return seen > 2
}

// function reports whether every value of c goes with one value of y, of which
// there are several. It asks for two rows a value on average: values that hardly
// repeat determine anything.
func function(c, y *dataset.Column, rows int) bool {
	image, targets, present := map[string]string{}, map[string]bool{}, 0
	for i := range rows {
		if c.Missing(i) {
			continue
		}
		present++
		value, target := c.Text(i), y.Text(i)
		if known, seen := image[value]; seen && known != target {
			return false
		}
		image[value], targets[target] = target, true
		if 2*len(image) > rows {
			return false
		}
	}
	return len(targets) > 1 && 2*len(image) <= present
}

// affine reports whether y is a·c + b to rounding, in the rows in which c is
// present.
func affine(c, y *dataset.Column) bool {
	if !c.Numeric() || !y.Numeric() {
		return false
	}
	var n, mc, my, cc, cy, yy float64
	for i, v := range c.Numbers {
		if math.IsNaN(v) {
			continue
		}
		n++
		dc, dy := v-mc, y.Numbers[i]-my
		mc, my = mc+dc/n, my+dy/n
		cc, cy, yy = cc+dc*(v-mc), cy+dc*(y.Numbers[i]-my), yy+dy*(y.Numbers[i]-my)
	}
	return n > 2 && math.Abs(cy)/math.Sqrt(cc*yy) > 1-1e-12 // false when NaN
}
