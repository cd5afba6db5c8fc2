package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rvflplus/fault"
)

var content, other = randomBytes(1), randomBytes(2)

func randomBytes(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	b := make([]byte, 300_000)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func sumOf(b []byte) Sum {
	h := sha256.Sum256(b)
	return Sum{SHA256: hex.EncodeToString(h[:])}
}

// site is a server whose answers are given one by one; the last is repeated.
type site struct {
	*httptest.Server
	answers  []http.HandlerFunc
	mu       sync.Mutex
	requests []*http.Request
}

func newSite(t *testing.T, answers ...http.HandlerFunc) *site {
	t.Helper()
	before := runtime.NumGoroutine()
	s := &site{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.Close()
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		buffer := make([]byte, 1<<16)
		t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(),
			buffer[:runtime.Stack(buffer, true)])
	})
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	answer := s.answers[min(len(s.requests), len(s.answers)-1)]
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	answer(w, r)
}

// ranges returns what the requests asked for.
func (s *site) ranges() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var v []string
	for _, r := range s.requests {
		v = append(v, r.Header.Get("Range"))
	}
	return v
}

// serve answers as a good server does: http.ServeContent knows Range and
// If-Range.
func serve(b []byte, tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
	}
}

const half = 150_000

// cut sends the first half and breaks off.
func cut(tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		sendHalf(w, tag)
		panic(http.ErrAbortHandler)
	}
}

// cutUnannounced sends the first half in an answer that ends with the connection.
func cutUnannounced(tag string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, out, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nConnection: close\r\nETag: %s\r\n\r\n", tag)
		_, _ = out.Write(content[:half])
		_ = out.Flush()
	}
}

func sendHalf(w http.ResponseWriter, tag string) {
	w.Header().Set("Content-Length", fmt.Sprint(len(content)))
	if tag != "" {
		w.Header().Set("ETag", tag)
	}
	_, _ = w.Write(content[:half])
	_ = http.NewResponseController(w).Flush()
}

// stall sends the first half and then nothing for as long as the client waits.
func stall(w http.ResponseWriter, r *http.Request) {
	sendHalf(w, `"v1"`)
	<-r.Context().Done()
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }
}

// whole ignores Range.
func whole(b []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(b) }
}

func quick() Client { return Client{Tries: 4, Wait: time.Millisecond} }

// impatient takes a server that stalls for broken. No other test uses it: a busy machine stalls too.
func impatient(idle time.Duration) Client {
	c := quick()
	c.Idle = idle
	return c
}

func (s *site) file(t *testing.T) File {
	return File{URL: s.URL + "/x.data", Path: filepath.Join(t.TempDir(), "uci", "x.data"), Sum: sumOf(content),
		Size: int64(len(content))}
}

// files returns the names in the cache folder.
func files(t *testing.T, f File) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(f.Path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func wantFile(t *testing.T, f File) {
	t.Helper()
	got, err := os.ReadFile(f.Path)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if names := files(t, f); !slices.Equal(names, []string{"x.data"}) {
		t.Errorf("the cache holds %v", names)
	}
}

func TestFetch(t *testing.T) {
	const rest = "bytes=150000-"
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		ranges  []string
	}{
		"good":                {[]http.HandlerFunc{serve(content, "")}, []string{""}},
		"chunked":             {[]http.HandlerFunc{whole(content)}, []string{""}},
		"truncated":           {[]http.HandlerFunc{cut(`"v1"`), serve(content, `"v1"`)}, []string{"", rest}},
		"truncated, no size":  {[]http.HandlerFunc{cutUnannounced(`"v1"`), serve(content, `"v1"`)}, []string{"", rest}},
		"truncated, untagged": {[]http.HandlerFunc{cut(""), serve(content, "")}, []string{"", ""}},
		"truncated, weak tag": {[]http.HandlerFunc{cut(`W/"v1"`), serve(content, `W/"v1"`)}, []string{"", ""}},
		"truncated, no ranges": {
			[]http.HandlerFunc{cut(`"v1"`), whole(content)}, []string{"", rest},
		},
		"changed meanwhile": {[]http.HandlerFunc{cut(`"v0"`), serve(content, `"v1"`)}, []string{"", rest}},
		"stalled":           {[]http.HandlerFunc{stall, serve(content, `"v1"`)}, []string{"", rest}},
		"failing, then good": {[]http.HandlerFunc{status(500), status(503), status(429), serve(content, "")},
			[]string{"", "", "", ""}},
		"refuses the rest": {[]http.HandlerFunc{cut(`"v1"`), status(416), serve(content, `"v1"`)},
			[]string{"", rest, ""}},
		"sends another range": {[]http.HandlerFunc{cut(`"v1"`), wrongRange, serve(content, `"v1"`)},
			[]string{"", rest, ""}},
		"mixes versions up": {[]http.HandlerFunc{cut(`"v1"`), serve(other, `"v1"`), serve(content, `"v1"`)},
			[]string{"", rest, ""}},
		"redirected": {[]http.HandlerFunc{redirect("/a"), redirect("b"), serve(content, "")},
			[]string{"", "", ""}},
		"redirected to resume": {[]http.HandlerFunc{cut(`"v1"`), redirect("/a"), serve(content, `"v1"`)},
			[]string{"", rest, rest}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, c.answers...)
			f := s.file(t)
			client := quick()
			if name == "stalled" {
				client = impatient(700 * time.Millisecond)
			}
			if err := client.Fetch(context.Background(), f); err != nil {
				t.Fatal(err)
			}
			wantFile(t, f)
			if got := s.ranges(); !slices.Equal(got, c.ranges) {
				t.Errorf("asked for %q, want %q", got, c.ranges)
			}
		})
	}
}

