//go:build !unix

package main

import "time"

var start = time.Now()

// processorTime is the wall's time where the process's own is not known.
func processorTime() time.Duration { return time.Since(start) }
