package repro

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// about says how the results come about.
func (r *runner) about() Run {
	return Run{Seed: r.Seed, Trials: r.Trials, Draws: r.Draws, Quick: r.Quick, Version: r.Version, Machine: machine()}
}

// by names the program and the machine.
func (r *Run) by() string { return strings.Trim(r.Version+"; "+r.Machine, "; ") }

// from notes what filled a cell, if it was not this run's program and machine.
func (r *Run) from(by string) {
	if by != "" && by != r.by() && !slices.Contains(r.Kept, by) {
		r.Kept = append(r.Kept, by)
	}
}

// by notes what filled the cell or a part of it.
func (k *kept) by(now string) {
	if k.Version != "" && k.Version != now && !slices.Contains(k.Earlier, k.Version) {
		k.Earlier = append(k.Earlier, k.Version)
	}
	k.Version = now
}

// machine describes what this runs on.
func machine() string {
	return fmt.Sprintf("%s, %s, %s/%s, %s", processor(), plural(runtime.GOMAXPROCS(0), "thread"), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// processor returns the name that Linux tells.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, found := strings.Cut(s.Text(), ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
