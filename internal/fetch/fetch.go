// Package fetch downloads files of known content into a cache: a file is there whole
// and checked, or not at all.
package fetch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"rvflplus/fault"
	"rvflplus/internal/atomicfile"
)

// File is a file to download.
type File struct {
	URL  string // http or https
	Path string // where it goes; folders are made
	Sum  Sum    // of the bytes that the server sends
	Size int64  // of them; 0 if not known
}

// Client says how files are downloaded. The zero value of a field means its
// default.
type Client struct {
	Tries   int           // of one file; default 5
	Wait    time.Duration // before the second try, doubled before each further one; default 500 ms
	Connect time.Duration // the longest a connection may take; default 15 s
	Idle    time.Duration // the longest that no byte may come; default 30 s
	Limit   int64         // the most bytes of a file of unknown size; default 1 GiB
	// Progress is told how many bytes of how many have come, -1 if the server does not
	// say. After a failure done may be smaller than before.
	Progress func(done, total int64)
}

func (c Client) withDefaults() Client {
	or := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	or(&c.Wait, 500*time.Millisecond)
	or(&c.Connect, 15*time.Second)
	or(&c.Idle, 30*time.Second)
	if c.Tries == 0 {
		c.Tries = 5
	}
	if c.Limit == 0 {
		c.Limit = 1 << 30
	}
	if c.Progress == nil {
		c.Progress = func(int64, int64) {}
	}
	return c
}

// Cache returns the default folder for downloads: rvflplus in the user's cache
// folder.
func Cache() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fault.New(fault.Usage, "there is no cache folder: %w", err).
			WithHint("set HOME or XDG_CACHE_HOME, or name a folder with %s", fault.Name("data-dir"))
	}
	return filepath.Join(dir, "rvflplus"), nil
}

// Fetch makes f.Path the checked file. A file that is there and has the sum is
// kept. Several processes may fetch the same file: one downloads, the others wait.
//
// A broken transfer is tried again and goes on where it stopped, if the server
// permits. When ctx is cancelled or all tries fail, the bytes that have come stay beside f.Path
// as NAME.part for the next call, and f.Path is as before. Bytes with another sum are
// kept as NAME.rejected and are a fault.Data error, as are a file that the server
// does not have and one larger than expected. A server that cannot be reached or
// fails, and a full disk, are fault.Resource errors.
func (c Client) Fetch(ctx context.Context, f File) error {
	if err := f.validate(); err != nil {
		return err
	}
	if f.there(ctx) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
		return f.diskError(err)
	}
	unlock, err := lock(ctx, f.Path+".lock")
	if err != nil {
		return f.diskError(err)
	}
	defer unlock()
	if f.there(ctx) {
		return nil
	}
	part, err := openPartial(f)
	if err != nil {
		return f.diskError(err)
	}
	defer part.close()
	t := &transfer{Client: c.withDefaults(), File: f, part: part}
	return t.checked(ctx)
}

func (f File) validate() error {
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fault.New(fault.Usage, "%q is not an http or https URL", f.URL)
	}
	if f.Sum == (Sum{}) {
		return fault.New(fault.Usage, "%s: nothing is known of the file that could be checked", f.URL)
	}
	return nil
}

// there reports whether the file is there and right.
func (f File) there(ctx context.Context) bool { return f.check(ctx, f.Path) == nil }

func (f File) check(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return f.Sum.Check(ctx, f.URL, info.Size(), func() (io.ReadCloser, error) { return os.Open(path) })
}

// diskError explains an error of the local file system.
func (f File) diskError(err error) error {
	var known *fault.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	kind := fault.Usage
	if atomicfile.IsFull(err) {
		kind = fault.Resource
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fault.New(kind, "cannot write %s: %w", f.Path, err)
}
