//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package fetch

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"rvflplus/fault"
)

// staleLock is the age at which a lock file is taken for the lock of a process that
// died.
const staleLock = 24 * time.Hour

// tryLock returns nil, nil when another has the lock.
func tryLock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		f.Close()
		return func() { _ = os.Remove(path) }, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > staleLock {
		return nil, fault.New(fault.Resource, "%s was locked long ago", path).
			WithHint("delete that file if no other fetch runs")
	}
	return nil, nil
}
