//go:build !unix

package workload

import "time"

var start = time.Now()

// ProcessorTime is the wall's time where the process's own is not known.
func ProcessorTime() time.Duration { return time.Since(start) }
