package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rvflplus/fault"
	"rvflplus/internal/param"
)

// flagValue is the value of a flag that judges its text when the command line is parsed. It implements pflag.Value.
type flagValue struct {
	kind string // "number", "word": what --help calls the value
	set  func(text string) error
	text func() string // "" if --help shows no default
}

func (v *flagValue) Set(text string) error { return v.set(text) }
func (v *flagValue) String() string        { return v.text() }
func (v *flagValue) Type() string          { return v.kind }

// positiveFlag registers a finite number > 0.
func positiveFlag(f *pflag.FlagSet, dst *float64, name, usage string) {
	ok := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	numberFlag(f, dst, name, "number", "a finite number > 0", ok, usage)
}

// shareFlag registers a number between 0 and 1, both excluded.
func shareFlag(f *pflag.FlagSet, dst *float64, name, usage string) {
	numberFlag(f, dst, name, "share", "a number > 0 and < 1", func(x float64) bool { return x > 0 && x < 1 }, usage)
}

// thresholdFlag registers the number from which on the second of two classes is predicted; *dst stays nil without one.
func thresholdFlag(f *pflag.FlagSet, dst **float64) {
	set := func(text string) error {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || strings.ContainsAny(text, "_xX") {
			return fault.Param("threshold", "a finite number", strconv.Quote(text))
		}
		*dst = &x
		return nil
	}
	none := func() string { return "" }
	f.Var(&flagValue{"number", set, none}, "threshold", "predict the second of two classes where its probability "+
		"(its score, if the model has no probabilities) is at least this (default: the class of the larger score)")
}

func numberFlag(f *pflag.FlagSet, dst *float64, name, kind, accepted string, ok func(float64) bool, usage string) {
	set := func(text string) error {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !ok(x) || strings.ContainsAny(text, "_xX") {
			return fault.Param(name, accepted, strconv.Quote(text))
		}
		*dst = x
		return nil
	}
	f.Var(&flagValue{kind, set, func() string { return param.FormatNumber(*dst) }}, name, usage)
}

// wholeFlag registers a whole number from least to most.
func wholeFlag(f *pflag.FlagSet, dst *int, name string, least, most int, usage string) {
	set := func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			return fault.Param(name, fmt.Sprintf("a whole number from %d to %d", least, most), strconv.Quote(text))
		}
		*dst = n
		return nil
	}
	f.Var(&flagValue{"int", set, func() string { return strconv.Itoa(*dst) }}, name, usage)
}

// wordFlag registers one of some words.
func wordFlag(f *pflag.FlagSet, dst *string, name string, words []string, usage string) {
	set := func(text string) error {
		if !slices.Contains(words, text) {
			err := fault.Param(name, "one of "+strings.Join(words, ", "), strconv.Quote(text))
			if _, isNumber := strconv.Atoi(text); name == "folds" && isNumber == nil {
				return err.WithHint("--cv %s gives the number of folds; --folds says how rows are dealt to them", text)
			}
			return err
		}
		*dst = text
		return nil
	}
	f.Var(&flagValue{"word", set, func() string { return *dst }}, name, usage)
}

// completeWords makes the shell complete the values of a flag that is registered already.
func completeWords(c *cobra.Command, name string, words []string) {
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
