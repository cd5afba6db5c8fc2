// Package atomicfile writes files so that a reader sees the old contents or the
// whole new ones, never a part.
package atomicfile

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"rvflplus/fault"
)

// Write calls write with a temporary file beside path, syncs it and renames it to
// path. When anything fails or ctx is cancelled, path is as before and the
// temporary file is gone. A full disk is a fault.Resource error; a folder that is
// missing or not writable is fault.Usage.
func Write(ctx context.Context, path string, write func(io.Writer) error) (err error) {
	if err := Check(path); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".rvfl-*.tmp")
	if err != nil {
		return explain(path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buffer := bufio.NewWriterSize(cancelWriter{ctx, f}, 1<<16)
	if err = write(buffer); err != nil {
		return explain(path, err)
	}
	if err = errors.Join(buffer.Flush(), f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return explain(path, err)
	}
	if err = ctx.Err(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return explain(path, err)
	}
	return syncFolder(filepath.Dir(path))
}

// Check returns a fault.Usage error when path cannot become a file: before long
// work, not after it.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fault.New(fault.Usage, "%s is a folder, not a file to write", path)
	}
	info, err := os.Stat(filepath.Dir(path))
	if err != nil || !info.IsDir() {
		return fault.New(fault.Usage, "cannot write %s: there is no folder %s", path, filepath.Dir(path)).WithHint("create the folder first")
	}
	return nil
}

func explain(path string, err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EIO), errors.Is(err, syscall.EDQUOT):
		return fault.New(fault.Resource, "cannot write %s: %w", path, err)
	}
	return fault.New(fault.Usage, "cannot write %s: %w", path, err)
}

// syncFolder makes the rename durable; not every file system allows it.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	_ = d.Sync()
	return nil
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
