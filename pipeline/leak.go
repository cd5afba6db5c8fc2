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

func equal(c, y *dataset.Column, rows int) bool {
	for i := range rows {
		if c.Text(i) != y.Text(i) {
			return false
		}
	}
	return true
}

// function reports whether every value of c goes with one value of y. It asks for
// two rows a value on average: values that hardly repeat determine anything.
func function(c, y *dataset.Column, rows int) bool {
	image := map[string]string{}
	for i := range rows {
		if c.Missing(i) {
			continue
		}
		value, target := c.Text(i), y.Text(i)
		if known, seen := image[value]; seen && known != target {
			return false
		}
		image[value] = target
		if 2*len(image) > rows {
			return false
		}
	}
	return len(image) > 1
}

// affine reports whether y is a·c + b to rounding.
func affine(c, y *dataset.Column) bool {
	if !c.Numeric() || !y.Numeric() {
		return false
	}
	n := float64(len(c.Numbers))
	var mc, my, cc, cy, yy float64
	for i, v := range c.Numbers {
		mc, my = mc+v/n, my+y.Numbers[i]/n
	}
	for i, v := range c.Numbers {
		a, b := v-mc, y.Numbers[i]-my
		cc, cy, yy = cc+a*a, cy+a*b, yy+b*b
	}
	r := math.Abs(cy) / math.Sqrt(cc*yy)
	return r > 1-1e-12 // false when NaN
}
