package main

import (
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"rvflplus/fault"
)

// givenFlags spells the flags that were given, of those that keep names, as a shell takes them.
func givenFlags(flags *pflag.FlagSet, keep func(name string) bool) []string {
	var words []string
	flags.Visit(func(f *pflag.Flag) {
		if !keep(f.Name) {
			return
		}
		name, values := flagOf(fault.Name(f.Name)), []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, value := range values {
			switch {
			case f.Value.Type() != "bool":
				words = append(words, name, quoted(value))
			case value == "true":
				words = append(words, name)
			default: // a word after the flag would be an argument
				words = append(words, name+"="+value)
			}
		}
	})
	return words
}

// quoted returns an argument as a shell takes it: BMI (kg/m2) becomes 'BMI (kg/m2)'.
func quoted(value string) string {
	plain := func(r rune) bool { // no shell gives it a meaning
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-+.,:/@%=", r)
	}
	if value != "" && !strings.ContainsFunc(value, func(r rune) bool { return !plain(r) }) {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
