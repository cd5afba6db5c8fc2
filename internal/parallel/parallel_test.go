package parallel

import (
	"context"
	"errors"
	"runtime"
	"testing"
)

func TestForCallsEachOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 7} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		for _, n := range []int{0, 1, 2, 100} {
			calls := make([]int, n)
			if err := For(context.Background(), n, func(i int) { calls[i]++ }); err != nil {
				t.Fatal(err)
			}
			for i, c := range calls {
				if c != 1 {
					t.Fatalf("%d threads, n=%d: fn(%d) was called %d times", threads, n, i, c)
				}
			}
		}
	}
}

func TestBlocksCoverTheRange(t *testing.T) {
	seen := make([]int, 130)
	if err := Blocks(context.Background(), len(seen), 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			seen[i]++
		}
	}); err != nil {
		t.Fatal(err)
	}
	for i, c := range seen {
		if c != 1 {
			t.Fatalf("index %d was covered %d times", i, c)
		}
	}
}

func TestPanicsReachTheCaller(t *testing.T) {
	for _, threads := range []int{1, 2} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		func() {
			defer func() {
				if cause := recover(); cause != "broken" {
					t.Errorf("%d threads: recovered %v", threads, cause)
				}
			}()
			_ = For(context.Background(), 10, func(i int) {
				if i == 3 {
					panic("broken")
				}
			})
		}()
	}
}

func TestForStopsWhenCancelled(t *testing.T) {
	for _, threads := range []int{1, 2} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		ran := false
		if err := For(ctx, 5, func(int) { ran = true }); !errors.Is(err, context.Canceled) || ran {
			t.Fatalf("%d threads: error %v, ran %v", threads, err, ran)
		}
	}
}
