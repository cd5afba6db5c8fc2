package fetch

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"

	"rvflplus/fault"
)

// Sum identifies the bytes of a file; with both fields set, either suffices.
type Sum struct {
	SHA256 string // in hexadecimal
	// Git is the name git gives the file: the SHA-1 of "blob SIZE\x00" and the
	// bytes. It stands in where a publisher's repository is all that is known.
	Git string
}

// Check reads what open opens and returns a fault.Data error, which begins with
// name, unless it has the sum. More than limit bytes are an error too.
func (s Sum) Check(ctx context.Context, name string, limit int64, open func() (io.ReadCloser, error)) error {
	got, size, err := digest(ctx, sha256.New(), limit, open)
	switch {
	case err != nil:
		return err
	case size > limit:
		return fault.New(fault.Data, "%s has more than %d bytes", name, limit)
	case got == s.SHA256:
		return nil
	case s.Git == "":
		return fault.New(fault.Data, "%s: the SHA-256 is %s, expected %s", name, got, s.SHA256)
	}
	blob := sha1.New()
	fmt.Fprintf(blob, "blob %d\x00", size)
	got, _, err = digest(ctx, blob, limit, open)
	if err == nil && got != s.Git {
		err = fault.New(fault.Data, "%s: the git object is %s, expected %s", name, got, s.Git)
	}
	return err
}

func digest(ctx context.Context, h hash.Hash, limit int64,
	open func() (io.ReadCloser, error)) (sum string, size int64, err error) {
	r, err := open()
	if err != nil {
		return "", 0, err
	}
	defer r.Close()
	size, err = io.Copy(h, io.LimitReader(cancelReader{ctx, r}, limit+1))
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// cancelReader fails once its context is cancelled.
type cancelReader struct {
	ctx context.Context
	r   io.Reader
}

func (c cancelReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
