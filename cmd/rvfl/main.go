// Command rvfl trains, uses and inspects models that learn with privileged
// information. See rvfl help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() { os.Exit(run()) }

// run executes the command line and returns the exit code. The first interrupt
// cancels the context; if the work has not noticed within grace, the process ends
// all the same (files are only ever renamed into place when complete).
func run() int {
	const grace = 900 * time.Millisecond
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() {
		time.Sleep(grace)
		os.Stderr.WriteString("error: interrupted\n")
		os.Exit(codeInterrupted)
	})
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	return a.execute(ctx, os.Args[1:])
}
