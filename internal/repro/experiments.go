package repro

import (
	"slices"
	"strings"

	"rvflplus/dataset"
	"rvflplus/fault"
)

// Experiments returns the tables and figures, in the paper's order. They are the
// caller's to change.
func Experiments() []*Experiment {
	return []*Experiment{
		table1(), figure2(), figure3a(), figure3b(), table2(),
		table3(), table4(), table5(), table6(), table7(), table8(),
	}
}

// Names lists the experiments.
func Names() []string {
	var names []string
	for _, e := range Experiments() {
		names = append(names, e.Name)
	}
	return names
}

// Find returns the experiments that names name, "all" for all. An unknown name is a
// fault.Usage error.
func Find(names ...string) ([]*Experiment, error) {
	var found []*Experiment
	for _, name := range names {
		if name == "all" {
			return Experiments(), nil
		}
		i := slices.Index(Names(), name)
		if i < 0 {
			return nil, unknown("table or figure", name, append(Names(), "all"))
		}
		found = append(found, Experiments()[i])
	}
	return found, nil
}

func unknown(what, name string, known []string) error {
	wrong := fault.New(fault.Usage, "there is no %s %q", what, name)
	if near := dataset.Nearest(name, known); near != "" {
		return wrong.WithHint("did you mean %q? There are: %s", near, strings.Join(known, "; "))
	}
	return wrong.WithHint("there are: %s", strings.Join(known, "; "))
}
