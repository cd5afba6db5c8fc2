package main

import (
	"os"

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

// progress returns the function that shows progress, nil if standard error is no terminal, and the function to call
// when the work has ended.
func (a *app) progress() (show learn.Progress, end func()) {
	f, ok := a.stderr.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, func() {}
	}
	b := &bars{container: mpb.New(mpb.WithOutput(f), mpb.WithWidth(40))}
	return b.tell, b.end
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
