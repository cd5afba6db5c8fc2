package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// program is a running process that answers requests.
type program struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *json.Decoder
}

// start starts a program on the given number of threads.
func start(ctx context.Context, name, python string, threads int) (*program, error) {
	cmd, err := command(ctx, name, python)
	if err != nil {
		return nil, err
	}
	n := strconv.Itoa(threads)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+n, "OPENBLAS_NUM_THREADS="+n, "OMP_NUM_THREADS="+n)
	cmd.Stderr = os.Stderr
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
		return nil, fmt.Errorf("%s: %w (-python names the Python)", name, err)
	}
	return &program{name, cmd, in, json.NewDecoder(out)}, nil
}

func command(ctx context.Context, name, python string) (*exec.Cmd, error) {
	if name == numpy {
		return exec.CommandContext(ctx, python, "-c", pythonWorker), nil
	}
	self, err := os.Executable()
	if name == peak {
		name = ours
	}
	return exec.CommandContext(ctx, self, "-serve", name), err
}

func (p *program) ask(q request) (response, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return response{}, err
	}
	// A program that ended has said why: read that before the failed write counts.
	_, errWrite := p.in.Write(append(line, '\n'))
	var r response
	if err := p.out.Decode(&r); err != nil {
		return r, fmt.Errorf("%s, %s of size %d: %w", p.name, q.Work, q.Size, errors.Join(errWrite, err))
	}
	if r.Error != "" {
		return r, fmt.Errorf("%s: %s", p.name, r.Error)
	}
	return r, nil
}

// stop lets the program end.
func (p *program) stop() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}
