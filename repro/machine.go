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

// from notes the version of the program that filled a cell.
func (r *Run) from(version string) {
	if version != "" && version != r.Version && !slices.Contains(r.Kept, version) {
		r.Kept = append(r.Kept, version)
	}
}

// machine describes what this runs on.
func machine() string {
	return fmt.Sprintf("%s, %d threads, %s/%s, %s", processor(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version())
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
