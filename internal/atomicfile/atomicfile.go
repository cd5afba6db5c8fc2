// Package atomicfile writes files so that a reader sees the whole old contents or the whole new contents, never a part.
package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"rvflplus/fault"
)

// Write calls write with a temporary file beside path, syncs it and renames it to
// path, keeping the mode of a file that was there. When anything fails or ctx is
// cancelled, path is as before and the temporary file is gone. A symbolic link is
// followed; a device or pipe is written directly. A full disk is a fault.Resource
// error; a folder that is missing or not writable is fault.Usage.
func Write(ctx context.Context, path string, write func(io.Writer) error) error {
	target, mode, err := resolve(path)
	if err != nil {
		return err
	}
	if mode != nil && !mode.IsRegular() {
		return explain(path, writeDirectly(ctx, target, write))
	}
	return explain(path, replace(ctx, target, mode, write))
}

// Check returns the error that Write would give because of where path is: before
// long work, not after it.
func Check(path string) error {
	target, mode, err := resolve(path)
	if err != nil || mode != nil && !mode.IsRegular() {
		return err
	}
	f, err := create(target)
	if err != nil {
		return explain(path, err)
	}
	return explain(path, errors.Join(f.Close(), remove(f.Name())))
}

// resolve follows links; mode is nil when there is nothing yet.
func resolve(path string) (target string, mode *fs.FileMode, err error) {
	if path == "" {
		return "", nil, fault.New(fault.Usage, "the name of the file to write is empty")
	}
	target = path
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		target = linked
	} else if linked, err := os.Readlink(path); err == nil { // to nothing yet
		target = linked
		if !filepath.IsAbs(linked) {
			target = filepath.Join(filepath.Dir(path), linked)
		}
	}
	info, err := os.Stat(target)
	if err != nil {
		return target, nil, checkFolder(path, filepath.Dir(target))
	}
	if info.IsDir() {
		return "", nil, fault.New(fault.Usage, "%s is a folder, not a file to write", path)
	}
	m := info.Mode()
	return target, &m, nil
}

// Same reports whether writing to both paths would write one file: the same one
// spelt otherwise or behind links, also if it is not there yet.
func Same(a, b string) bool {
	first, _, errFirst := resolve(a)
	second, _, errSecond := resolve(b)
	if errFirst != nil || errSecond != nil {
		return a == b
	}
	if first, err := os.Stat(first); err == nil {
		second, err := os.Stat(second)
		return err == nil && os.SameFile(first, second)
	}
	return filepath.Base(first) == filepath.Base(second) && sameFolder(first, second)
}

func sameFolder(a, b string) bool {
	first, errFirst := os.Stat(folder(a))
	second, errSecond := os.Stat(folder(b))
	return errFirst == nil && errSecond == nil && os.SameFile(first, second)
}

// folder returns the folder of path. filepath.Dir would leave x/.. out, but x may be a link to another folder.
func folder(path string) string {
	dir, _ := filepath.Split(path)
	return dir + "."
}

func checkFolder(path, dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	return fault.New(fault.Usage, "cannot write %s: there is no folder %s", path, dir).
		WithHint("create the folder first")
}

// create makes a new file beside target, with the mode the process gives new
// files.
func create(target string) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(target), ".rvfl-"+strconv.FormatUint(rand.Uint64(), 36)+".tmp")
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			live.Store(name, true)
		}
		return f, err
	}
}

// live holds the names of the temporary files that exist.
var live sync.Map

// remove deletes a temporary file.
func remove(name string) error {
	defer live.Delete(name)
	return os.Remove(name)
}

// RemoveTemporary deletes the temporary files of all writing that goes on. It is for a process that is about to end
// without waiting for its writing.
func RemoveTemporary() {
	live.Range(func(name, _ any) bool {
		_ = remove(name.(string))
		return true
	})
}

// Temporary makes a file in the system's folder for temporary files. Where the system permits, the file has no name, so
// that nothing is left however the process ends.
func Temporary() (*os.File, error) {
	f, err := os.CreateTemp("", "rvfl-*.tmp")
	if err == nil && os.Remove(f.Name()) != nil {
		live.Store(f.Name(), true)
	}
	return f, err
}

// RemoveFile closes and deletes a file that Temporary made.
func RemoveFile(f *os.File) error {
	err := f.Close()
	if _, named := live.Load(f.Name()); named {
		err = errors.Join(err, remove(f.Name()))
	}
	return err
}

func replace(ctx context.Context, target string, mode *fs.FileMode, write func(io.Writer) error) (err error) {
	f, err := create(target)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			_ = remove(f.Name())
		}
	}()
	if mode != nil {
		if err = f.Chmod(mode.Perm()); err != nil {
			return err
		}
	}
	if err = writeAll(ctx, f, write); err != nil {
		return err
	}
	if err = errors.Join(f.Sync(), f.Close(), ctx.Err()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), target); err == nil {
		live.Delete(f.Name())
		SyncFolder(filepath.Dir(target))
	}
	return err
}

func writeDirectly(ctx context.Context, target string, write func(io.Writer) error) error {
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(writeAll(ctx, f, write), f.Close())
}

func writeAll(ctx context.Context, f *os.File, write func(io.Writer) error) error {
	buffer := bufio.NewWriterSize(cancelWriter{ctx, f}, 1<<16)
	if err := write(buffer); err != nil {
		return err
	}
	return buffer.Flush()
}

func explain(path string, err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	kind := fault.Usage
	if IsFull(err) {
		kind = fault.Resource
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fault.New(kind, "cannot write %s: %w", path, err)
}

// IsFull reports whether a write failed for want of space or because the device
// failed.
func IsFull(err error) bool {
	for _, number := range []error{syscall.ENOSPC, syscall.EIO, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, number) {
			return true
		}
	}
	return false
}

// SyncFolder makes a rename in dir durable, where the file system can.
func SyncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// cancelWriter fails once its context is cancelled.
type cancelWriter struct {
	ctx context.Context
	w   io.Writer
}

func (c cancelWriter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.w.Write(p)
}
