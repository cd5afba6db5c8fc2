package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"rvflplus/fault"
)

// transfer is the download of one file.
type transfer struct {
	Client
	File
	part *partial
	// resumed says that the bytes came in several pieces.
	resumed bool
}

// checked downloads the file, checks it and puts it in its place. Pieces may belong
// to different versions of the file: where they have the wrong sum, all is downloaded
// once more.
func (t *transfer) checked(ctx context.Context) error {
	for fresh := false; ; fresh = true {
		if !t.whole(ctx) {
			if err := t.complete(ctx); err != nil {
				return err
			}
		}
		err := t.check(ctx, t.part.name())
		switch {
		case err == nil:
			return t.orDiskError(t.part.moveTo(t.Path))
		case ctx.Err() != nil:
			return ctx.Err()
		case fresh || !t.resumed:
			return t.reject(err)
		}
		if err := t.part.restart(""); err != nil {
			return t.diskError(err)
		}
	}
}

// whole reports whether an earlier process got all bytes, but did not live to put
// the file in its place: a server does not send the rest of such a file.
func (t *transfer) whole(ctx context.Context) bool {
	return t.Size > 0 && t.part.size == t.Size && t.check(ctx, t.part.name()) == nil
}

func (t *transfer) orDiskError(err error) error {
	if err != nil {
		return t.diskError(err)
	}
	return nil
}

// reject keeps the wrong bytes for inspection.
func (t *transfer) reject(cause error) error {
	aside := t.Path + ".rejected"
	if err := t.part.moveTo(aside); err != nil {
		return t.diskError(err)
	}
	return fault.New(fault.Data, "%w; it is not used, and kept as %s", cause, aside).
		WithHint("the publisher may have changed the file, or a proxy sent a page of its own: look into %s", aside)
}

// complete tries until the server has sent all bytes.
func (t *transfer) complete(ctx context.Context) error {
	client := t.httpClient()
	defer client.CloseIdleConnections()
	wait := t.Wait
	for try := 1; ; try++ {
		err := t.once(ctx, client)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var known *fault.Error
		if errors.As(err, &known) {
			return known
		}
		if try >= t.Tries {
			return t.gaveUp(err)
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, 30*time.Second)
	}
}

func (t *transfer) gaveUp(err error) error {
	var urlErr *url.Error
	if errors.As(err, &urlErr) {
		err = urlErr.Err
	}
	hint := "check the network, or download the file by hand to %s"
	if t.part.size > 0 {
		hint = "try again: the download goes on where it stopped; or download the file by hand to %s"
	}
	return fault.New(fault.Resource, "cannot fetch %s (%d tries): %w", t.URL, t.Tries, err).WithHint(hint, t.Path)
}

func (t *transfer) httpClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: t.Connect}).DialContext,
			TLSHandshakeTimeout: t.Connect,
			ForceAttemptHTTP2:   true,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) >= 10 {
				return fault.New(fault.Data, "%s: more than 10 redirections", t.URL)
			}
			if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
				return fault.New(fault.Data, "%s redirects to %s, which is not encrypted", t.URL, req.URL)
			}
			return nil
		},
	}
}

// once makes one request. Errors that a second try cannot mend are of package
// fault.
func (t *transfer) once(ctx context.Context, client *http.Client) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(t.Idle, func() { cancel(fmt.Errorf("no byte came for %v", t.Idle)) })
	defer idle.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.URL, nil)
	if err != nil {
		return fault.New(fault.Usage, "%w", err)
	}
	req.Header.Set("User-Agent", "rvflplus")
	req.Header.Set("Accept-Encoding", "identity") // or offsets would be those of a packed form
	t.part.resume(req.Header)
	resp, err := client.Do(req)
	if err != nil {
		return orCause(ctx, hopeless(t.URL, err))
	}
	defer resp.Body.Close()
	if err := t.accept(resp); err != nil {
		return err
	}
	return orCause(ctx, t.copy(resp, idle))
}

// orCause tells why the context ended, if that is why err happened.
func orCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// hopeless makes an unknown host an error that is not tried again.
func hopeless(url string, err error) error {
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		return fault.New(fault.Resource, "cannot fetch %s: there is no host %s", url, dns.Name).
			WithHint("check the network")
	}
	return err
}

// accept judges the head of a response and makes the partial file ready for its
// body.
func (t *transfer) accept(resp *http.Response) error {
	switch code := resp.StatusCode; {
	case code == http.StatusOK:
		if err := t.part.restart(version(resp.Header)); err != nil {
			return t.diskError(err)
		}
	case code == http.StatusPartialContent && t.part.continues(resp.Header):
		t.resumed = true
	case code == http.StatusPartialContent, code == http.StatusRequestedRangeNotSatisfiable:
		if err := t.part.restart(""); err != nil {
			return t.diskError(err)
		}
		return fmt.Errorf("the server does not send the rest of the file (%s)", resp.Status)
	case code >= 500, code == http.StatusTooManyRequests, code == http.StatusRequestTimeout:
		return fmt.Errorf("the server says %s", resp.Status)
	default:
		return fault.New(fault.Data, "cannot fetch %s: the server says %s", t.URL, resp.Status).
			WithHint("the publisher may have moved the file; download it by hand to %s", t.Path)
	}
	if resp.ContentLength > 0 && t.part.size+resp.ContentLength > t.limit() {
		return t.tooMuch(fmt.Sprintf("%d bytes", t.part.size+resp.ContentLength))
	}
	return nil
}

func (t *transfer) limit() int64 {
	if t.Size > 0 {
		return t.Size
	}
	return t.Limit
}

func (t *transfer) tooMuch(sent string) error {
	if err := t.part.restart(""); err != nil {
		return t.diskError(err)
	}
	return fault.New(fault.Data, "%s: the server sends %s, at most %d were expected", t.URL, sent, t.limit())
}

// copy appends the body to the partial file. Every byte that comes puts idle off.
func (t *transfer) copy(resp *http.Response, idle *time.Timer) error {
	total := int64(-1)
	if resp.ContentLength >= 0 {
		total = t.part.size + resp.ContentLength
	}
	buffer := make([]byte, 1<<16)
	for {
		n, err := resp.Body.Read(buffer)
		if n > 0 {
			idle.Reset(t.Idle)
			if t.part.size+int64(n) > t.limit() {
				return t.tooMuch("more")
			}
			if _, err := t.part.Write(buffer[:n]); err != nil {
				return t.diskError(err)
			}
			t.Progress(t.part.size, total)
		}
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF && total < 0 && t.part.size < t.Size:
			return fmt.Errorf("the transfer broke off after %d bytes", t.part.size)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
