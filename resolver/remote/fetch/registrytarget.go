package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	specs "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry"
	ociremote "oras.land/oras-go/v2/registry/remote"
)

// Target is a repository that is written to.
type Target struct {
	client     *Client
	service    *service
	base       *url.URL
	repository *ociremote.Repository
}

// Target returns a repository to write to. Errors are *Error.
func (c *Client) Target(ctx context.Context, r Registry) (*Target, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	base, err := c.Repository(ctx, r)
	if err != nil {
		return nil, err
	}
	s := &service{name: "the registry", base: base, missing: c.registryAt(base).missing}
	t := &Target{client: c, service: s, base: base}
	t.repository = &ociremote.Repository{
		Client:    c.loggedIn(s, base, t.redirect),
		Reference: registry.Reference{Registry: base.Host, Repository: strings.TrimPrefix(base.Path, "/v2/")},
		PlainHTTP: base.Scheme == "http",
		// A list of referrers that is replaced stays: many registries forbid to delete.
		SkipReferrersGC: true,
	}
	s.send = t.repository.Client.Do
	return t, nil
}

// redirect follows a redirect to where it may lead; the library takes the login away when
// it leaves the registry.
func (t *Target) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	return t.client.allowed("write to the registry", req.URL, via[len(via)-1].URL)
}

// Blob writes a part of a pack unless the registry has it: one that another repository of
// the registry is known to have is taken from there, and an upload that was broken off is
// continued. open is called for each try. Errors are *Error, except those of open.
func (t *Target) Blob(ctx context.Context, part specs.Descriptor, open func() (io.ReadCloser, error)) (written bool, err error) {
	at := rememberedAt{Host: t.base.Host, Repository: t.repository.Reference.Repository, Digest: part.Digest.String()}
	u := &upload{target: t, part: part, memory: at}
	memory := t.client.options.Uploads
	err = t.try(ctx, "write "+part.Digest.String()[:19], func(ctx context.Context) error {
		have, err := t.repository.Blobs().Exists(ctx, part)
		if err != nil || have {
			written = false
			return err
		}
		if from := memory.elsewhere(at); from != "" && t.mount(ctx, part, from) {
			written = false
			return nil
		}
		content, err := open()
		if err != nil {
			return &openError{err}
		}
		defer content.Close()
		written = true
		if part.Size > chunkBytes {
			return u.send(ctx, content)
		}
		return t.repository.Blobs().Push(ctx, part, content)
	})
	if err == nil {
		memory.done(at)
	}
	return written, err
}

// errNotMounted says that a registry does not take a blob from another repository.
var errNotMounted = errors.New("not mounted")

// mount takes a blob from another repository of the registry. Where that fails, the blob is
// sent.
func (t *Target) mount(ctx context.Context, part specs.Descriptor, from string) bool {
	err := t.repository.Blobs().(registry.Mounter).Mount(ctx, part, from, func() (io.ReadCloser, error) { return nil, errNotMounted })
	return err == nil
}

// Manifest writes a manifest or an index, by its digest and under each tag. Errors are
// *Error.
func (t *Target) Manifest(ctx context.Context, manifest specs.Descriptor, data []byte, tags ...string) error {
	if len(tags) == 0 {
		tags = []string{manifest.Digest.String()}
	}
	for _, tag := range tags {
		err := t.try(ctx, "write the manifest", func(ctx context.Context) error {
			return t.repository.Manifests().PushReference(ctx, manifest, bytes.NewReader(data), tag)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// openError is an error of the caller's own.
type openError struct{ error }

// try calls once as often as a download is tried.
func (t *Target) try(ctx context.Context, op string, once func(context.Context) error) error {
	switch {
	case t.client.unusable != nil:
		return t.client.unusable
	case t.client.options.Offline:
		return &Error{Op: op, URL: redacted(t.base), Rule: ruleOffline, What: "not asked, since --offline is set", Hint: "run it without --offline"}
	}
	ctx, cancel := t.client.bounded(ctx)
	defer cancel()
	return t.client.tries(ctx, func(ctx context.Context) error {
		err := once(ctx)
		if err == nil {
			return nil
		}
		return t.explain(ctx, op, err)
	})
}

// explain makes an *Error of what the library says.
func (t *Target) explain(ctx context.Context, op string, err error) error {
	var own *openError
	if errors.As(err, &own) {
		return own.error
	}
	if ctx.Err() == nil {
		if e := t.client.notLoggedIn(t.service, op, t.base, err); e != nil {
			return e
		}
	}
	return t.client.broken(ctx, op, t.base, err)
}
