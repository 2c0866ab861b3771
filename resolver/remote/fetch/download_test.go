package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return digestPrefix + hex.EncodeToString(sum[:])
}

// tagged serves one archive with an entity tag and Range.
func tagged(t *testing.T, data []byte, tag string) *fetchtest.Server {
	return fetchtest.NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tag != "" {
			w.Header().Set("Etag", tag)
		}
		http.ServeContent(w, r, "a.tar.gz", time.Time{}, bytes.NewReader(data))
	}))
}

func TestDownloadGoesOnWhereItStopped(t *testing.T) {
	data := archiveOf(300_000)
	cut := fetchtest.Fault{Cut: 100_000}
	for _, tt := range []struct {
		name   string
		tag    string
		faults []fetchtest.Fault
		ranges []string // asked for, in order
	}{
		{"nothing wrong", `"v1"`, nil, []string{""}},
		{"cut", `"v1"`, []fetchtest.Fault{cut}, []string{"", "bytes=100000-"}},
		{"cut twice", `"v1"`, []fetchtest.Fault{cut, cut}, []string{"", "bytes=100000-", "bytes=200000-"}},
		{"announced too long", `"v1"`, []fetchtest.Fault{{Length: 400_000}}, []string{"", "bytes=300000-", ""}},
		{"no entity tag", "", []fetchtest.Fault{cut}, []string{"", ""}},
		{"weak entity tag", `W/"v1"`, []fetchtest.Fault{cut}, []string{"", ""}},
		{"an entity tag that cannot be sent back", `"v 1"`, []fetchtest.Fault{cut}, []string{"", ""}},
		{"server without ranges", `"v1"`, []fetchtest.Fault{{Cut: 100_000, Header: map[string]string{"Accept-Ranges": "none"}}}, []string{"", ""}},
		{"Range ignored", `"v1"`, []fetchtest.Fault{cut, {IgnoreRange: true}}, []string{"", "bytes=100000-"}},
		{"wrong part", `"v1"`, []fetchtest.Fault{cut, {WrongRange: true}}, []string{"", "bytes=100000-", ""}},
		{"416", `"v1"`, []fetchtest.Fault{cut, {Status: 416}}, []string{"", "bytes=100000-", ""}},
		{"another file meanwhile", `"v1"`, []fetchtest.Fault{{Cut: 100_000, Header: map[string]string{"Etag": `"old"`}}}, []string{"", "bytes=100000-"}},
		{"a part of another file", `"v1"`, []fetchtest.Fault{cut, {Header: map[string]string{"Etag": `"new"`}}}, []string{"", "bytes=100000-", ""}},
		{"a part of another length", `"v1"`, []fetchtest.Fault{cut, {Header: map[string]string{"Content-Range": "bytes 100000-299999/300001"}}}, []string{"", "bytes=100000-", ""}},
		{"a part without Content-Range", `"v1"`, []fetchtest.Fault{cut, {Header: map[string]string{"Content-Range": ""}}}, []string{"", "bytes=100000-", ""}},
		{"500 in between", `"v1"`, []fetchtest.Fault{cut, {Status: 500}}, []string{"", "bytes=100000-", "bytes=100000-"}},
		{"slow", `"v1"`, []fetchtest.Fault{{Stall: 100_000}}, []string{"", "bytes=100000-"}},
		{"no length announced", `"v1"`, []fetchtest.Fault{{Chunked: true}}, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tagged(t, data, tt.tag)
			s.Spoil(tt.faults...)
			c, _ := testClient(nil, func(o *Options) {
				if tt.name == "slow" {
					o.Timeouts.Idle = 300 * time.Millisecond
				}
			})
			got, digest, err := c.testDownload(t, Resolved{Source: SourceURL, URL: s.URL + "/a.tar.gz", Digest: sha(data)})
			oktest.Check(t, err)
			if !bytes.Equal(got, data) || digest != sha(data) {
				t.Errorf("%d bytes, digest %s", len(got), digest)
			}
			var ranges []string
			for _, r := range s.Requests() {
				ranges = append(ranges, r.Header.Get("Range"))
				if r.Header.Get("Range") != "" && r.Header.Get("If-Range") == "" {
					t.Error("Range without If-Range")
				}
			}
			if strings.Join(ranges, "|") != strings.Join(tt.ranges, "|") {
				t.Errorf("ranges %q, want %q", ranges, tt.ranges)
			}
		})
	}
}