func wrongRange(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Range", "bytes 7-299999/300000")
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(content[7:])
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// tooLong sends more than the file has; with announced, it says so at first.
func tooLong(announced bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if announced {
			w.Header().Set("Content-Length", "3000000")
		}
		for range 10 {
			_, _ = w.Write(other)
		}
	}
}

func TestFetchFails(t *testing.T) {
	for name, c := range map[string]struct {
		answer   http.HandlerFunc
		kind     fault.Kind
		text     string
		requests int
		left     []string
	}{
		"wrong bytes":         {whole(other), fault.Data, "SHA-256", 1, []string{"x.data.rejected"}},
		"too few bytes":       {serve(content[:half], ""), fault.Data, "SHA-256", 1, []string{"x.data.rejected"}},
		"no bytes":            {whole(nil), fault.Data, "SHA-256", 1, []string{"x.data.rejected"}},
		"not there":           {status(404), fault.Data, "404", 1, nil},
		"forbidden":           {status(403), fault.Data, "403", 1, nil},
		"always failing":      {status(500), fault.Resource, "500", 4, nil},
		"always cut":          {cut(""), fault.Resource, "broke off", 4, nil},
		"always stalling":     {stall, fault.Resource, "no byte came", 4, []string{"x.data.part", "x.data.part.tag"}},
		"always cut, no size": {cutUnannounced(""), fault.Resource, "broke off", 4, nil},
		"announces more":      {tooLong(true), fault.Data, "sends 3000000 bytes", 1, nil},
		"sends more":          {tooLong(false), fault.Data, "sends more", 1, nil},
		"redirects always":    {redirect("/again"), fault.Data, "10 redirections", 10, nil},
		"never answers": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, fault.Resource,
			"no byte came", 4, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, c.answer)
			f := s.file(t)
			client := quick()
			if strings.Contains(c.text, "no byte came") {
				client = impatient(150 * time.Millisecond)
			}
			err := client.Fetch(context.Background(), f)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) || fault.HintOf(err) == "" &&
				c.kind == fault.Resource {
				t.Errorf("%v (hint %q)", err, fault.HintOf(err))
			}
			if n := len(s.ranges()); n != c.requests {
				t.Errorf("%d requests, want %d", n, c.requests)
			}
			if got := files(t, f); !slices.Equal(got, c.left) {
				t.Errorf("the cache holds %v, want %v", got, c.left)
			}
		})
	}
}

func TestRejectedBytesAreKept(t *testing.T) {
	s := newSite(t, whole(other), whole(content))
	f := s.file(t)
	err := quick().Fetch(context.Background(), f)
	if got, _ := os.ReadFile(f.Path + ".rejected"); !bytes.Equal(got, other) {
		t.Errorf("%v; %d bytes were kept", err, len(got))
	}
	if err := quick().Fetch(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(f.Path); !bytes.Equal(got, content) {
		t.Error("the second fetch did not mend it")
	}
}

// A file of unknown size is cut at the limit.
func TestLimit(t *testing.T) {
	for name, announced := range map[string]bool{"announced": true, "not announced": false} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, tooLong(announced))
			f := s.file(t)
			f.Size = 0
			c := quick()
			c.Limit = 1_000_000
			var most int64
			c.Progress = func(done, _ int64) { most = max(most, done) }
			if err := c.Fetch(context.Background(), f); !errors.Is(err, fault.Data) || most > c.Limit {
				t.Errorf("%d bytes taken: %v", most, err)
			}
		})
	}
}

