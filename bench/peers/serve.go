package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"rvflplus/internal/workload"
)

// request asks a program to do a work some times over. Programs read one request a
// line and answer each with one line.
type request struct {
	Work   string `json:"work,omitempty"`
	Size   int    `json:"size,omitempty"`
	Repeat int    `json:"repeat,omitempty"`
	Answer bool   `json:"answer,omitempty"` // wanted
	About  bool   `json:"about,omitempty"`  // only say which program this is
}

type response struct {
	Seconds     float64   `json:"seconds"` // of one run, the mean
	Flops       float64   `json:"flops,omitempty"`
	Answer      []float64 `json:"answer,omitempty"`
	BytesBefore float64   `json:"bytes_before"` // most memory the process ever held, before and after
	Bytes       float64   `json:"bytes"`
	About       string    `json:"about,omitempty"`
	Threads     int       `json:"threads,omitempty"` // that it uses, 0 when it does not know
	Error       string    `json:"error,omitempty"`
}

// serve answers requests until in ends.
func serve(ctx context.Context, program string, in io.Reader, out io.Writer) error {
	s := server{prepare: workload.New}
	if program == stock {
		s.prepare = newStock
	}
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q request
		if err := requests.Decode(&q); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := answers.Encode(s.answer(ctx, q)); err != nil {
			return err
		}
	}
}

// server keeps the last work, so that its memory is warm when it is asked for again.
type server struct {
	prepare func(name string, size int) (*workload.Work, error)
	last    request
	work    *workload.Work
}

func (s *server) answer(ctx context.Context, q request) response {
	if q.About {
		return response{About: "peak measured with " + workload.PeakName(), Threads: runtime.GOMAXPROCS(0)}
	}
	if s.work == nil || s.last.Work != q.Work || s.last.Size != q.Size {
		s.work = nil // frees it
		work, err := s.prepare(q.Work, q.Size)
		if err != nil {
			return response{Error: err.Error()}
		}
		s.work, s.last = work, q
	}
	r := response{Flops: s.work.Flops, BytesBefore: peakBytes()}
	var err error
	if r.Seconds, err = seconds(ctx, s.work, max(1, q.Repeat)); err != nil {
		return response{Error: err.Error()}
	}
	r.Bytes = peakBytes()
	if q.Answer && s.work.Answer != nil {
		r.Answer = s.work.Answer()
	}
	return r
}

// seconds is the mean time of a run.
func seconds(ctx context.Context, w *workload.Work, repeat int) (float64, error) {
	var total time.Duration
	for range repeat {
		took, err := w.Time(ctx)
		if err != nil {
			return 0, err
		}
		total += took
	}
	return total.Seconds() / float64(repeat), nil
}

// peakBytes is what Linux calls VmHWM, 0 elsewhere.
func peakBytes() float64 {
	file, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var kib float64
		if strings.HasPrefix(lines.Text(), "VmHWM:") {
			if _, err := fmt.Sscanf(lines.Text(), "VmHWM: %g kB", &kib); err == nil {
				return kib * 1024
			}
		}
	}
	return 0
}
