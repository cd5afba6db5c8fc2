package dataset

import (
	"math"

	"rvflplus/fault"
	"rvflplus/internal/celltext"
)

// uses tells what the separators of a column do: by the character, 1 + the first level that shows the use, or 0.
type uses struct {
	decimal, group, ambiguous [256]int
	long                      int // more than three digits before the decimals and no separator of thousands
}

func (f *form) uses() (u uses) {
	note := func(at *int, is bool, k int) {
		if is && *at == 0 {
			*at = k + 1
		}
	}
	for _, k := range f.numbers {
		w := f.written[k]
		note(&u.decimal[w.Decimal], w.Decimal != 0, k)
		note(&u.group[w.Group], w.Group != 0, k)
		note(&u.ambiguous[w.Ambiguous], w.Ambiguous != 0, k)
		note(&u.long, w.Long, k)
	}
	return u
}

// separators completes the reading with the decimal sign and the separator of thousands.
func (f *form) separators(r *Reading) (*Reading, error) {
	u := f.uses()
	decimal, thousands := f.decimalSign(&u), byte(',')
	if decimal == ',' {
		thousands, r.Decimal = '.', ","
	}
	if f.Decimal == "" {
		if err := f.refuseDoubt(r, decimal, &u); err != nil {
			return nil, err
		}
	}
	shown := u.decimal['.'] + u.decimal[','] + u.group['.'] + u.group[','] + u.ambiguous['.'] + u.ambiguous[',']
	r.Open = f.Decimal == "" && shown == 0 && !r.bare()
	for _, sign := range []byte{thousands, ' ', '\''} {
		if u.group[sign] > 0 || sign == thousands && u.ambiguous[sign] > 0 && u.group[' ']+u.group['\''] == 0 {
			r.Group = string(sign)
		}
	}
	if r.Plain() {
		return r, nil
	}
	for _, k := range f.numbers {
		if _, ok := r.Parse(f.Levels[k]); !ok {
			return nil, f.notAlike(r, k, f.otherThan(k, r))
		}
	}
	return r, nil
}

// otherThan returns a level that has the reading, or, if there is none, another than k.
func (f *form) otherThan(k int, r *Reading) int {
	other := k
	for _, j := range f.numbers {
		if _, ok := r.Parse(f.Levels[j]); ok {
			return j
		}
		if j != k {
			other = j
		}
	}
	return other
}

// decimalSign returns what probably stands before decimals.
func (f *form) decimalSign(u *uses) byte {
	switch {
	case f.Decimal != "":
		return f.Decimal[0]
	case u.decimal[','] > 0 || u.group['.'] > 0:
		return ','
	case u.decimal['.'] > 0 || u.group[','] > 0:
		return '.'
	case u.ambiguous[','] > 0 && f.commas:
		return ','
	}
	return '.'
}

// example is a cell to show, if there is one.
type example struct {
	text string
	row  int
	is   bool
}

// level returns the example of a level that is given as uses do.
func (f *form) level(use int) example {
	if use == 0 {
		return example{}
	}
	return example{f.Levels[use-1], f.first[use-1], true}
}

// refuseDoubt is the error where the separators may mean more than one thing: two cells show it.
func (f *form) refuseDoubt(r *Reading, decimal byte, u *uses) error {
	comma := decimal == ','
	thousands := u.group[','] > 0 || u.decimal['.'] > 0 // commas surely separate thousands
	point, long := f.plainExamples()
	first := f.level(f.numbers[0] + 1)
	for _, doubt := range []struct {
		may  bool
		a, b example
	}{
		{true, f.level(u.decimal[',']), f.level(u.decimal['.'])},
		{true, f.level(u.group[',']), f.level(u.decimal[','])},
		{true, f.level(u.group['.']), f.level(u.decimal['.'])},
		{comma, point, first},
		{comma && !f.commas, f.level(u.ambiguous[',']), f.level(u.decimal[','])}, // 1,234 beside 1,5
		{comma && u.group['.'] == 0, f.level(u.ambiguous['.']), first},           // 1.234 beside 1,5
		{comma && u.group['.'] > 0 && u.decimal[','] == 0, f.level(u.ambiguous['.']), f.level(u.group['.'])},
		{!comma && !thousands, f.level(u.ambiguous[',']), f.level(u.long)}, // 1,234 beside 5678
		{!comma && !thousands, f.level(u.ambiguous[',']), long},
		{!comma && u.decimal['.'] == 0, f.level(u.ambiguous['.']), f.level(u.ambiguous[','])},
		{!comma && u.decimal['.'] == 0 && r.money(), f.level(u.ambiguous['.']), first}, // 1.234 €
	} {
		if doubt.may && doubt.a.is && doubt.b.is {
			return f.inDoubt(doubt.a, doubt.b)
		}
	}
	return nil
}

// inDoubt is the error for two cells of which it is not clear what their separators mean, or for one.
func (f *form) inDoubt(a, b example) error {
	const message = "it is not clear what stands before decimals and what between thousands"
	e := fault.New(fault.Data, "%s: %q beside %q %s: "+message, f.Place(a.row), celltext.Abbreviate(a.text),
		celltext.Abbreviate(b.text), f.on(b.row))
	if a == b {
		e = fault.New(fault.Data, "%s: %q: "+message, f.Place(a.row), celltext.Abbreviate(a.text))
	}
	return e.WithHint("say what stands before decimals: %s or %s; or use %s if the column holds categories",
		fault.Set("decimal", ","), fault.Set("decimal", "."), fault.Set("categorical", f.Name))
}

// plainExamples returns a plain number with a decimal point, and one with more than three digits before the point,
// where their texts are not known.
func (w *wording) plainExamples() (point, long example) {
	if w.texts {
		return point, long
	}
	for i, v := range w.Numbers {
		if v != math.Trunc(v) && isNumber(v) && !point.is {
			point = example{celltext.FormatNumber(v), i, true}
		}
		if math.Abs(v) >= 1000 && !long.is {
			long = example{celltext.FormatNumber(v), i, true}
		}
	}
	if !point.is && w.Shapes&celltext.Pointed != 0 { // 1.000, whose number does not tell
		point = example{celltext.FormatNumber(w.Numbers[w.firstPlain]), w.firstPlain, true}
	}
	return point, long
}

func (r *Reading) money() bool { return celltext.IsCurrency(r.Prefix) || celltext.IsCurrency(r.Suffix) }
