package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
	"rvflplus/kernel"
)

// modelFlags are the flags of the kind and of its hyper-parameters.
type modelFlags struct {
	given settings
	path  string         // of the file of --config
	data  *pflag.FlagSet // the flags of the data, which the file may hold too
	kinds []string       // that a list in -m names, where the verb takes one
	lists bool           // the verb takes a list of kinds
}

// add registers the flags of the kind, of all hyper-parameters and of --config.
func (m *modelFlags) add(c *cobra.Command) {
	m.addFlag(c, &param.About{
		Name: "kind", Short: "m", Type: "word", Words: append([]string{kind.Auto}, kind.Names()...),
		Doc: "what to train (default auto: a stack of methods that leave-one-out chooses)",
	})
	m.addParams(c, param.All()...)
	c.Flags().StringVar(&m.path, "config", "",
		"JSON file of the kind, its hyper-parameters and the roles of columns, by the names of their flags "+
			"(underscores for dashes); flags on the command line win")
}

// addParams registers the flags of some hyper-parameters.
func (m *modelFlags) addParams(c *cobra.Command, params ...param.Param) {
	for _, p := range params {
		m.addFlag(c, p.About())
	}
}

func (m *modelFlags) addFlag(c *cobra.Command, about *param.About) {
	if m.given == nil {
		m.given = settings{}
	}
	set := func(text string) error {
		if about.Name == "kind" && m.lists && (text == kind.Auto || strings.Contains(text, ",")) {
			return m.setKinds(text)
		}
		return m.given.set(about.Name, text)
	}
	text := func() string {
		if text, given := m.given[about.Name]; given {
			return text
		}
		return about.Default
	}
	usage, words := about.Usage(), about.Words
	if about.Type == "kernel" {
		usage, words = about.Doc+": "+strings.Join(kernel.Names(), ", "), kernel.Names()
	}
	f := c.Flags().VarPF(&flagValue{about.Type, set, text}, about.Name, about.Short, usage)
	f.NoOptDefVal = about.Alone // --linear means --linear=true
	if words != nil {
		completeWords(c, about.Name, words)
	}
}

// setKinds reads a list of kinds; auto stands for the kinds that learn from the columns at hand.
func (m *modelFlags) setKinds(text string) error {
	delete(m.given, "kind")
	m.kinds = []string{kind.Auto}
	if text == kind.Auto {
		return nil
	}
	m.kinds = strings.Split(text, ",")
	for _, name := range m.kinds {
		if _, err := kind.ByName(name); err != nil {
			all := strings.Join(kind.Names(), ", ")
			return fault.Param("kind", "auto, or a comma list of "+all, strconv.Quote(name))
		}
	}
	return nil
}

// resolve returns the config that the flags and --config, which has been read, spell, and its kind. Without -m, or with
// -m auto, the kind depends on hasPriv (are there privileged columns?), on tune (does training choose
// hyper-parameters?) and on the parameters that are given.
func (m *modelFlags) resolve(a *app, f *pflag.FlagSet, hasPriv, tune bool) (param.Config, kind.Kind, error) {
	c, err := m.given.config()
	if err != nil {
		return c, kind.Kind{}, err
	}
	if c.Kind == "" || c.Kind == kind.Auto {
		k, base := kind.ForAuto(m.given.parameters(), hasPriv, tune)
		c.Kind = k.Name
		if _, given := m.given[param.Base.About().Name]; base != "" && !given {
			c.Base = base
		}
	} else if c.Kind == "stack" && !hasPriv {
		return c, kind.Kind{}, fault.New(fault.Usage, "a stack of one member: without privileged columns nothing "+
			"stands beside the averaged KRVFL").
			WithHint("name privileged columns with -p, or use %s", fault.Set("kind", "averaged"))
	}
	complete, k, err := kind.Complete(c)
	if err != nil {
		return c, k, err
	}
	if err := k.Validate(complete); err != nil {
		return c, k, err
	}
	if tune {
		c.Free = k.FreeOf(m.given.parameters(), complete)
	}
	a.noteUnused(f, c, k)
	return c, k, nil
}

// noteUnused names the flags that were given and do not apply to the kind.
func (a *app) noteUnused(f *pflag.FlagSet, c param.Config, k kind.Kind) {
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
}

// kindsFor lists the kinds that a list in -m names, or that auto stands for. Without a list it is k where k chooses its
// settings itself, else none.
func (m *modelFlags) kindsFor(k kind.Kind) []string {
	switch {
	case len(m.kinds) == 0 && len(k.Chosen) > 0:
		return []string{k.Name}
	case len(m.kinds) != 1 || m.kinds[0] != kind.Auto:
		return m.kinds
	case k.Privileged:
		return []string{"krvfl", "krvfl+", "rvfl", "rvfl+", "stack"}
	}
	return []string{"krvfl", "rvfl", "averaged"}
}

// withoutKind returns the config that the flags and a public data set spell, for a verb that chooses the kind itself.
func (m *modelFlags) withoutKind(d *dataFlags, path string) (param.Config, error) {
	config, err := m.given.config()
	if err != nil {
		return config, err
	}
	entry, err := publicDataSet(path)
	if err != nil {
		return config, err
	}
	if config.Task == "" {
		config.Task = d.task(entry)
	}
	config.AllowMissingPriv = d.allowMissing
	return config, nil
}
