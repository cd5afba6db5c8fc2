package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// givenFlags spells the flags that were given, of those that keep names, as a shell takes them.
func givenFlags(flags *pflag.FlagSet, keep func(name string) bool) []string {
	var words []string
	flags.Visit(func(f *pflag.Flag) {
		if !keep(f.Name) {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		if f.Value.Type() == "bool" && f.Value.String() == "true" {
			words = append(words, name)
			return
		}
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = several.GetSlice()
		}
		for _, value := range values {
			words = append(words, name, quoted(value))
		}
	})
	return words
}

// quoted returns an argument as a shell takes it.
func quoted(value string) string {
	// The characters to which no shell gives a meaning.
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789,.:/_@+-"
	if value != "" && strings.Trim(value, plain) == "" {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