// Cancelling leaves what has come; the next call goes on from there, in the same
// process or another.
func TestCancelAndResume(t *testing.T) {
	s := newSite(t, stall, serve(content, `"v1"`))
	f := s.file(t)
	ctx, cancel := context.WithCancel(context.Background())
	c := quick()
	c.Progress = func(done, total int64) {
		if total != int64(len(content)) {
			t.Errorf("%d bytes in all", total)
		}
		if done == half {
			cancel()
		}
	}
	if err := c.Fetch(ctx, f); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := files(t, f); !slices.Equal(got, []string{"x.data.part", "x.data.part.tag"}) {
		t.Errorf("the cache holds %v", got)
	}
	var first int64
	c.Progress = func(done, total int64) {
		if first == 0 {
			first = done
		}
	}
	if err := c.Fetch(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	wantFile(t, f)
	if got := s.ranges(); !slices.Equal(got, []string{"", "bytes=150000-"}) || first <= half {
		t.Errorf("asked for %q, first progress %d", got, first)
	}
}

func TestCancelBeforeTheAnswer(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newSite(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	f := s.file(t)
	if err := quick().Fetch(ctx, f); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := files(t, f); got != nil {
		t.Errorf("the cache holds %v", got)
	}
}

// A partial file of another URL, or without a tag, is not used.
func TestForeignPartial(t *testing.T) {
	for name, tag := range map[string]string{"untagged": "", "other url": "http://elsewhere/x.data\n\"v1\"",
		"damaged": "\x00"} {
		s := newSite(t, serve(content, `"v1"`))
		f := s.file(t)
		if err := errors.Join(os.MkdirAll(filepath.Dir(f.Path), 0o777),
			os.WriteFile(f.Path+".part", other[:half], 0o666),
			os.WriteFile(f.Path+".part.tag", []byte(tag), 0o666)); err != nil {
			t.Fatal(err)
		}
		if err := quick().Fetch(context.Background(), f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		wantFile(t, f)
		if got := s.ranges(); !slices.Equal(got, []string{""}) {
			t.Errorf("%s: asked for %q", name, got)
		}
	}
}

// A partial file with the right tag and wrong bytes costs one more download.
func TestDamagedPartial(t *testing.T) {
	s := newSite(t, serve(content, `"v1"`))
	f := s.file(t)
	if err := errors.Join(os.MkdirAll(filepath.Dir(f.Path), 0o777), os.WriteFile(f.Path+".part", other[:half], 0o666),
		os.WriteFile(f.Path+".part.tag", []byte(f.URL+"\n\"v1\""), 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := quick().Fetch(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	wantFile(t, f)
}

// A partial file that is whole, since its process died before renaming it, is used
// without a request; one as long with wrong bytes is downloaded again.
func TestWholePartial(t *testing.T) {
	for name, c := range map[string]struct {
		bytes  []byte
		ranges []string
	}{
		"right": {content, nil},
		"wrong": {other, []string{"bytes=300000-", ""}},
	} {
		s := newSite(t, serve(content, `"v1"`))
		f := s.file(t)
		if err := errors.Join(os.MkdirAll(filepath.Dir(f.Path), 0o777), os.WriteFile(f.Path+".part", c.bytes, 0o666),
			os.WriteFile(f.Path+".part.tag", []byte(f.URL+"\n\"v1\""), 0o666)); err != nil {
			t.Fatal(err)
		}
		if err := quick().Fetch(context.Background(), f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		wantFile(t, f)
		if got := s.ranges(); !slices.Equal(got, c.ranges) {
			t.Errorf("%s: asked for %q", name, got)
		}
	}
}

// Many fetch the same file: it is downloaded once.
func TestConcurrent(t *testing.T) {
	s := newSite(t, serve(content, `"v1"`))
	f := s.file(t)
	var wg sync.WaitGroup
	var failed atomic.Int64
	for range 8 {
		wg.Go(func() {
			if err := quick().Fetch(context.Background(), f); err != nil {
				failed.Add(1)
				t.Log(err)
			}
		})
	}
	wg.Wait()
	wantFile(t, f)
	if n := len(s.ranges()); n != 1 || failed.Load() > 0 {
		t.Errorf("%d requests, %d failures", n, failed.Load())
	}
}

// Who waits for another's download can be cancelled.
func TestCancelWhileWaiting(t *testing.T) {
	s := newSite(t, serve(content, ""))
	f := s.file(t)
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
		t.Fatal(err)
	}
	unlock, err := lock(context.Background(), f.Path+".lock")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := quick().Fetch(ctx, f); !errors.Is(err, context.DeadlineExceeded) || len(s.ranges()) > 0 {
		t.Errorf("%v after %d requests", err, len(s.ranges()))
	}
	unlock()
	if err := quick().Fetch(context.Background(), f); err != nil {
		t.Error(err)
	}
	wantFile(t, f)
}

func TestWhatIsThereIsKeptOrReplaced(t *testing.T) {
	s := newSite(t, serve(content, ""))
	f := s.file(t)
	for _, c := range []struct {
		there    []byte
		requests int
	}{{other, 1}, {content, 1}} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(f.Path), 0o777),
			os.WriteFile(f.Path, c.there, 0o666)); err != nil {
			t.Fatal(err)
		}
		if err := quick().Fetch(context.Background(), f); err != nil {
			t.Fatal(err)
		}
		wantFile(t, f)
		if n := len(s.ranges()); n != c.requests {
			t.Errorf("%d requests, want %d", n, c.requests)
		}
	}
}

func TestUnencryptedRedirect(t *testing.T) {
	s := newSite(t, serve(content, ""))
	check := (&transfer{}).httpClient().CheckRedirect
	secure, _ := http.NewRequest("GET", "https://a/", nil)
	plain, _ := http.NewRequest("GET", s.URL, nil)
	if err := check(plain, []*http.Request{secure}); !errors.Is(err, fault.Data) {
		t.Errorf("https to http: %v", err)
	}
	if err := check(secure, []*http.Request{plain}); err != nil {
		t.Errorf("http to https: %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	s := newSite(t, serve(content, ""))
	f := s.file(t)
	s.Close()
	if err := quick().Fetch(context.Background(), f); !errors.Is(err, fault.Resource) ||
		!strings.Contains(err.Error(), "4 tries") {
		t.Error(err)
	}
}

func TestWrongUse(t *testing.T) {
	s := newSite(t, serve(content, ""))
	good := s.file(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*File){
		"no url":       func(f *File) { f.URL = "" },
		"local":        func(f *File) { f.URL = "file:///etc/hosts" },
		"no sum":       func(f *File) { f.Sum = Sum{} },
		"not a folder": func(f *File) { f.Path = filepath.Join(blocked, "x") },
	} {
		f := good
		change(&f)
		if err := quick().Fetch(context.Background(), f); !errors.Is(err, fault.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCache(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/somewhere")
	t.Setenv("HOME", "/home/x")
	if dir, err := Cache(); err != nil || filepath.Base(dir) != "rvflplus" {
		t.Errorf("%q, %v", dir, err)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if _, err := Cache(); runtime.GOOS == "linux" && !errors.Is(err, fault.Usage) {
		t.Errorf("without a home: %v", err)
	}
}

// git hash-object prints ce0136… for "hello\n"; sha256sum 5891b5….
func TestSum(t *testing.T) {
	const git, sha = "ce013625030ba8dba906f756967f9e9ca394464a",
		"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("hello\n")), nil }
	zeros := strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		sum   Sum
		limit int64
		text  string
	}{
		"sha":          {Sum{SHA256: sha}, 6, ""},
		"git":          {Sum{Git: git}, 6, ""},
		"either":       {Sum{SHA256: zeros, Git: git}, 100, ""},
		"wrong sha":    {Sum{SHA256: zeros}, 6, "x: the SHA-256 is " + sha + ", expected " + zeros},
		"wrong git":    {Sum{Git: zeros[:40]}, 6, "x: the git object is " + git},
		"beyond limit": {Sum{SHA256: sha, Git: git}, 5, "more than 5 bytes"},
	} {
		err := c.sum.Check(context.Background(), "x", c.limit, open)
		if (err == nil) != (c.text == "") || err != nil &&
			(!errors.Is(err, fault.Data) || !strings.Contains(err.Error(), c.text)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
