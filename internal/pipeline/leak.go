package pipeline

import (
	"math"

	"rvflplus/dataset"
	"rvflplus/fault"
	"rvflplus/internal/roles"
)

// leaks returns a warning for every feature column that equals or determines a
// target: such a column is usually the answer in another form.
func leaks(d *roles.Data, priv bool) []fault.Text {
	var warnings []fault.Text
	var targets []numbering
	for _, c := range d.Pick(d.Roles.Target) {
		targets = append(targets, number(c, d.Rows, d.Rows))
	}
	check := func(columns []int, space string) {
		for _, i := range columns {
			values := number(&d.Columns[i], d.Rows, d.Rows/2)
			for k, j := range d.Roles.Target {
				if how := relation(&d.Columns[i], &d.Columns[j], values, targets[k]); how != "" {
					warnings = append(warnings,
						fault.Textf("%s column %q %s the target %q; if it is the answer in another form, drop it",
							space, d.Columns[i].Name, how, d.Columns[j].Name))
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
func constantTargets(d *roles.Data) []fault.Text {
	var warnings []fault.Text
	for _, c := range d.Pick(d.Roles.Target) {
		if constant(c, d.Rows) {
			warnings = append(warnings, fault.Textf("target %q is %s in every row", c.Name, c.Text(0)))
		}
	}
	return warnings
}

// relation says how column c gives target y away, or "".
func relation(c, y *dataset.Column, values, targets numbering) string {
	rows := len(values.of)
	switch {
	case rows < 3 || constant(y, rows):
		return ""
	case equal(c, y, rows):
		return "equals"
	case affine(c, y) || function(values, targets):
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

// numbering gives equal values of a column equal numbers from 1 on, 0 where it has none;
// it ends once there are more than asked for.
type numbering struct {
	of       []int
	distinct int
}

func number(c *dataset.Column, rows, most int) numbering {
	if c.Numeric() && c.Texts == nil {
		return numberBy(c, rows, most, func(i int) float64 { return c.Numbers[i] })
	}
	return numberBy(c, rows, most, c.Text)
}

func numberBy[T comparable](c *dataset.Column, rows, most int, value func(i int) T) numbering {
	known, n := map[T]int{}, numbering{of: make([]int, rows)}
	for i := 0; i < rows && n.distinct <= most; i++ {
		if c.Missing(i) {
			continue
		}
		v := value(i)
		if known[v] == 0 {
			n.distinct++
			known[v] = n.distinct
		}
		n.of[i] = known[v]
	}
	return n
}

// function reports whether every value of c goes with one value of y, of which
// there are several. It asks for two rows a value on average: values that hardly
// repeat determine anything.
func function(c, y numbering) bool {
	present, several := 0, false
	if 2*c.distinct > len(c.of) {
		return false
	}
	image, seen, first := make([]int, c.distinct+1), make([]bool, c.distinct+1), -1
	for i, v := range c.of {
		if v == 0 {
			continue
		}
		present++
		target := y.of[i]
		if seen[v] && image[v] != target {
			return false
		}
		image[v], seen[v] = target, true
		if first < 0 {
			first = target
		}
		several = several || target != first
	}
	return several && 2*c.distinct <= present
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
