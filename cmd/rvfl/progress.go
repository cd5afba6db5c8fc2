package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"rvflplus/learn"
)

// bars shows a progress bar for one stage of the work after another on standard error, with the time left.
type bars struct {
	container *mpb.Progress
	bar       *mpb.Bar
	stage     string
}

// progress returns the function that shows progress and the function to call when the work has ended: a bar on a
// terminal, else a line now and then; nothing with --quiet, for which show is nil.
func (a *app) progress() (show learn.Progress, end func()) {
	f, ok := a.stderr.(*os.File)
	switch {
	case a.quiet:
		return nil, func() {}
	case !ok || !term.IsTerminal(int(f.Fd())):
		l := &progressLines{say: func(text string) { a.say("progress", text) }}
		return l.tell, l.start(lineEvery)
	}
	b := &bars{container: mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))}
	return b.tell, b.end
}

// lineEvery is the time between two lines of progress.
const lineEvery = 10 * time.Second

// progressLines writes a line about the work at equal times, so that a log or a pipe shows that it goes on.
type progressLines struct {
	say func(text string)

	mu          sync.Mutex
	stage       string
	done, total int
	since       time.Time // when the stage began
}

func (l *progressLines) tell(stage string, done, total int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if stage != l.stage {
		l.stage, l.since = stage, time.Now()
	}
	l.done, l.total = done, total
}

// start begins to write; the function it returns ends that.
func (l *progressLines) start(every time.Duration) (end func()) {
	began, ticker := time.Now(), time.NewTicker(every)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case now := <-ticker.C:
				l.say(l.line(began, now))
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(stop)
		<-stopped
	}
}

// line says what is done, for how long the work goes on, and how much longer its stage may take.
func (l *progressLines) line(began, now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	gone := now.Sub(began).Round(time.Second)
	if l.stage == "" || l.total <= 0 {
		return fmt.Sprintf("at work for %v", gone)
	}
	text := fmt.Sprintf("%s %d %%, at work for %v", l.stage, 100*l.done/l.total, gone)
	if 0 < l.done && l.done < l.total {
		left := float64(now.Sub(l.since)) * float64(l.total-l.done) / float64(l.done)
		text += fmt.Sprintf(", about %v left", time.Duration(left).Round(time.Second))
	}
	return text
}

func (b *bars) tell(stage string, done, total int) {
	if stage != b.stage {
		b.finish()
		b.stage = stage
		b.bar = b.container.AddBar(int64(total), mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(stage+" ")),
			mpb.AppendDecorators(
				decor.Percentage(), decor.Name("  "), decor.AverageETA(decor.ET_STYLE_GO), decor.Name(" left")))
	}
	b.bar.SetCurrent(int64(done))
}

func (b *bars) finish() {
	if b.bar != nil && !b.bar.Completed() {
		b.bar.Abort(true)
	}
}

func (b *bars) end() {
	b.finish()
	b.container.Wait()
}
