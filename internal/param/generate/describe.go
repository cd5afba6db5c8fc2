package main

import (
	"fmt"
	"slices"
	"strings"

	"rvflplus/internal/kind"
	"rvflplus/internal/param"
)

// field is the field of a parameter in Config.
type field struct {
	*param.About
	param    param.Param
	name     string // the field's name, as in param.Config
	goType   string
	literal  string // the default as Go writes it
	standsIn bool   // the default is the type's zero value, which stands for what Doc tells
}

// fieldOf returns the field of p; parameters of kernels, which stand in the text of a kernel, have none.
func fieldOf(p param.Param) (f field, has bool) {
	f = field{About: p.About(), param: p}
	for _, word := range strings.Split(f.Name, "-") {
		if word == "svm" {
			word = "SVM"
		}
		f.name += strings.ToUpper(word[:1]) + word[1:]
	}
	switch p := p.(type) {
	case *param.Of[float64]:
		f.goType, f.literal = "float64", param.FormatNumber(p.Default())
		f.standsIn = p.Default() == 0 && f.Default == ""
	case *param.Of[int]:
		f.goType, f.literal, f.standsIn = "int", fmt.Sprint(p.Default()), p.Default() == 0
	case *param.Of[uint64]:
		f.goType, f.literal = "uint64", fmt.Sprint(p.Default())
	case *param.Of[bool]:
		f.goType, f.literal = "bool", fmt.Sprint(p.Default())
	case *param.Of[string]:
		f.goType, f.literal, f.standsIn = "string", fmt.Sprintf("%q", p.Default()), p.Default() == ""
	default:
		switch {
		case f.Type == "kernel" && f.Default == "":
			f.goType, f.literal, f.standsIn = "kernel.Spec", "nil", true
		case f.Type == "kernel":
			f.goType, f.literal = "kernel.Spec", fmt.Sprintf("kernel.Must(%q)", f.Default)
		case f.Type == "word": // a type of package learn
			f.goType, f.literal = "learn."+f.name, fmt.Sprintf("%q", f.Default)
		default:
			return f, false
		}
	}
	return f, true
}

// told reports whether Doc tells the default, which the type's zero value stands for.
func (f field) told() bool { return f.standsIn && strings.Contains(f.Doc, "(default") }

// defaultText words the default.
func (f field) defaultText() string {
	switch {
	case !f.standsIn && f.Type == "kernel":
		return f.Default
	case !f.standsIn:
		return f.literal
	}
	return f.literal + ", none"
}

// kindsOf lists the kinds that have a parameter, "all kinds" if every one has it.
func kindsOf(p param.Param) string {
	var names []string
	for _, k := range kind.All() {
		if k.Has(p) {
			names = append(names, k.Name)
		}
	}
	if len(names) == len(kind.All()) {
		return "all kinds"
	}
	return strings.Join(names, ", ")
}

// tunedOver words the ranges that searches vary a parameter over, with their kinds where there are several ranges; ""
// if no search varies it.
func tunedOver(p param.Param) string {
	var ranges []string
	kinds := map[string][]string{}
	for _, k := range kind.All() {
		for _, t := range k.Tuned {
			if t.Param != p {
				continue
			}
			text := param.FormatNumber(t.Low) + " to " + param.FormatNumber(t.High)
			switch {
			case t.OfTarget:
				text += " times the targets' standard deviation"
			case p.About().Type == "number" && strings.HasSuffix(p.About().Name, "width"):
				text += " times the automatic width"
			}
			if !slices.Contains(ranges, text) {
				ranges = append(ranges, text)
			}
			kinds[text] = append(kinds[text], k.Name)
		}
	}
	if len(ranges) == 1 {
		return ranges[0]
	}
	for i, text := range ranges {
		ranges[i] = text + " (" + strings.Join(kinds[text], ", ") + ")"
	}
	return strings.Join(ranges, "; ")
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
