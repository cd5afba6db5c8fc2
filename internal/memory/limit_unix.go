//go:build unix

package memory

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// addressSpace returns the bytes that the limit on the process's address space leaves. Go
// maps address space ahead of need, so a share is held back.
func addressSpace() float64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur > math.MaxInt64/2 {
		return math.Inf(1)
	}
	const reserve = 0.8
	return max(0, reserve*(float64(limit.Cur)-mapped()))
}

// mapped returns the address space in use, where /proc tells.
func mapped() float64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseFloat(strings.SplitN(string(data), " ", 2)[0], 64)
	if err != nil {
		return 0
	}
	return pages * float64(os.Getpagesize())
}
