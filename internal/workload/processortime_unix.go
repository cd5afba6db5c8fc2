//go:build unix

package workload

import (
	"syscall"
	"time"
)

// ProcessorTime is what this process has used so far, on all threads.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
