package param

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"rvflplus/fault"
)

func TestDescriptionsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	d := Default()
	for _, p := range All() {
		a := p.About()
		if a.Name == "" || a.Doc == "" || a.Type == "" || a.Want == "" || seen[a.Name] {
			t.Errorf("%+v is not whole, or its name occurs twice", a)
		}
		seen[a.Name] = true
		if ByName(a.Name) != p {
			t.Errorf("%s is not found by its name", a.Name)
		}
		if err := p.Check(&d); err != nil {
			t.Errorf("the default of %s: %v", a.Name, err)
		}
		if (a.Type == "word") != (a.Words != nil) {
			t.Errorf("%s of type %s has words %v", a.Name, a.Type, a.Words)
		}
		if r := a.Tuned; r != (Range{}) && !(0 < r.Low && r.Low < r.High) {
			t.Errorf("%s is tuned over %v", a.Name, r)
		}
	}
	if ByName("none") != nil {
		t.Error("a parameter that there is not was found")
	}
}

// A text that a parameter writes is one that it reads, by flags as in JSON.
func TestTextsRoundTrip(t *testing.T) {
	texts := map[string][]string{
		"number": {"0.5", "3e-07"}, "int": {"1", "70"}, "bool": {"true", "false"},
		"uint64": {"0", "18446744073709551615"},
		"kernel": {"rbf", "rbf:width=2+poly:degree=3", "linear",
			"rbf:width=1,relevance=1/0/1e+07", "rbf:width=relevance+linear"}, "weights": {"balanced", "a=2,b=0.5"},
	}
	for _, p := range All() {
		a := p.About()
		values := texts[a.Type]
		if a.Words != nil {
			values = a.Words
		}
		if a.Name == "degree" {
			values = []string{"2", "5"}
		}
		for _, text := range values {
			c := Default()
			c.Kernel = c.Kernel.With("width", 1)
			switch a.Name { // kernels that have the parameter
			case "width", "priv-width":
				c = Default()
			case "degree", "offset":
				mustSet(t, Kernel, &c, "poly")
			case "dilation", "frequency":
				mustSet(t, Kernel, &c, "wavelet")
			}
			c.Task = map[string]string{"center": "regression", "encoding": "classification"}[a.Name]
			mustSet(t, p, &c, text)
			if got := p.Text(&c); got != text {
				t.Errorf("%s: %q is written as %q", a.Name, text, got)
			}
			v := p.JSON(&c)
			if v == nil || (a.Type == "kernel" && len(c.Kernel) == 1) {
				continue // false of what is off unless given, and parameters beside the name of a kernel
			}
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			again := c
			if err := p.SetText(&again, JSONText(data)); err != nil || p.Text(&again) != text {
				t.Errorf("%s: %s is read as %q (%v)", a.Name, data, p.Text(&again), err)
			}
		}
	}
}

func mustSet(t *testing.T, p Param, c *Config, text string) {
	t.Helper()
	if err := p.SetText(c, text); err != nil {
		t.Fatalf("%s: %v", p.About().Name, err)
	}
}

// Every parameter refuses what is outside its range, as text and as a value.
func TestValuesOutsideTheRange(t *testing.T) {
	for name, texts := range map[string][]string{
		"C": {"0", "-1", "NaN", "inf", "x", "1_0", "0x1"}, "epsilon": {"-1", "NaN"},
		"hidden":     {"0", "1.5", "9999999999"},
		"activation": {"", "x"}, "kernel": {"", "x", "rbf:width=0"}, "width": {"0", "x"}, "degree": {"1.5", "0"},
		"class-weight": {"", "a", "a=0", "a=1,a=2"}, "linear": {"x"}, "seed": {"-1"}, "correction": {"none"},
		"tol": {"0"},
	} {
		for _, text := range texts {
			c := Default()
			if err := ByName(name).SetText(&c, text); err == nil {
				t.Errorf("%s takes %q", name, text)
			}
		}
	}
	for name, change := range map[string]func(*Config){
		"C": func(c *Config) { c.C = 0 }, "gamma": func(c *Config) { c.Gamma = math.NaN() },
		"u":      func(c *Config) { c.U = math.Inf(1) },
		"hidden": func(c *Config) { c.Hidden = 0 }, "priv-hidden": func(c *Config) { c.PrivHidden = -1 },
		"epsilon": func(c *Config) { c.Epsilon = -1 }, "tol": func(c *Config) { c.Tol = -1 },
		"scale":  func(c *Config) { c.Scale = "" },
		"kernel": func(c *Config) { c.Kernel[0].Name = "x" }, "class-weight": func(c *Config) { c.ClassWeight = "a" },
	} {
		c := Default()
		c.Kernel = append(c.Kernel[:0:0], c.Kernel...)
		change(&c)
		if err := ByName(name).Check(&c); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A parameter of kernels reaches those that have it and whose text does not give it; a
// width is that of one space.
func TestParametersOfKernels(t *testing.T) {
	for _, c := range []struct {
		given        map[string]string
		normal, priv string
	}{
		{map[string]string{"width": "2"}, "rbf:width=2", "rbf"},
		{map[string]string{"kernel": "rbf:width=3", "width": "2"}, "rbf:width=3", "rbf:width=3"},
		{map[string]string{"kernel": "poly+rbf", "degree": "2", "width": "5", "priv-width": "7"},
			"poly:degree=2+rbf:width=5", "poly:degree=2+rbf:width=7"},
		{map[string]string{"kernel": "poly", "priv-kernel": "laplacian", "degree": "2", "priv-width": "1"},
			"poly:degree=2", "laplacian:width=1"},
		{map[string]string{"priv-width": "auto"}, "rbf", "rbf:width=auto"},
		{map[string]string{"width": "relevance"}, "rbf:width=relevance", "rbf"},
		{map[string]string{"priv-width": "relevance", "width": "2"}, "rbf:width=2", "rbf:width=relevance"},
		{map[string]string{"kernel": "rbf:relevance=1/0", "width": "2"}, "rbf:width=2,relevance=1/0", "rbf"},
	} {
		config := Default()
		err := SetAll(&config, func(p Param) (string, bool) { text, is := c.given[p.About().Name]; return text, is })
		if err != nil || config.Kernel.String() != c.normal || config.PrivKernel.String() != c.priv {
			t.Errorf("%v: %s and %s, want %s and %s (%v)", c.given, config.Kernel, config.PrivKernel, c.normal, c.priv,
				err)
		}
	}
	for _, p := range []Param{Width, PrivWidth} {
		c := Default()
		mustSet(t, p, &c, "relevance")
		if text, v := p.Text(&c), p.JSON(&c); text != "relevance" || v != "relevance" || !math.IsNaN(p.Number(&c)) {
			t.Errorf("%s: text %q, JSON %v, number %v", p.About().Name, text, v, p.Number(&c))
		}
	}
	if d := Default(); d.Kernel.String() != "rbf" || d.PrivKernel != nil {
		t.Errorf("setting parameters changed the default: %s, %s", d.Kernel, d.PrivKernel)
	}
}

func TestWithChangesACopy(t *testing.T) {
	c := With(func(c *Config) { c.C = 7 })
	if c.C != 7 || Default().C != 1 || c.Gamma != Default().Gamma {
		t.Errorf("%+v", c)
	}
}

// What a program changes in a default stays its own.
func TestDefaultsAreTheCallers(t *testing.T) {
	Default().Kernel[0].Name = "linear"
	Kernel.Default()[0].Name = "linear"
	if d := Default(); d.Kernel[0].Name != "rbf" {
		t.Errorf("the default kernel became %s", d.Kernel)
	}
}