func TestDownloadFailures(t *testing.T) {
	data := archiveOf(10_000)
	for _, tt := range []struct {
		name  string
		fault fetchtest.Fault
		limit int64
		size  int64
		rule  string
		says  string
		asked int
	}{
		{"cut for ever", fetchtest.Fault{Cut: 1, Times: -1, IgnoreRange: true}, 0, 0, ruleTruncated, "ended early, after 5 tries", 5},
		{"too large as announced", fetchtest.Fault{}, 9_999, 0, RuleTooLarge, "larger than 9.8 KiB", 1},
		{"too large as counted", fetchtest.Fault{Chunked: true}, 9_999, 0, RuleTooLarge, "larger than 9.8 KiB", 1},
		{"not the manifest's size", fetchtest.Fault{}, 0, 9_000, ruleTruncated, "the server has 10000 bytes, its manifest says 9000", 1},
		{"fewer bytes than the manifest's size", fetchtest.Fault{Chunked: true, Times: -1, IgnoreRange: true}, 0, 11_000, ruleTruncated, "10000 bytes came, 11000 were announced", 5},
		{"a login page", fetchtest.Fault{Header: map[string]string{"Content-Type": "text/html; charset=utf-8"}}, 0, 0, ruleContent, "a web page came, not an archive", 1},
		{"404", fetchtest.Fault{Status: 404}, 0, 0, RuleNotFound, "404 Not Found", 1},
		{"410", fetchtest.Fault{Status: 410}, 0, 0, RuleExpired, "let CI build it again", 1},
		{"stalled", fetchtest.Fault{Stall: 1, Times: -1}, 0, 0, ruleTimeout, "too slow", 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tagged(t, data, `"v1"`)
			s.Spoil(tt.fault)
			c, _ := testClient(nil, func(o *Options) {
				o.Limits.ArchiveBytes = tt.limit
				if tt.fault.Stall > 0 {
					o.Timeouts.Idle = 20 * time.Millisecond
				}
			})
			got, _, err := c.testDownload(t, Resolved{Source: SourceSite, Name: "p", URL: s.URL + "/a.tar.gz", Size: tt.size})
			wantError(t, err, tt.rule, tt.says, "download p: "+s.URL)
			if n := len(s.Requests()); n != tt.asked {
				t.Errorf("%d requests, want %d", n, tt.asked)
			}
			if tt.limit > 0 && int64(len(got)) > tt.limit {
				t.Errorf("%d bytes were written", len(got))
			}
		})
	}
}

// What is said to be there is compared with what came, in both directions.
func TestWrongLengthIsNoticed(t *testing.T) {
	data := archiveOf(10_000)
	s := tagged(t, data, `"v1"`)
	s.Spoil(fetchtest.Fault{Length: 9_000, Times: -1})
	c, _ := testClient(nil)
	_, _, err := c.testDownload(t, Resolved{Source: SourceSite, URL: s.URL, Size: 10_000, Digest: sha(data)})
	wantError(t, err, ruleTruncated, "the server has 9000 bytes, its manifest says 10000")
	_, _, err = c.testDownload(t, Resolved{Source: SourceURL, URL: s.URL, Digest: sha(data)})
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || mismatch.Got != sha(data[:9_000]) {
		t.Errorf("a short length was believed: %v", err)
	}
}

func TestLyingDigestIsAMismatch(t *testing.T) {
	data := archiveOf(10_000)
	s := tagged(t, data, `"v1"`)
	s.Spoil(fetchtest.Fault{Corrupt: true})
	c, _ := testClient(nil)
	_, digest, err := c.testDownload(t, Resolved{Source: SourceURL, URL: s.URL + "/a.zip?sig=secret", Digest: sha(data)})
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) || mismatch.Want != sha(data) || mismatch.Got != digest || mismatch.Got == mismatch.Want {
		t.Fatalf("error %v", err)
	}
	if strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), mismatch.Want) || !strings.Contains(err.Error(), mismatch.Got) {
		t.Errorf("error %v", err)
	}
	for _, digest := range []string{"sha256:", "sha512:" + strings.Repeat("0", 64), strings.Repeat("0", 64), "sha256:" + strings.Repeat("A", 64)} {
		_, _, err := c.testDownload(t, Resolved{Source: SourceURL, URL: s.URL, Digest: digest})
		wantError(t, err, ruleContent, "not a SHA-256 digest")
	}
}

func TestDownloadReplacesWhatTheFileHeld(t *testing.T) {
	data := archiveOf(1_000)
	s := tagged(t, data, "")
	name := filepath.Join(t.TempDir(), "archive")
	oktest.Check(t, os.WriteFile(name, archiveOf(5_000), 0o600))
	f := oktest.Value(os.OpenFile(name, os.O_RDWR, 0))(t)
	defer f.Close()
	c, _ := testClient(nil)
	if _, size, err := c.Download(t.Context(), Resolved{Source: SourceURL, URL: s.URL}, f); err != nil || size != 1_000 {
		t.Fatal(size, err)
	}
	if got, _ := os.ReadFile(name); !bytes.Equal(got, data) {
		t.Errorf("the file has %d bytes", len(got))
	}
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	s := tagged(t, archiveOf(10), "")
	f, err := os.Open(os.DevNull)
	oktest.Check(t, err)
	defer f.Close()
	c, _ := testClient(nil)
	_, _, err = c.Download(t.Context(), Resolved{Source: SourceURL, URL: s.URL}, f)
	wantError(t, err, ruleWrite)
}

