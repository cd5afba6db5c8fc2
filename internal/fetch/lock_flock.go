//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package fetch

import (
	"errors"
	"os"
	"syscall"
)

// tryLock returns nil, nil when another has the lock. The system drops the lock of a
// process that dies.
func tryLock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	// The holder before may have removed the file that was opened.
	if err == nil && isAt(f, path) {
		return func() {
			_ = os.Remove(path)
			_ = f.Close()
		}, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		err = nil
	}
	return nil, err
}
