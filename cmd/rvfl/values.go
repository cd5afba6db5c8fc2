package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/param"

	"github.com/spf13/cobra"
)

// The values below judge a flag's text when it is parsed.

// positiveValue is a finite number > 0.
type positiveValue struct {
	dst  *float64
	name string
}

func (v *positiveValue) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) || strings.ContainsAny(text, "_xX") {
		return fault.Param(v.name, "a finite number > 0", strconv.Quote(text))
	}
	*v.dst = x
	return nil
}

func (v *positiveValue) String() string {
	if v.dst == nil {
		return ""
	}
	return param.FormatNumber(*v.dst)
}

func (*positiveValue) Type() string { return "number" }

// shareValue is a number between 0 and 1, both excluded.
type shareValue struct {
	dst  *float64
	name string
}

func (v *shareValue) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x < 1) || strings.ContainsAny(text, "_xX") {
		return fault.Param(v.name, "a number > 0 and < 1", strconv.Quote(text))
	}
	*v.dst = x
	return nil
}

func (v *shareValue) String() string {
	if v.dst == nil || *v.dst == 0 {
		return ""
	}
	return strconv.FormatFloat(*v.dst, 'g', -1, 64)
}

func (*shareValue) Type() string { return "share" }

// intValue is a whole number from min to max.
type intValue struct {
	dst      *int
	name     string
	min, max int
}

func (v *intValue) Set(text string) error {
	x, err := strconv.Atoi(text)
	if err != nil || x < v.min || x > v.max {
		return fault.Param(v.name, fmt.Sprintf("a whole number from %d to %d", v.min, v.max), strconv.Quote(text))
	}
	*v.dst = x
	return nil
}

func (v *intValue) String() string {
	if v.dst == nil || *v.dst == 0 {
		return ""
	}
	return strconv.Itoa(*v.dst)
}

func (*intValue) Type() string { return "int" }

// choiceValue is one of some words.
type choiceValue struct {
	dst   *string
	name  string
	words []string
}

func (v *choiceValue) Set(text string) error {
	if !slices.Contains(v.words, text) {
		return fault.Param(v.name, "one of "+strings.Join(v.words, ", "), strconv.Quote(text))
	}
	*v.dst = text
	return nil
}

func (v *choiceValue) String() string {
	if v.dst == nil {
		return ""
	}
	return *v.dst
}

func (*choiceValue) Type() string { return "word" }

// choice registers the flag of one of some words.
func choice(c *cobra.Command, dst *string, name, short string, words []string, usage string) {
	c.Flags().VarP(&choiceValue{dst, name, words}, name, short, usage+": "+strings.Join(words, ", "))
	// The name was registered on the line above, so this cannot fail.
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
