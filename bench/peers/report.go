package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// best is the ratio of the shortest times: how many times as fast we are.
func (r result) best() float64 { return slices.Min(r.theirs) / slices.Min(r.ours) }

// median is the median of the rounds' ratios.
func (r result) median() float64 {
	ratios := make([]float64, len(r.ours))
	for i, t := range r.ours {
		ratios[i] = r.theirs[i] / t
	}
	slices.Sort(ratios)
	n := len(ratios)
	return (ratios[(n-1)/2] + ratios[n/2]) / 2
}

func report(o options, software []string, rows []result, held []memory) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cores; %s, gonum %s, %s. Rounds: %d.\n\n", processor(), runtime.NumCPU(), runtime.Version(),
		gonumVersion(), strings.Join(software, ", "), o.rounds)
	b.WriteString("| work | threads | compared with | ours | theirs | our rate | ratio | median ratio | at least |\n")
	b.WriteString("|---|---:|---|---:|---:|---:|---:|---:|---:|\n")
	off := 0.0
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s | %.2f | %.2f | %s |\n", r.title, r.threads, r.rival.label,
			span(slices.Min(r.ours)), span(slices.Min(r.theirs)), rate(r), r.best(), r.median(), bar(r))
		off = max(off, r.off)
	}
	fmt.Fprintf(&b, "\nThe answers agree to within %.1e of the largest number.\n", off)
	for _, m := range held {
		fmt.Fprintf(&b, "RVFL+ fit, %s: the process held at most %.0f MB, %.0f MB before the fit.\n", m.label,
			m.after/1e6, m.before/1e6)
	}
	return b.String()
}

// bar is what the ratio should reach; a ratio that does not is marked.
func bar(r result) string {
	want := r.rival.bar(r.threads)
	switch {
	case want == 0:
		return ""
	case r.best() < want:
		return fmt.Sprintf("%.1f, missed", want)
	}
	return fmt.Sprintf("%.1f", want)
}

func rate(r result) string {
	if r.flops == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f GFLOP/s", r.flops/slices.Min(r.ours)/1e9)
}

// span writes a time for people.
func span(seconds float64) string {
	switch {
	case seconds < 0.9995e-3:
		return fmt.Sprintf("%.3g µs", seconds*1e6)
	case seconds < 0.9995:
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.3g s", seconds)
}

// title puts the size into a task's title, with commas between thousands.
func title(format string, size int) string {
	digits := fmt.Sprint(size)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return strings.Replace(format, "%d", digits, 1)
}

func gonumVersion() string {
	info, _ := debug.ReadBuildInfo()
	for _, d := range info.Deps {
		if d.Path == "gonum.org/v1/gonum" {
			return d.Version
		}
	}
	return ""
}

func processor() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if name, found := strings.CutPrefix(lines.Text(), "model name"); found {
			return strings.TrimLeft(name, "\t :")
		}
	}
	return runtime.GOARCH
}
