package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	specs "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
)

// chunkBytes is how much of a blob one request sends: what a broken connection loses. A
// blob that is no larger is sent in one request.
const chunkBytes = 4 << 20

// upload is a blob that is sent in pieces: the chunked upload of the distribution
// specification, which the library of registries does not have.
type upload struct {
	target   *Target
	part     specs.Descriptor
	memory   rememberedAt
	location *url.URL // where the next piece goes; nil before it has begun
	offset   int64    // bytes that the registry has; -1 where it has to be asked
}

// errUploadGone says that the registry does not know an upload any more.
var errUploadGone = errors.New("the registry has forgotten the upload")

// send sends what the registry does not have yet.
func (u *upload) send(ctx context.Context, content io.Reader) error {
	if err := u.begin(ctx); err != nil {
		return err
	}
	if err := skip(content, u.offset); err != nil {
		return &openError{fmt.Errorf("read the archive: %w", err)}
	}
	piece := make([]byte, chunkBytes)
	for u.offset < u.part.Size {
		n := min(int64(len(piece)), u.part.Size-u.offset)
		if _, err := io.ReadFull(content, piece[:n]); err != nil {
			return &openError{fmt.Errorf("read the archive: %w", err)}
		}
		header := http.Header{"Content-Range": {fmt.Sprintf("%d-%d", u.offset, u.offset+n-1)}}
		next := u.offset + n
		u.offset = -1 // until the answer says so, nobody knows how much came
		res, err := u.ask(ctx, http.MethodPatch, u.location, header, piece[:n])
		if err != nil {
			return err
		}
		if res.StatusCode != http.StatusAccepted {
			return u.refused(res, "a piece of the upload")
		}
		if err := u.follow(res); err != nil {
			return err
		}
		if u.offset = next; rangeEnd(res) != next {
			u.offset = -1
			return &Error{Op: "write the blob", URL: redacted(u.target.base), Rule: ruleServer, What: "the registry took another part of a piece than it was sent", Hint: "try again", again: true}
		}
	}
	return u.finish(ctx)
}

// skip leaves out what has been sent.
func skip(content io.Reader, n int64) error {
	if file, ok := content.(io.Seeker); ok {
		_, err := file.Seek(n, io.SeekStart)
		return err
	}
	_, err := io.CopyN(io.Discard, content, n)
	return err
}

// finish says what has been sent: the registry compares it with the digest.
func (u *upload) finish(ctx context.Context) error {
	at := *u.location
	q := at.Query()
	q.Set("digest", u.part.Digest.String())
	at.RawQuery = q.Encode()
	u.offset = -1
	res, err := u.ask(ctx, http.MethodPut, &at, nil, []byte{})
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusCreated {
		u.forget()
		return u.refused(res, "the end of the upload")
	}
	return nil
}

// begin begins an upload, or asks how far the one that was begun has come.
func (u *upload) begin(ctx context.Context) error {
	if u.location == nil {
		if u.location = u.target.client.options.Uploads.continued(u.memory, u.target.base); u.location != nil {
			u.offset = -1
		}
	}
	if u.location != nil && u.offset >= 0 {
		return nil
	}
	if u.location != nil {
		err := u.status(ctx)
		if !errors.Is(err, errUploadGone) {
			return err
		}
		u.forget()
	}
	res, err := u.ask(ctx, http.MethodPost, below(u.target.base, "blobs", "uploads", ""), nil, []byte{})
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusAccepted {
		return u.refused(res, "an upload")
	}
	u.offset = 0
	return u.follow(res)
}

// status asks how much of the upload the registry has.
func (u *upload) status(ctx context.Context) error {
	res, err := u.ask(ctx, http.MethodGet, u.location, nil, nil)
	if err != nil {
		return err
	}
	if isPassing(res.StatusCode) || res.StatusCode == http.StatusTooManyRequests {
		return u.refused(res, "an upload that was begun")
	}
	end := rangeEnd(res)
	if res.StatusCode != http.StatusNoContent && res.StatusCode != http.StatusAccepted || end < 0 || end > u.part.Size {
		return errUploadGone
	}
	u.offset = end
	if res.Header.Get("Location") == "" {
		return nil
	}
	return u.follow(res)
}

// forget gives an upload up: the next one begins at its start.
func (u *upload) forget() {
	u.location, u.offset = nil, 0
	at := u.memory
	at.Location = ""
	u.target.client.options.Uploads.begun(at)
}

// follow takes over where the next piece goes. It stays at the registry, as does the
// login.
func (u *upload) follow(res *http.Response) error {
	location, err := res.Location()
	if err != nil || origin(location) != origin(u.target.base) {
		u.forget()
		return &Error{Op: "write the blob", URL: redacted(u.target.base), Rule: ruleContent, What: "the registry sends the upload to another server, or nowhere", Hint: "ask its owner"}
	}
	u.location = location
	at := u.memory
	at.Location = location.String()
	u.target.client.options.Uploads.begun(at)
	return nil
}

