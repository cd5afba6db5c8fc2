// Command rvfl trains, uses and inspects models that learn with privileged information. See rvfl help.
package main

import (
	"context"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"rvflplus/internal/atomicfile"
	"rvflplus/internal/memory"
)

func main() { os.Exit(run()) }

// grace is how long work may take to notice an interrupt.
const grace = 800 * time.Millisecond

// endings are the signals that end work, except those that the starter of the process wants ignored: nohup, for
// example, makes it ignore SIGHUP.
func endings() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

// run executes the command line and returns the exit code. The first interrupt cancels the context. If the work has not
// ended within grace, the process ends all the same: files are renamed into place only when they are complete.
func run() int {
	// A matrix may take most of the memory: the garbage collector works harder before it runs out. GOMEMLIMIT, if set,
	// is left alone.
	if free := memory.Available(); debug.SetMemoryLimit(-1) == math.MaxInt64 && free < math.MaxInt64 {
		debug.SetMemoryLimit(int64(0.95 * free))
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	done := make(chan int, 1)
	go func() { done <- newApp(os.Stdout, os.Stderr).execute(ctx, os.Args[1:]) }()
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	select {
	case code := <-done:
		return code
	case <-time.After(grace):
		atomicfile.RemoveTemporary()
		late := newApp(os.Stdout, os.Stderr)
		late.json = wantsJSON(os.Args[1:])
		return late.report(context.Canceled)
	}
}
