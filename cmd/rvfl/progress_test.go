package main

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// Without a terminal, work tells now and then how far it has come; not after its end.
func TestProgressLines(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	said := make(chan struct{}, 100)
	l := &progressLines{say: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, text)
		select {
		case said <- struct{}{}:
		default:
		}
	}}
	end := l.start(time.Millisecond)
	<-said
	l.tell("choosing settings", 1, 4)
	for range 3 { // the line that is being written may be of the time before
		<-said
	}
	end()
	before := len(lines)
	time.Sleep(5 * time.Millisecond)
	if len(lines) != before {
		t.Error("a line after the end")
	}
	if !strings.HasPrefix(lines[0], "at work for ") {
		t.Errorf("first line %q", lines[0])
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "choosing settings 25 %, at work for ") {
		t.Errorf("last line %q", last)
	}
}

func TestProgressLineTellsTheTimeLeft(t *testing.T) {
	began := time.Now().Add(-time.Hour)
	l := &progressLines{stage: "writing", done: 1, total: 4, since: began.Add(time.Hour - 20*time.Second)}
	if got, want := l.line(began, began.Add(time.Hour)),
		"writing 25 %, at work for 1h0m0s, about 1m0s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	l.done = 4
	if got := l.line(began, began.Add(time.Hour)); got != "writing 100 %, at work for 1h0m0s" {
		t.Errorf("of a stage that is done: %q", got)
	}
}

// What is no terminal gets lines, with --quiet nothing.
func TestProgressWithoutATerminal(t *testing.T) {
	var stderr bytes.Buffer
	a := newApp(io.Discard, &stderr)
	show, end := a.progress()
	if show == nil {
		t.Error("no progress without a terminal")
	}
	end()
	a.quiet = true
	if show, _ := a.progress(); show != nil {
		t.Error("progress with --quiet")
	}
	a.note("something")
	if stderr.Len() > 0 || len(a.notes) != 1 {
		t.Errorf("--quiet writes %q and keeps %d notes", stderr.String(), len(a.notes))
	}
}
