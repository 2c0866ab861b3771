package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	specs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/packgen/packgen/resolver/remote/signature"
)

// bundlePrefix begins the media type of a Sigstore bundle, in every version.
const bundlePrefix = "application/vnd.dev.sigstore.bundle"

// Bundles returns the signatures that are beside an archive: of a site or an address the
// one file whose name is that of the archive and [signature.Ending], of a registry what
// refers to the manifest. None is not an error. Errors are *Error and *MismatchError.
func (c *Client) Bundles(ctx context.Context, r Resolved) ([][]byte, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	u, err := c.parse("read the signature", r.URL)
	if err != nil {
		return nil, err
	}
	switch r.Source {
	case SourceSite, SourceURL:
		u.Path, u.RawPath = u.Path+signature.Ending, ""
		d, err := c.document(ctx, request{op: "read the signature", url: u, accept: "application/json"}, signature.MaxBundle)
		if isMissing(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return [][]byte{d.data}, nil
	case SourceOCI:
		base := *u
		base.Path, base.RawPath = u.Path[:max(0, strings.LastIndex(u.Path, "/blobs/"))], ""
		q := &registryQuery{client: c, base: &base, service: c.registryAt(&base)}
		return q.bundles(ctx, r.OCI)
	}
	return nil, nil
}

// isMissing reports that a server says there is no such thing.
func isMissing(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

// bundles reads the bundles that refer to a manifest, at most [signature.MaxBundles].
func (q *registryQuery) bundles(ctx context.Context, manifest string) ([][]byte, error) {
	referrers, err := q.referrers(ctx, manifest)
	if err != nil {
		return nil, err
	}
	var list [][]byte
	for _, r := range referrers {
		kind := r.ArtifactType
		if kind != "" && !strings.HasPrefix(kind, bundlePrefix) || !isDigest(string(r.Digest)) {
			continue // something else, such as an SBOM
		}
		if len(list) == signature.MaxBundles {
			break
		}
		data, err := q.bundle(ctx, string(r.Digest), manifest)
		if err != nil {
			return nil, err
		}
		if data != nil {
			list = append(list, data)
		}
	}
	return list, nil
}

// referrers asks what refers to a manifest. A registry that does not know keeps the list
// under a tag made of the digest.
func (q *registryQuery) referrers(ctx context.Context, manifest string) ([]specs.Descriptor, error) {
	places := []*url.URL{
		below(q.base, "referrers", manifest),
		below(q.base, "manifests", strings.Replace(manifest, ":", "-", 1)),
	}
	for _, at := range places {
		d, err := q.client.document(ctx, request{op: "ask for signatures", url: at, service: q.service, accept: specs.MediaTypeImageIndex}, maxOCI)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var index specs.Index
		if err := decode("ask for signatures", d, &index); err != nil {
			return nil, err
		}
		return index.Manifests, nil
	}
	return nil, nil
}

// bundle reads one bundle; nil when the manifest is about something else.
func (q *registryQuery) bundle(ctx context.Context, digest, about string) ([]byte, error) {
	d, err := q.manifest(ctx, digest, digest)
	if err != nil {
		return nil, err
	}
	var m specs.Manifest
	if err := decode("read the signature", d, &m); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(m.Layers, func(l specs.Descriptor) bool { return strings.HasPrefix(l.MediaType, bundlePrefix) })
	if at < 0 || m.Subject == nil || string(m.Subject.Digest) != about {
		return nil, nil
	}
	layer := m.Layers[at]
	if !isDigest(string(layer.Digest)) || layer.Size > signature.MaxBundle {
		return nil, q.fault(d, "the signature has no SHA-256 digest, or is too large")
	}
	r := request{op: "read the signature", url: below(q.base, "blobs", string(layer.Digest)), service: q.service}
	blob, err := q.client.document(ctx, r, signature.MaxBundle)
	if err != nil {
		return nil, err
	}
	if got := digestOf(blob.data); got != string(layer.Digest) {
		return nil, &MismatchError{URL: redacted(r.url), Want: string(layer.Digest), Got: got}
	}
	return blob.data, nil
}
