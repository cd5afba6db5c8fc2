package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rvflplus/fault"
	"rvflplus/internal/pipeline"
	"rvflplus/kernel"
)

// The values below judge a flag's text when it is parsed, so that --gamma 0 is an
// error although 0 in a config means the default.

// floatValue is a finite number > 0.
type floatValue struct {
	dst  *float64
	name string
}

func (v *floatValue) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) || strings.ContainsAny(text, "_xX") {
		return fault.Param(v.name, "a finite number > 0", strconv.Quote(text))
	}
	*v.dst = x
	return nil
}

func (v *floatValue) String() string {
	if v.dst == nil {
		return ""
	}
	return strconv.FormatFloat(*v.dst, 'g', -1, 64)
}

func (*floatValue) Type() string { return "number" }

// epsilonValue is a finite number >= 0; nil means the default.
type epsilonValue struct{ dst **float64 }

func (v *epsilonValue) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) || strings.ContainsAny(text, "_xX") {
		return fault.Param("epsilon", "a finite number >= 0", strconv.Quote(text))
	}
	*v.dst = new(x + 0) // -0 becomes 0
	return nil
}

func (v *epsilonValue) String() string {
	if v.dst == nil || *v.dst == nil {
		return ""
	}
	return strconv.FormatFloat(**v.dst, 'g', -1, 64)
}

func (*epsilonValue) Type() string { return "number" }

// classWeightValue is a weight for each class, or "balanced".
type classWeightValue struct{ dst *string }

func (v *classWeightValue) Set(text string) error {
	if text == "" {
		return fault.New(fault.Usage, "--class-weight is empty").WithHint("write balanced, or weights by class such as yes=5,no=1")
	}
	if err := pipeline.CheckClassWeight(text); err != nil {
		return err
	}
	*v.dst = text
	return nil
}

func (v *classWeightValue) String() string {
	if v.dst == nil {
		return ""
	}
	return *v.dst
}

func (*classWeightValue) Type() string { return "weights" }

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

// kernelParam is the text of a kernel parameter.
type kernelParam struct {
	dst         *string
	name, param string
}

func (v *kernelParam) Set(text string) error {
	if err := kernel.CheckParam(v.param, text); err != nil {
		return fault.New(fault.Usage, "%s", strings.Replace(err.Error(), v.param, v.name, 1))
	}
	*v.dst = text
	return nil
}

func (v *kernelParam) String() string {
	if v.dst == nil {
		return ""
	}
	return *v.dst
}

func (*kernelParam) Type() string { return "number" }

// kernelText is a kernel or a sum of kernels.
type kernelText struct{ dst *string }

func (v *kernelText) Set(text string) error {
	if text == "" {
		return fault.New(fault.Usage, "the kernel is empty")
	}
	if _, err := kernel.Parse(text); err != nil {
		return err
	}
	*v.dst = text
	return nil
}

func (v *kernelText) String() string {
	if v.dst == nil {
		return ""
	}
	return *v.dst
}

func (*kernelText) Type() string { return "kernel" }
