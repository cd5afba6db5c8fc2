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
func (r *runner) about(e *Experiment) Run {
	return Run{
		Seed: r.Seed, Trials: r.asked(e), Draws: r.Draws, Quick: r.Quick, Shard: r.Shard.String(), Version: r.Version,
		Machine: machine(),
	}
}

// maker names the program and the machine.
func (r *Run) maker() string { return strings.Trim(r.Version+"; "+r.Machine, "; ") }

// noteMaker notes the program and machine that filled a cell, if they are not this run's.
func (r *Run) noteMaker(maker string) {
	if maker != "" && maker != r.maker() && !slices.Contains(r.Kept, maker) {
		r.Kept = append(r.Kept, maker)
	}
}

// machine describes the machine that this runs on.
func machine() string {
	threads := plural(runtime.GOMAXPROCS(0), "thread")
	return fmt.Sprintf("%s, %s, %s/%s, %s", processor(), threads, runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// processor returns the processor's name, where Linux tells it.
func processor() string {
	const unknown = "unknown processor"
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return unknown
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, found := strings.Cut(s.Text(), ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return unknown
}
