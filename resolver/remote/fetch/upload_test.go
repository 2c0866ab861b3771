package fetch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	specs "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// large is a blob of several pieces, and what opens it.
func large() (specs.Descriptor, func() (io.ReadCloser, error)) {
	data := bytes.Repeat([]byte("0123456789abcdef"), (chunkBytes+chunkBytes/4)/16)
	return content.NewDescriptorFromBytes("", data), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
}

func targetAt(t *testing.T, server *fetchtest.Registry, name string, uploads Uploads, change ...func(*Options)) *Target {
	t.Helper()
	c, _ := testClient(func(string) string { return "" }, append(change, func(o *Options) { o.Uploads = uploads })...)
	return oktest.Value(c.Target(t.Context(), Registry{Host: server.Host(), Name: name}))(t)
}

// sentRanges are the pieces that came to a registry.
func sentRanges(server *fetchtest.Registry) []string {
	var list []string
	for _, q := range server.Requests() {
		if piece := q.Header.Get("Content-Range"); piece != "" {
			list = append(list, piece)
		}
	}
	return list
}

func TestAnUploadContinuesWhereItBroke(t *testing.T) {
	part, open := large()
	memory := Uploads{Name: filepath.Join(t.TempDir(), "cache", "uploads.json")}
	for name, tt := range map[string]struct {
		retries int
		between func(*fetchtest.Registry)
		want    []string
	}{
		"in the same process":                         {4, nil, []string{"0-4194303", "4194304-5242879", "5000000-5242879"}},
		"after a new start":                           {-1, func(*fetchtest.Registry) {}, []string{"0-4194303", "4194304-5242879", "5000000-5242879"}},
		"from its start where the registry forgot it": {-1, (*fetchtest.Registry).ForgetUploads, []string{"0-4194303", "4194304-5242879", "0-4194303", "4194304-5242879"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := fetchtest.NewRegistry(t)
			server.BreakAt = 5_000_000
			retries := func(o *Options) { o.Retries = tt.retries }
			_, err := targetAt(t, server, "p", memory, retries).Blob(t.Context(), part, open)
			if tt.between != nil {
				if err == nil {
					t.Error("the broken upload succeeded")
				}
				tt.between(server)
				_, err = targetAt(t, server, "p", memory, retries).Blob(t.Context(), part, open)
			}
			oktest.Check(t, err)
			if got := sentRanges(server); !slices.Equal(got, tt.want) {
				t.Errorf("sent %v, want %v", got, tt.want)
			}
			if written, err := targetAt(t, server, "p", memory).Blob(t.Context(), part, open); err != nil || written {
				t.Errorf("again: %v, %v", written, err)
			}
			if at := (rememberedAt{Host: server.Host(), Repository: "p", Digest: part.Digest.String()}); memory.continued(at, targetAt(t, server, "p", memory).base) != nil {
				t.Error("the finished upload is remembered as broken off")
			}
		})
	}
}

func TestABlobOfAnotherRepositoryIsMounted(t *testing.T) {
	part := content.NewDescriptorFromBytes("", []byte("text"))
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("text")), nil }
	for name, tt := range map[string]struct {
		change func(*fetchtest.Registry)
		memory bool
		want   bool // written in the second repository
	}{
		"mounted":                         {func(*fetchtest.Registry) {}, true, false},
		"a registry that does not mount":  {func(r *fetchtest.Registry) { r.NoMount = true }, true, true},
		"nothing is known":                {func(*fetchtest.Registry) {}, false, true},
		"a registry that refuses to":      {func(r *fetchtest.Registry) { r.Spoil(fetchtest.Fault{Path: "/v2/second/blobs/uploads/", Status: 403}) }, true, true},
		"it is gone from the other place": {func(r *fetchtest.Registry) { r.Forget("first") }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			server := fetchtest.NewRegistry(t)
			server.Separate = true
			memory := Uploads{}
			if tt.memory {
				memory.Name = filepath.Join(t.TempDir(), "uploads.json")
			}
			if written, err := targetAt(t, server, "first", memory).Blob(t.Context(), part, open); err != nil || !written {
				t.Fatalf("first: %v, %v", written, err)
			}
			tt.change(server)
			if written, err := targetAt(t, server, "second", memory).Blob(t.Context(), part, open); err != nil || written != tt.want {
				t.Errorf("written %v, want %v; %v", written, tt.want, err)
			}
			if written, err := targetAt(t, server, "second", memory).Blob(t.Context(), part, open); err != nil || written {
				t.Errorf("again: %v, %v", written, err)
			}
		})
	}
}

// A registry that leads an upload to another server gets no byte of it there, and no login.
func TestAnUploadStaysAtItsRegistry(t *testing.T) {
	part, open := large()
	other := fetchtest.NewServer(t, http.NotFoundHandler())
	server := fetchtest.NewRegistry(t)
	for _, location := range []string{other.URL + "/x", "https://169.254.169.254/x", ""} {
		server.Spoil(fetchtest.Fault{Path: "/blobs/uploads/", Times: 1, Status: http.StatusAccepted, Header: map[string]string{"Location": location}})
		_, err := targetAt(t, server, "p", Uploads{}).Blob(t.Context(), part, open)
		wantError(t, err, ruleContent, "sends the upload to another server, or nowhere")
	}
	if n := len(other.Requests()); n != 0 {
		t.Errorf("the other server was asked %d times", n)
	}
}

func TestAnUploadThatIsRefusedSaysWhy(t *testing.T) {
	part, open := large()
	for status, rule := range map[int]string{http.StatusForbidden: ruleToken, http.StatusTooManyRequests: ruleRateLimit, http.StatusInternalServerError: ruleServer} {
		server := fetchtest.NewRegistry(t)
		server.Spoil(fetchtest.Fault{Path: "/blobs/uploads/", Times: -1, Status: status})
		_, err := targetAt(t, server, "p", Uploads{}).Blob(t.Context(), part, open)
		var e *Error
		if !errors.As(err, &e) || e.Rule != rule || e.Hint == "" {
			t.Errorf("%d: %v", status, err)
		}
	}
	// The bytes are not those of the digest.
	server := fetchtest.NewRegistry(t)
	wrong := part
	wrong.Digest = content.NewDescriptorFromBytes("", []byte("other")).Digest
	if _, err := targetAt(t, server, "p", Uploads{}).Blob(t.Context(), wrong, open); err == nil || server.Uploads() != 1 {
		t.Errorf("%v after %d uploads", err, server.Uploads())
	}
}

// What is remembered is bounded, and a file that cannot be used is an empty one.
func TestTheMemoryOfUploadsIsBounded(t *testing.T) {
	u := Uploads{Name: filepath.Join(t.TempDir(), "uploads.json")}
	oktest.Check(t, os.WriteFile(u.Name, []byte("{broken"), 0o600))
	for i := range maxRemembered + 10 {
		u.done(rememberedAt{Host: "h", Repository: "r", Digest: digestOf([]byte(strings.Repeat("x", i)))})
	}
	m := u.read()
	if len(m.Blobs) != maxRemembered || m.Blobs[0].Digest != digestOf([]byte(strings.Repeat("x", maxRemembered+9))) {
		t.Errorf("%d blobs, the first is %+v", len(m.Blobs), m.Blobs[0])
	}
}
