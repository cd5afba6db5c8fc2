// Package parallel spreads independent pieces of work over the cores.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// For calls fn(0) … fn(n-1), each once, on at most GOMAXPROCS goroutines, and returns when all have ended. The calls
// must write to disjoint places; then the result does not depend on the number of threads. When ctx is cancelled,
// calls that have not begun are left out, and the error is ctx.Err(). A panic in a call becomes a panic of For.
func For(ctx context.Context, n int, fn func(i int)) error {
	workers := min(runtime.GOMAXPROCS(0), n)
	if workers <= 1 {
		return Serial(ctx, n, fn)
	}
	l := loop{ctx: ctx, n: n, fn: fn}
	for range workers - 1 {
		l.others.Go(l.work)
	}
	l.work()
	l.others.Wait()
	if l.failed.Load() {
		panic(l.cause)
	}
	return ctx.Err()
}

// loop is one call of For.
type loop struct {
	ctx    context.Context
	n      int
	fn     func(i int)
	next   atomic.Int64
	others sync.WaitGroup
	failed atomic.Bool // a call panicked, with cause
	cause  any
}

// work makes calls until none is left.
func (l *loop) work() {
	defer func() {
		if cause := recover(); cause != nil && l.failed.CompareAndSwap(false, true) {
			l.cause = cause
			l.next.Store(int64(l.n)) // no more calls
		}
	}()
	for i := int(l.next.Add(1)) - 1; i < l.n && l.ctx.Err() == nil; i = int(l.next.Add(1)) - 1 {
		l.fn(i)
	}
}

// Serial is For on the caller's goroutine: for work so short that waking another
// core costs more.
func Serial(ctx context.Context, n int, fn func(i int)) error {
	for i := 0; i < n && ctx.Err() == nil; i++ {
		fn(i)
	}
	return ctx.Err()
}

// Blocks calls fn(lo, hi) for consecutive ranges of at most size that cover
// 0 … n-1, with For.
func Blocks(ctx context.Context, n, size int, fn func(lo, hi int)) error {
	return For(ctx, (n+size-1)/size, func(i int) {
		fn(i*size, min((i+1)*size, n))
	})
}