// ask sends a request of the upload and reads the answer to its end.
func (u *upload) ask(ctx context.Context, method string, at *url.URL, header http.Header, body []byte) (*http.Response, error) {
	ctx = auth.AppendRepositoryScope(ctx, u.target.repository.Reference, auth.ActionPull, auth.ActionPush)
	req, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for key, values := range header {
		req.Header[key] = values
	}
	if method == http.MethodPatch || method == http.MethodPut {
		req.Header.Set("Content-Type", "application/octet-stream")
	}
	res, err := u.target.repository.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, maxOCI))
	return res, err
}

// refused explains an answer.
func (u *upload) refused(res *http.Response, what string) error {
	e := &Error{
		Op: "write the blob", URL: redacted(u.target.base), Status: res.StatusCode, Rule: ruleServer,
		What: fmt.Sprintf("%d %s for %s", res.StatusCode, http.StatusText(res.StatusCode), what), Hint: "ask its owner",
		again: isPassing(res.StatusCode) || res.StatusCode == http.StatusRequestedRangeNotSatisfiable,
	}
	switch res.StatusCode {
	case http.StatusNotFound:
		if e.again = u.location != nil; !e.again {
			e.Rule, e.Hint = RuleNotFound, "check the name of the repository"
		}
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Rule, e.Hint = ruleToken, u.target.service.missing
	case http.StatusTooManyRequests:
		e.Rule, e.Hint, e.again = ruleRateLimit, "wait, then try again", true
	}
	return e
}

// rangeEnd is how many bytes an answer says that there are; -1 where it does not say so.
func rangeEnd(res *http.Response) int64 {
	text := strings.TrimPrefix(res.Header.Get("Range"), "bytes=")
	first, last, ok := strings.Cut(text, "-")
	n, err := strconv.ParseInt(last, 10, 64)
	switch {
	case !ok || first != "0" || err != nil || n < 0:
		return -1
	case n == 0:
		return 0 // also what registries say before the first byte
	}
	return n + 1
}

// Limits of the memory of uploads.
const (
	maxRemembered  = 500     // blobs, and uploads, each
	maxMemoryBytes = 1 << 20 // of its file
	memoryVersion  = 1
)

// Uploads remembers, in a file of a user's own, in which repositories blobs are and which
// uploads were broken off. What it forgets is sent again; processes that write it at once
// may lose an entry. Its zero value remembers nothing.
type Uploads struct {
	Name string // the file; its directory is made
}

// uploadMemory is what the file holds, newest first.
type uploadMemory struct {
	Version int            `json:"version"`
	Blobs   []rememberedAt `json:"blobs"`
	Begun   []rememberedAt `json:"begun"`
}

// rememberedAt is a blob in a repository; Location is where its upload continues.
type rememberedAt struct {
	Host       string `json:"host"`
	Repository string `json:"repository"`
	Digest     string `json:"digest"`
	Location   string `json:"location,omitempty"`
}

// read reads the file. One that cannot be used is an empty one.
func (u Uploads) read() uploadMemory {
	var m uploadMemory
	if u.Name == "" {
		return m
	}
	data, err := atomicfile.Read(u.Name, maxMemoryBytes)
	if err != nil || json.Unmarshal(data, &m) != nil || m.Version != memoryVersion {
		return uploadMemory{}
	}
	return m
}

// change writes the file as change makes it. That it cannot be written costs an upload at
// most.
func (u Uploads) change(change func(*uploadMemory)) {
	if u.Name == "" {
		return
	}
	m := u.read()
	m.Version = memoryVersion
	change(&m)
	m.Blobs, m.Begun = m.Blobs[:min(len(m.Blobs), maxRemembered)], m.Begun[:min(len(m.Begun), maxRemembered)]
	data, err := json.Marshal(m)
	if err == nil && regularfile.MkdirAll(filepath.Dir(u.Name), 0o700) == nil {
		_ = atomicfile.Write(u.Name, data) // see above
	}
}

// same reports the same blob of the same repository.
func (r rememberedAt) same(other rememberedAt) bool {
	return r.Host == other.Host && r.Repository == other.Repository && r.Digest == other.Digest
}

// done remembers that a repository has a blob.
func (u Uploads) done(at rememberedAt) {
	at.Location = ""
	u.change(func(m *uploadMemory) {
		m.Begun = slices.DeleteFunc(m.Begun, at.same)
		m.Blobs = slices.Insert(slices.DeleteFunc(m.Blobs, at.same), 0, at)
	})
}

// begun remembers where an upload continues; "" forgets it.
func (u Uploads) begun(at rememberedAt) {
	u.change(func(m *uploadMemory) {
		m.Begun = slices.DeleteFunc(m.Begun, at.same)
		if at.Location != "" {
			m.Begun = slices.Insert(m.Begun, 0, at)
		}
	})
}

// elsewhere is another repository of the host that has the blob, "" for none.
func (u Uploads) elsewhere(at rememberedAt) string {
	for _, known := range u.read().Blobs {
		if known.Host == at.Host && known.Digest == at.Digest && known.Repository != at.Repository {
			return known.Repository
		}
	}
	return ""
}

// continued is where the upload of a blob continues; nil for none.
func (u Uploads) continued(at rememberedAt, base *url.URL) *url.URL {
	for _, known := range u.read().Begun {
		if location, err := url.Parse(known.Location); err == nil && known.same(at) && origin(location) == origin(base) {
			return location
		}
	}
	return nil
}
