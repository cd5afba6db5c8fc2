package param

import (
	"maps"
	"math"
	"slices"
	"strings"

	"rvflplus/fault"
	"rvflplus/kernel"
	"rvflplus/learn"
)

// kernelSpec describes a kernel or a sum of kernels.
func kernelSpec(about About, def kernel.Spec, field func(*Config) *kernel.Spec) *Of[kernel.Spec] {
	about.Type, about.Want = "kernel", "a sum of "+strings.Join(kernel.Names(), ", ")
	if def != nil {
		about.Default = def.String()
	}
	return &Of[kernel.Spec]{
		about: about, field: field, def: def, clone: slices.Clone[kernel.Spec],
		check: kernel.Spec.Validate,
		parse: func(text string) (kernel.Spec, error) {
			if text == "" {
				return nil, fault.New(fault.Usage, "the kernel is empty")
			}
			return kernel.Parse(text)
		},
		text: func(s kernel.Spec) string {
			if s == nil {
				return ""
			}
			return s.String()
		},
	}
}

// kernelJSON writes a kernel: by its name where the parameters stand beside it under keys
// of their own, else with its parameters.
type kernelJSON struct{ *Of[kernel.Spec] }

// JSON implements Param.
func (p kernelJSON) JSON(c *Config) any {
	switch {
	case p.field(c) == &c.Kernel && len(c.Kernel) == 1:
		return withoutOwnKeys(c.Kernel[0])
	case p.field(c) == &c.PrivKernel && c.PrivKernel == nil:
		return nil
	case p.field(c) == &c.ProjectKernel && (c.ProjectKernel == nil || c.Correction != learn.Projected):
		return nil
	case p.field(c) == &c.PrivKernel && c.privSharesParameters():
		return withoutOwnKeys(c.PrivKernel[0])
	}
	return p.field(c).String()
}

// withoutOwnKeys returns the text of a kernel without the parameters that stand beside it.
func withoutOwnKeys(t kernel.Term) string {
	t.Params = maps.Clone(t.Params)
	for _, p := range []*kernelNumber{Width, Degree, Offset, Dilation, Frequency} {
		delete(t.Params, p.key)
	}
	return kernel.Spec{t}.String()
}

// privSharesParameters reports whether the parameters of the privileged kernel, its width
// aside, can be read from those of the normal one: both are single kernels, and what both
// have is equal.
func (c *Config) privSharesParameters() bool {
	if len(c.PrivKernel) != 1 {
		return false
	}
	var normal map[string]float64
	if len(c.Kernel) == 1 {
		normal = c.Kernel[0].Params
	}
	own := c.PrivKernel[0]
	for key, v := range own.Params {
		if w, has := normal[key]; key != "width" && (!has || w != v) {
			return false
		}
	}
	for key := range normal {
		if _, given := own.Params[key]; key != "width" && own.Has(key) && !given {
			return false // it would be read from the normal kernel
		}
	}
	return true
}

// kernelNumber is a parameter of kernels: of both, but for the widths, which are of one.
type kernelNumber struct {
	about About
	key   string // in the kernel's text
	priv  bool   // of the privileged kernel alone
}

func ofKernel(about About, key string, priv bool) *kernelNumber {
	about.Type = "number"
	return &kernelNumber{about, key, priv}
}

// About implements Param.
func (p *kernelNumber) About() *About { return &p.about }

// Reset implements Param: the kernels are reset themselves.
func (p *kernelNumber) Reset(*Config) {}

// Text implements Param; a width that the data decide is "".
func (p *kernelNumber) Text(c *Config) string {
	switch v := p.JSON(c).(type) {
	case float64:
		return FormatNumber(v)
	case string:
		return v
	}
	return ""
}

// SetText implements Param: a parameter that the text of a kernel gives already stays.
func (p *kernelNumber) SetText(c *Config, text string) error {
	v, err := kernel.ParseParam(p.key, text)
	if err != nil {
		return fault.New(fault.Usage, "%s", strings.Replace(err.Error(), p.key, p.about.Name, 1))
	}
	c.PrivKernel = c.PrivKernel.Or(c.Kernel)
	if p.priv {
		c.PrivKernel = c.PrivKernel.With(p.key, v)
		return nil
	}
	c.Kernel = c.Kernel.With(p.key, v)
	if p.key != "width" {
		c.PrivKernel = c.PrivKernel.With(p.key, v)
	}
	return nil
}

// Check implements Param; the kernels themselves are judged.
func (p *kernelNumber) Check(*Config) error { return nil }

// JSON implements Param: nil for sums of kernels, whose parameters stand in their text.
func (p *kernelNumber) JSON(c *Config) any {
	switch v := p.value(c); {
	case v == kernel.Learned:
		return "relevance"
	case v == v && v != kernel.Auto:
		return v
	}
	return nil
}

// Number implements Param.
func (p *kernelNumber) Number(c *Config) float64 {
	if v, is := p.JSON(c).(float64); is {
		return v
	}
	return math.NaN()
}

// value returns what the config gives, and NaN for nothing and for sums.
func (p *kernelNumber) value(c *Config) float64 {
	of := c.Kernel
	if p.priv {
		if of = c.PrivKernel; !c.privSharesParameters() {
			return math.NaN()
		}
	}
	if len(of) != 1 {
		return math.NaN()
	}
	if v, given := of[0].Params[p.key]; given {
		return v
	}
	return math.NaN()
}
