package main

import (
	"fmt"
	"strings"
	"unicode"

	"rvflplus/fault"
)

// inFlags words the parameters in messages of the library as flags: C as --C, impute=mean as --impute mean.
var inFlags = fault.Speller{
	Name:    flagOf,
	Setting: settingFlag,
}

// settingFlag returns the flag with its value; that of a switch stands behind an equals sign.
func settingFlag(s fault.Setting) string {
	if s.Value == "true" || s.Value == "false" {
		return flagOf(s.Name) + "=" + s.Value
	}
	return flagOf(s.Name) + " " + quoted(printable(s.Value))
}

// flagOf returns the flag that sets a parameter; flags with one letter are the better known ones.
func flagOf(name fault.Name) string {
	switch name {
	case "target":
		return "-y"
	case "privileged":
		return "-p"
	case "kind":
		return "-m"
	case "output":
		return "-o"
	}
	return "--" + string(name)
}

// worded words several messages as the command says them; the result is never nil.
func worded(texts []fault.Text) []string {
	out := []string{}
	for _, t := range texts {
		out = append(out, t.Spell(inFlags))
	}
	return out
}

// printable replaces control characters, which names in a file may contain and which a terminal would obey.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// count writes a number and a noun: "1 row", "2 rows", "3 classes".
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
