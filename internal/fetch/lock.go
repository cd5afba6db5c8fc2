package fetch

import (
	"context"
	"os"
	"time"
)

// lock waits until no other goroutine or process holds the lock file path.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	for {
		unlock, err = tryLock(path)
		if unlock != nil || err != nil {
			return unlock, err
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// isAt reports whether f is still the file called path.
func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(mine, there)
}
