package fetch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// waits remembers how long a client wanted to sleep, and does not.
type waits struct {
	mu  sync.Mutex
	all []time.Duration
}

func (w *waits) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, d)
	return ctx.Err()
}

func (w *waits) list() []time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all
}

// testNow is what the clock of a test client shows.
var testNow = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// testClient is a client with the given environment that never sleeps.
func testClient(getenv func(string) string, change ...func(*Options)) (*Client, *waits) {
	w := &waits{}
	o := Options{Getenv: getenv, Sleep: w.sleep, Now: func() time.Time { return testNow }}
	if getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	for _, f := range change {
		f(&o)
	}
	return New(o), w
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// testDownload downloads into a file of the test and returns what it holds.
func (c *Client) testDownload(t *testing.T, r Resolved) ([]byte, string, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "archive")
	f := oktest.Value(os.Create(name))(t)
	defer f.Close()
	digest, size, err := c.Download(t.Context(), r, f)
	data, readErr := os.ReadFile(name)
	if readErr != nil {
		t.Fatal(readErr)
	}
	if err == nil && size != int64(len(data)) {
		t.Errorf("size %d, the file has %d", size, len(data))
	}
	return data, digest, err
}

// wantError checks the rule of an error and that it says each of the texts.
func wantError(t *testing.T, err error, rule string, says ...string) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v, want an *Error with rule %s", err, rule)
	}
	if e.Rule != rule {
		t.Errorf("rule %q, want %q: %v", e.Rule, rule, err)
	}
	said := err.Error() + "; " + e.Hint
	for _, text := range says {
		if !strings.Contains(said, text) {
			t.Errorf("error does not say %q: %s", text, said)
		}
	}
	if strings.ContainsAny(said, "\n\x1b") {
		t.Errorf("error is not one plain line: %q", err)
	}
	return e
}

// archiveOf is n bytes that differ from place to place.
func archiveOf(n int) []byte {
	data := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n]
	for i := 0; i+8 < n; i += 1000 {
		data[i] = byte(i / 1000)
	}
	return data
}

// noTokenIn checks that no request carried a token.
func noTokenIn(t *testing.T, s *fetchtest.Server, token string) {
	t.Helper()
	if len(s.Requests()) == 0 {
		t.Error("nothing was asked of this server")
	}
	for _, r := range s.Requests() {
		for name, values := range r.Header {
			if strings.Contains(strings.Join(values, " "), token) || name == "Authorization" || name == "Private-Token" || name == "Job-Token" {
				t.Errorf("%s came with %s", r.Path, name)
			}
		}
		if strings.Contains(r.Query, token) {
			t.Errorf("%s came with the token in its query", r.Path)
		}
	}
}