func TestProgressReportsBytesDoneAndTotal(t *testing.T) {
	data := archiveOf(3 * progressStep)
	s := tagged(t, data, `"v1"`)
	var all []Progress
	c, _ := testClient(nil, func(o *Options) { o.Progress = func(p Progress) { all = append(all, p) } })
	if _, _, err := c.testDownload(t, Resolved{Source: SourceURL, Name: "a", URL: s.URL + "/a.zip?sig=secret"}); err != nil {
		t.Fatal(err)
	}
	if len(all) < 3 || len(all) > 8 {
		t.Errorf("%d reports", len(all))
	}
	last := all[len(all)-1]
	if want := (Progress{"a", s.URL + "/a.zip", int64(len(data)), int64(len(data))}); last != want {
		t.Errorf("last report %+v, want %+v", last, want)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Done < all[i-1].Done {
			t.Errorf("reports go back: %+v", all)
		}
	}
}

func TestDownloadsAreBounded(t *testing.T) {
	const jobs = 2
	var now, most atomic.Int32
	s := fetchtest.NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		_, _ = w.Write([]byte("x"))
	}))
	c, _ := testClient(nil, func(o *Options) { o.Jobs = jobs })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, _, err := c.testDownload(t, Resolved{Source: SourceURL, URL: s.URL}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most.Load() > jobs {
		t.Errorf("%d downloads at a time, want at most %d", most.Load(), jobs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.places <- struct{}{}
	c.places <- struct{}{}
	_, _, err := c.Download(ctx, Resolved{Source: SourceURL, URL: s.URL}, os.Stdout)
	wantError(t, err, ruleInterrupted)
}

func TestInterruptedDownloadStops(t *testing.T) {
	s := tagged(t, archiveOf(100_000), `"v1"`)
	s.Spoil(fetchtest.Fault{Stall: 50_000, Times: -1})
	ctx, cancel := context.WithCancel(t.Context())
	c, w := testClient(nil, func(o *Options) { o.Progress = func(Progress) { cancel() } })
	f, err := os.Create(filepath.Join(t.TempDir(), "a"))
	oktest.Check(t, err)
	defer f.Close()
	_, _, err = c.Download(ctx, Resolved{Source: SourceURL, URL: s.URL}, f)
	wantError(t, err, ruleInterrupted)
	if !errors.Is(err, context.Canceled) || len(w.list()) != 0 {
		t.Errorf("%v, waits %v", err, w.list())
	}
}

func TestContentRangeIsReadStrictly(t *testing.T) {
	for value, want := range map[string][3]int64{
		"bytes 5-9/10": {5, 10, 1}, "bytes 5-9/*": {5, -1, 1}, "bytes 0-0/1": {0, 1, 1},
		"": {}, "bytes */10": {}, "bytes 9-5/10": {}, "bytes 5-9/9": {}, "bytes -9/10": {}, "bytes 5-9": {},
		"bytes +5-9/10": {}, "bytes 5-99999999999999999999/10": {}, "items 5-9/10": {},
	} {
		first, total, ok := contentRange(value)
		if ok != (want[2] == 1) || ok && (first != want[0] || total != want[1]) {
			t.Errorf("contentRange(%q) = %d, %d, %v", value, first, total, ok)
		}
	}
}

func TestURLTakesArchivesOnly(t *testing.T) {
	c, _ := testClient(nil)
	for address, name := range map[string]string{
		"https://h/a/pack.tar.gz": "pack.tar.gz", "https://h/p.ZIP?x=1": "p.ZIP", "https://h/p.tgz#x": "p.tgz", "https://h/p.tar": "p.tar",
		"https://h/": "", "https://h/p.html": "", "http://h/p.zip": "", "https://u@h/p.zip": "", "ftp://h/p.zip": "", "p.zip": "", "https://h/%zz.zip": "", "https:///p.zip": "",
	} {
		r, err := c.URL(t.Context(), address)
		if name == "" {
			wantError(t, err, ruleAddress)
			continue
		}
		if err != nil || r.Name != name || r.Source != SourceURL || strings.Contains(r.URL, "#") {
			t.Errorf("%s: %+v, %v", address, r, err)
		}
	}
	s := fetchtest.NewSite(t, "", fstest.MapFS{"p.zip": {Data: []byte("x")}})
	r := oktest.Value(c.URL(t.Context(), s.URL+"/p.zip"))(t)
	if got, _, err := c.testDownload(t, r); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}
