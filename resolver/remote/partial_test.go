package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// A download that was broken off is continued by another process, which has nothing but
// the cache.
func TestADownloadContinuesAfterANewStart(t *testing.T) {
	s := publish(t, "kettle", noise(t))
	changed := publish(t, "kettle", noise(t))
	for _, tt := range []struct {
		name   string
		etag   func(start int) string // of the archive, in the first and the second process
		served func(start int) []byte
		want   string // the Range of the second process
		from   *sample
	}{
		{"with an entity tag", func(int) string { return `"a"` }, func(int) []byte { return s.targz }, "bytes=1000-", s},
		{"without one", func(int) string { return "" }, func(int) []byte { return s.targz }, "", s},
		{"of a file that changed", func(start int) string { return fmt.Sprintf(`"%d"`, start) }, func(start int) []byte { return [][]byte{s.targz, changed.targz}[start] }, "bytes=1000-", changed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := 0
			server := fetchtest.NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if tag := tt.etag(start); tag != "" {
					w.Header().Set("Etag", tag)
				}
				w.Header().Set("Content-Type", "application/gzip")
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(tt.served(start)))
			}))
			server.Spoil(fetchtest.Fault{Path: ".tar.gz", Cut: 1000})
			o, ref := options(t), server.URL+"/kettle.tar.gz"
			if _, err := Open(context.Background(), mustRef(t, ref), o); err == nil {
				t.Fatal("the download was not broken off")
			}
			start++
			before := len(server.Requests())
			if a := mustOpen(t, ref, o); a.Entry.Tree != tt.from.tree {
				t.Errorf("%+v", a.Entry)
			}
			if got := server.Requests()[before].Header.Get("Range"); got != tt.want {
				t.Errorf("it asked for the range %q, want %q", got, tt.want)
			}
			if left, err := os.ReadDir(filepath.Join(o.Cache.Dir(), partialDir)); err != nil || len(left) != 0 {
				t.Errorf("%v is left, %v", left, err)
			}
		})
	}
}

// noise is text that does not get shorter than the place where a download is cut.
func noise(t *testing.T) string {
	t.Helper()
	data := make([]byte, 4<<10)
	if _, err := rand.Read(data); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", data)
}

// What a digest names never changes: no tag is needed.
func TestABlobOfARegistryContinuesAfterANewStart(t *testing.T) {
	s := publish(t, "kettle", noise(t))
	server, o := fetchtest.NewRegistry(t), options(t)
	ref, blob := "oci://"+server.Host()+"/acme/kettle", "/blobs/sha256:"+archive.SHA256(s.targz)
	push(t, o, ref, false, s)
	server.Spoil(fetchtest.Fault{Path: blob, Cut: 1000})
	if _, err := Open(context.Background(), mustRef(t, ref), o); err == nil {
		t.Fatal("the download was not broken off")
	}
	if a := mustOpen(t, ref, o); a.Entry.Tree != s.tree {
		t.Errorf("%+v", a.Entry)
	}
	asked := server.Requests()
	if last := asked[len(asked)-1]; !strings.HasSuffix(last.Path, blob) || last.Header.Get("Range") != "bytes=1000-" {
		t.Errorf("the last request is for %s, range %q", last.Path, last.Header.Get("Range"))
	}
}
