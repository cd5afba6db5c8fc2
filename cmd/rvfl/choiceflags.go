package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"rvflplus/fault"
	"rvflplus/internal/kind"
	"rvflplus/internal/param"
)

// choiceFlags say how training chooses settings.
type choiceFlags struct {
	single bool
	budget time.Duration
}

// add registers the flags; choose is set to whether training chooses at all.
func (o *choiceFlags) add(f *pflag.FlagSet, choose *bool) {
	f.BoolVar(choose, "tune", true,
		"choose what no flag gives, of C, gamma, widths, u, lambda and power; --tune=false takes documented constants")
	f.BoolVar(&o.single, "single", false,
		"keep the simplest method within one standard error of the best, instead of the stack")
	f.DurationVar(&o.budget, "budget", 0,
		"try no further setting after this time, such as 30s (default: the settings are a fixed number)")
}

// check refuses a negative --budget, and notes flags of the choice that there is no use for.
func (o *choiceFlags) check(a *app, k kind.Kind, config param.Config) error {
	if o.budget < 0 {
		return fault.Param("budget", "a time from 0s, such as 30s", o.budget.String())
	}
	if o.single && k.Name != "stack" {
		a.note(fmt.Sprintf("--single does not apply to kind %s and is not used", k.Name))
	}
	if o.budget > 0 && len(config.Free) == 0 {
		a.note("--budget is not used: no setting is left to choose")
	}
	return nil
}
