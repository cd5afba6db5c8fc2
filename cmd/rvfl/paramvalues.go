package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/kernel"
)

// settings holds the texts of the parameters that were given, and of the kind under "kind".
type settings map[string]string

// config returns the defaults with the given parameters.
func (s settings) config() (param.Config, error) {
	c := param.Default()
	c.Kind = s["kind"]
	return c, param.SetAll(&c, func(p param.Param) (string, bool) {
		text, given := s[p.About().Name]
		return text, given
	})
}

// setJSON sets the parameters that a JSON object of settings gives and fixed does not hold.
func (s settings) setJSON(fields map[string]json.RawMessage, fixed func(name string) bool) error {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		name := strings.ReplaceAll(key, "_", "-")
		p := param.ByName(name)
		if p == nil && name != "kind" {
			return fault.New(fault.Usage, "there is no setting %q", key)
		}
		if fixed(name) {
			continue
		}
		if err := s.set(name, param.JSONText(fields[key])); err != nil {
			var known *fault.Error
			if errors.As(err, &known) {
				return known
			}
			return fault.New(fault.Usage, "%s: %w", key, err)
		}
	}
	return nil
}

// set keeps a text that the parameter accepts.
func (s settings) set(name, text string) error {
	var err error
	if name == "kind" {
		_, err = kind.ByName(text)
		if err != nil {
			err = fault.Param("kind", "one of "+strings.Join(kind.Names(), ", "), fmt.Sprintf("%q", text))
		}
	} else {
		scratch := param.Default()
		err = param.ByName(name).SetText(&scratch, text)
	}
	if err == nil {
		s[name] = text
	}
	return err
}

// settingsOf finds the settings in a JSON object: itself, or the "config" of an answer
// of train, of a trial, or of the best trial of tune.
func settingsOf(data []byte) (fields map[string]json.RawMessage, err error) {
	for _, inside := range []string{"best", "config", ""} {
		fields = nil
		if err := json.Unmarshal(data, &fields); err != nil {
			return nil, err
		}
		if fields == nil {
			return nil, errors.New("null")
		}
		if fields[inside] != nil {
			data = fields[inside]
		}
	}
	return fields, nil
}

// paramValue is the flag of a parameter.
type paramValue struct {
	about  *param.About
	values settings
}

// Set implements pflag.Value: the text is judged when it is parsed.
func (v *paramValue) Set(text string) error { return v.values.set(v.about.Name, text) }

// String implements pflag.Value.
func (v *paramValue) String() string {
	if v.about == nil {
		return ""
	}
	if text, given := v.values[v.about.Name]; given {
		return text
	}
	return v.about.Default
}

// Type implements pflag.Value.
func (v *paramValue) Type() string { return v.about.Type }

// IsBoolFlag lets a flag stand for true.
func (v *paramValue) IsBoolFlag() bool { return v.about.Type == "bool" }

// modelFlags are the kind and its hyper-parameters.
type modelFlags struct {
	given settings
	path  string // --config
}

var kindAbout = &param.About{Name: "kind", Short: "m", Type: "word", Doc: "what to train (default: rvfl+ with privileged columns, else rvfl)"}

// add registers the flags of the kind and of all parameters.
func (m *modelFlags) add(c *cobra.Command) {
	about := *kindAbout
	about.Words = kind.Names()
	m.addFlag(c, &about)
	m.addParams(c, param.All()...)
	c.Flags().StringVar(&m.path, "config", "", "JSON file of these flags (underscores for dashes); flags on the command line win")
}

// addParams registers the flags of some parameters.
func (m *modelFlags) addParams(c *cobra.Command, params ...param.Param) {
	for _, p := range params {
		m.addFlag(c, p.About())
	}
}

func (m *modelFlags) addFlag(c *cobra.Command, about *param.About) {
	if m.given == nil {
		m.given = settings{}
	}
	usage, words := about.Usage(), about.Words
	if about.Type == "kernel" {
		usage, words = about.Doc+": "+strings.Join(kernel.Names(), ", "), kernel.Names()
	}
	f := c.Flags().VarPF(&paramValue{about, m.given}, about.Name, about.Short, usage)
	if about.Type == "bool" {
		f.NoOptDefVal = "true"
	}
	if words != nil {
		// The name was registered on the lines above, so this cannot fail.
		_ = c.RegisterFlagCompletionFunc(about.Name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// resolve returns the config that the flags and --config spell; hasPriv chooses
// the default kind. Flags that do not apply to the kind are noted.
func (m *modelFlags) resolve(a *app, f *pflag.FlagSet, hasPriv bool) (param.Config, error) {
	if m.path != "" {
		fields, err := m.file()
		if err != nil {
			return param.Config{}, err
		}
		if err := m.given.setJSON(fields, f.Changed); err != nil {
			return param.Config{}, fault.New(fault.Usage, "%s %s: %w", fault.Name("config"), m.path, err).WithHint("%s", fault.HintText(err))
		}
	}
	c, err := m.given.config()
	if err != nil {
		return c, err
	}
	if c.Kind == "" {
		c.Kind = kind.DefaultName(hasPriv)
	}
	complete, k, err := kind.Complete(c)
	if err != nil {
		return c, err
	}
	if err := k.Validate(complete); err != nil {
		return c, err
	}
	f.Visit(func(flag *pflag.Flag) {
		if p := param.ByName(flag.Name); p != nil && !k.Takes(p) {
			a.note(fmt.Sprintf("--%s does not apply to kind %s and is not used", flag.Name, k.Name))
		}
	})
	if f.Changed("allow-missing-privileged") && !k.Privileged {
		a.note(fmt.Sprintf("--allow-missing-privileged does not apply to kind %s and is not used", k.Name))
	}
	if c.Solver == "pinv" && f.Changed("C") {
		a.note("--C does not apply to --solver pinv, which has no regularisation, and is not used")
	}
	return c, nil
}

// file reads the settings of --config: the "config" of rvfl train --json, or a whole
// answer of train or tune.
func (m *modelFlags) file() (map[string]json.RawMessage, error) {
	data, err := os.ReadFile(m.path)
	if err != nil {
		return nil, fault.New(fault.Usage, "%s: %w", fault.Name("config"), err)
	}
	fields, err := settingsOf(data)
	if err != nil {
		return nil, fault.New(fault.Usage, "%s %s: not a JSON object", fault.Name("config"), m.path).
			WithHint(`write a JSON object such as {"kind": "krvfl+", "C": 10}`)
	}
	return fields, nil
}

// inFlags words parameters as the command's flags.
var inFlags = fault.Speller{
	Name:    flagOf,
	Setting: func(s fault.Setting) string { return flagOf(s.Name) + " " + s.Value },
}

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

// words returns texts as the command says them.
func spelled(texts []fault.Text) []string {
	var out []string
	for _, t := range texts {
		out = append(out, t.Spell(inFlags))
	}
	return out
}
