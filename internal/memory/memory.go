// Package memory tells, before a large allocation, whether it can succeed.
package memory

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"

	"rvflplus/fault"
)

// negligible is the number of bytes up to which asking the system is not worth its time.
const negligible = 1 << 20

// Check returns a fault.Resource error when bytes more would not fit. The purpose says what the memory is for; the
// hint, a format with operands, says what would need less. Before Check refuses, it frees memory that is not used any
// more, such as an earlier model's matrix.
func Check(bytes float64, purpose, hint string, operands ...any) error {
	if bytes < negligible || bytes <= Available() {
		return nil
	}
	debug.FreeOSMemory()
	free := Available()
	if bytes <= free {
		return nil
	}
	return fault.New(fault.Resource, "%s needs %s of memory, %s are available",
		purpose, Text(bytes), Text(free)).WithHint(hint, operands...)
}

// Available estimates how many bytes can still be taken: the least of the bytes that the system, the control group, the
// limit on the address space (ulimit -v) and Go's memory limit (GOMEMLIMIT) leave. It is +Inf where no limit is known.
func Available() float64 {
	free := min(system(), group("/sys/fs/cgroup"), addressSpace())
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		free = min(free, max(0, float64(limit)-inUse()))
	}
	return free
}

// system reads what Linux calls MemAvailable.
func system() float64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return math.Inf(1)
	}
	return memAvailable(data)
}

func memAvailable(meminfo []byte) float64 {
	lines := bufio.NewScanner(bytes.NewReader(meminfo))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) >= 2 && fields[0] == "MemAvailable:" {
			if kib, err := strconv.ParseFloat(fields[1], 64); err == nil {
				return kib * 1024
			}
		}
	}
	return math.Inf(1)
}

// group returns the bytes that the control group mounted at dir leaves.
func group(dir string) float64 {
	limit, errLimit := readNumber(dir + "/memory.max")
	used, errUsed := readNumber(dir + "/memory.current")
	if errLimit != nil || errUsed != nil {
		return math.Inf(1)
	}
	return max(0, limit-used)
}

func readNumber(path string) (float64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(data)), 64)
}

// inUse returns the heap bytes that are live or not yet collected.
func inUse() float64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return float64(sample[0].Value.Uint64())
}

// Text writes a number of bytes for people: "1.5 GB".
func Text(bytes float64) string {
	unit := 0
	for bytes >= 999.5 && unit < 4 {
		bytes /= 1000
		unit++
	}
	return strconv.FormatFloat(bytes, 'g', 3, 64) + []string{" bytes", " kB", " MB", " GB", " TB"}[unit]
}
