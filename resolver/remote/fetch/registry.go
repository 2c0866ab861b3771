package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	specs "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/registry"
	ociremote "oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/packgen/packgen/resolver/remote/login"
)

// The media types of a pack in a registry.
const (
	PackType    = "application/vnd.packgen.pack.v1"          // artifactType of a pack's manifest
	CatalogType = "application/vnd.packgen.catalog.v1"       // artifactType of an index of packs
	ConfigType  = "application/vnd.packgen.pack.v1+json"     // of its config, which is pack.json
	ArchiveType = "application/vnd.packgen.pack.v1.tar+gzip" // of its one layer, which is the archive
)

// maxOCI is the largest manifest or index of a registry that is read, in bytes.
const maxOCI = 4 << 20

// Registry names a pack, or an index of packs, in a registry.
type Registry struct {
	Host   string // with its port
	Name   string // of the repository
	Tag    string // "" with a Digest
	Digest string // of the manifest: it counts, and a tag beside it is only for people
}

// reference is what stands for the manifest in an address.
func (r Registry) reference() string {
	if r.Digest != "" {
		return r.Digest
	}
	return r.Tag
}

// Registry finds a pack in a registry: its manifest, in an index the one of the
// pack that is named, and its pack.json. Each is compared with its digest. An index of
// several packs, none of them named, is a *ChooseError; bytes that are not those
// of their digest a *MismatchError; other errors are *Error.
func (c *Client) Registry(ctx context.Context, r Registry, pack string) (Resolved, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	base, err := c.Repository(ctx, r)
	if err != nil {
		return Resolved{}, err
	}
	q := &registryQuery{client: c, base: base, pack: pack, service: c.registryAt(base)}
	d, err := q.manifest(ctx, r.reference(), r.Digest)
	if err != nil {
		return Resolved{}, err
	}
	digest := digestOf(d.data)
	if q.isIndex(d) {
		entry, err := q.chooseFrom(d)
		if err != nil {
			return Resolved{}, err
		}
		digest = string(entry.Digest)
		if d, err = q.manifest(ctx, digest, digest); err != nil {
			return Resolved{}, err
		}
		if q.isIndex(d) {
			return Resolved{}, q.fault(d, "the index leads to another index, not to a pack")
		}
	}
	return q.resolve(ctx, d, digest)
}

// registryQuery is one question to a repository.
type registryQuery struct {
	client  *Client
	service *service
	base    *url.URL // of the repository, below /v2/
	pack    string   // that is meant, "" for the only one
}

func (q *registryQuery) fault(d document, format string, args ...any) error {
	return &Error{Op: "read the manifest", URL: redacted(d.at), Rule: ruleContent, What: fmt.Sprintf(format, args...), Hint: "check the reference; packgen push writes packs that packgen pull reads"}
}

// manifest asks for a manifest or index; want is its digest, "" when a tag names it.
func (q *registryQuery) manifest(ctx context.Context, reference, want string) (document, error) {
	r := request{
		op: "read the manifest", url: below(q.base, "manifests", reference), service: q.service,
		accept: specs.MediaTypeImageManifest + ", " + specs.MediaTypeImageIndex,
	}
	d, err := q.client.document(ctx, r, maxOCI)
	if err != nil {
		return d, err
	}
	if got := digestOf(d.data); want != "" && got != want {
		return d, &MismatchError{URL: redacted(r.url), Want: want, Got: got}
	}
	return d, nil
}

// isIndex reports an index of manifests, by what it says itself, otherwise by how the
// server calls it.
func (q *registryQuery) isIndex(d document) bool {
	var head struct {
		MediaType string            `json:"mediaType"`
		Manifests []json.RawMessage `json:"manifests"`
	}
	if json.Unmarshal(d.data, &head) != nil {
		return false
	}
	kind, _, _ := strings.Cut(d.header.Get("Content-Type"), ";")
	return head.MediaType == specs.MediaTypeImageIndex || head.MediaType == "" && (kind == specs.MediaTypeImageIndex || head.Manifests != nil)
}

// chooseFrom finds the wanted pack in an index.
func (q *registryQuery) chooseFrom(d document) (specs.Descriptor, error) {
	var index specs.Index
	if err := decode("read the index", d, &index); err != nil {
		return specs.Descriptor{}, err
	}
	packs := map[string]specs.Descriptor{}
	for _, m := range index.Manifests {
		name := m.Annotations[specs.AnnotationTitle]
		if m.ArtifactType != PackType && name == "" {
			continue // something else that is kept beside packs, such as a signature
		}
		_, twice := packs[name]
		switch {
		case !isPackName(name):
			return m, q.fault(d, "the index names a pack %q", plain(name, maxQuoted))
		case twice:
			return m, q.fault(d, "the index lists pack %q twice", name)
		case m.MediaType != specs.MediaTypeImageManifest:
			return m, q.fault(d, "the index has %q where the manifest of pack %q should be", plain(m.MediaType, maxQuoted), name)
		case !isDigest(string(m.Digest)):
			return m, q.fault(d, "the index has no SHA-256 digest of pack %q", name)
		}
		packs[name] = m
	}
	var names []string
	for name := range packs {
		names = append(names, name)
	}
	slices.Sort(names)
	if q.pack == "" && len(names) == 1 {
		return packs[names[0]], nil
	}
	found, ok := packs[q.pack]
	switch {
	case len(names) == 0:
		return found, q.fault(d, "the index lists no pack")
	case q.pack == "":
		return found, &ChooseError{URL: redacted(d.at), Names: names}
	case !ok:
		return found, &Error{Op: fmt.Sprintf("find pack %q", plain(q.pack, maxQuoted)), URL: redacted(d.at), Rule: RuleNotFound, What: "the index lists no pack of this name", Hint: "name one of " + plain(strings.Join(names, ", "), 4*maxQuoted)}
	}
	return found, nil
}

// resolve reads the manifest of a pack and its pack.json.
func (q *registryQuery) resolve(ctx context.Context, d document, digest string) (Resolved, error) {
	var m specs.Manifest
	if err := decode("read the manifest", d, &m); err != nil {
		return Resolved{}, err
	}
	kind := m.ArtifactType
	if kind == "" {
		kind = m.Config.MediaType // as older registries keep it
	}
	if kind != PackType && kind != ConfigType {
		return Resolved{}, q.fault(d, "this is %q, not a pack", plain(kind, maxQuoted))
	}
	limits := q.client.options.Limits
	if len(m.Layers) != 1 || m.Layers[0].MediaType != ArchiveType || m.Config.MediaType != ConfigType {
		return Resolved{}, q.fault(d, "the pack is not one pack.json and one archive")
	}
	layer := m.Layers[0]
	if !isDigest(string(layer.Digest)) || !isDigest(string(m.Config.Digest)) || layer.Size <= 0 || m.Config.Size <= 0 {
		return Resolved{}, q.fault(d, "the manifest has no SHA-256 digest and size of its parts")
	}
	if layer.Size > limits.ArchiveBytes {
		e := (&download{client: q.client, request: request{op: "read the manifest", url: d.at}}).tooLarge()
		return Resolved{}, e
	}
	config, err := q.config(ctx, m.Config, min(limits.ManifestBytes, m.Config.Size))
	if err != nil {
		return Resolved{}, err
	}
	var record struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(config, &record); err != nil || !isPackName(record.Name) {
		return Resolved{}, q.fault(d, "its config is not a pack.json")
	}
	if q.pack != "" && q.pack != record.Name {
		return Resolved{}, &Error{Op: fmt.Sprintf("find pack %q", plain(q.pack, maxQuoted)), URL: redacted(d.at), Rule: RuleNotFound, What: fmt.Sprintf("this is pack %q", record.Name), Hint: "leave out # and the name, or check the reference"}
	}
	return Resolved{
		Source: SourceOCI, URL: below(q.base, "blobs", string(layer.Digest)).String(), Name: record.Name,
		Digest: string(layer.Digest), Size: layer.Size, PackJSON: config, OCI: digest,
	}, nil
}

// config reads the pack.json of a manifest.
func (q *registryQuery) config(ctx context.Context, part specs.Descriptor, limit int64) ([]byte, error) {
	r := request{op: "read pack.json", url: below(q.base, "blobs", string(part.Digest)), service: q.service}
	d, err := q.client.document(ctx, r, limit)
	if err != nil {
		return nil, err
	}
	if got := digestOf(d.data); got != string(part.Digest) || int64(len(d.data)) != part.Size {
		return nil, &MismatchError{URL: redacted(r.url), Want: string(part.Digest), Got: got}
	}
	return d.data, nil
}

func digestOf(data []byte) string { return string(content.NewDescriptorFromBytes("", data).Digest) }

// Repository returns the address of a repository below /v2/ of its registry, or of the
// mirror of it. It is https, except for a server of this machine, or with
// PACKGEN_ALLOW_HTTP=1, that does not know TLS. Errors are *Error.
func (c *Client) Repository(ctx context.Context, r Registry) (*url.URL, error) {
	const op = "ask the registry"
	if c.unusable != nil {
		return nil, c.unusable
	}
	place := c.mirrored("oci://" + r.Host + "/" + r.Name)
	host, name, _ := strings.Cut(strings.TrimPrefix(place, "oci://"), "/")
	ref := registry.Reference{Registry: host, Repository: name}
	if err := ref.Validate(); err != nil {
		return nil, &Error{Op: op, Rule: ruleAddress, What: fmt.Sprintf("%q is not a repository of a registry", Redact(place)), Hint: "write oci://HOST/NAME"}
	}
	base, err := c.parse(op, "https://"+ref.Host()+"/v2/"+name)
	if err != nil {
		return nil, err
	}
	if !isLoopback(base) && c.options.Getenv(allowHTTP) != "1" {
		return base, nil
	}
	res, err := c.exchange(ctx, request{op: op, url: below(base, "tags", "list")})
	var answered tls.RecordHeaderError
	switch {
	case err == nil:
		res.body.Close() // that it speaks TLS was the question
	case errors.As(err, &answered) && string(answered.RecordHeader[:]) == "HTTP/":
		base.Scheme = "http"
	}
	return base, nil
}

// registryAt is the service of the registry that an address belongs to.
func (c *Client) registryAt(at *url.URL) *service {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := origin(at)
	if s := c.registries[key]; s != nil {
		return s
	}
	s := &service{name: "the registry", base: at, refused: "the login may not read this repository"}
	s.missing = "log in with docker login " + at.Host
	if name := login.Variable(at.Host); name != "" {
		s.missing += ", or set " + name + " to NAME:PASSWORD"
	}
	s.send = c.loggedIn(s, at, refuseRedirects).Do
	c.registries[key] = s
	return s
}

// refuseRedirects hands a redirect to exchange, which follows it without the login.
func refuseRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// loggedIn is a client that logs in at one registry when it is asked to: by name and
// password, or for a token of the server that the registry names.
func (c *Client) loggedIn(s *service, at *url.URL, redirect func(*http.Request, []*http.Request) error) *auth.Client {
	return &auth.Client{
		Client: &http.Client{Transport: guarded{c, at}, CheckRedirect: redirect},
		Header: http.Header{"User-Agent": {c.options.UserAgent}},
		Cache:  auth.NewCache(), ClientID: c.options.UserAgent,
		Credential: func(ctx context.Context, host string) (auth.Credential, error) {
			if !strings.EqualFold(host, at.Host) || at.Scheme != "https" && !isLoopback(at) {
				return auth.EmptyCredential, nil
			}
			l, err := c.finder().Registry(ctx, at.Host)
			if ctx.Err() != nil {
				return auth.EmptyCredential, ctx.Err()
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			s.login, s.fault = l, err
			if l == nil { // what anybody may read needs no login, whatever is wrong with those of the user
				return auth.EmptyCredential, nil
			}
			c.secrets = append(c.secrets, l.Secrets()...)
			return auth.Credential{Username: l.User, Password: l.Password, AccessToken: l.Token, RefreshToken: l.Renewal}, nil
		},
	}
}

// guarded sends requests to a registry and to where it leads.
type guarded struct {
	client   *Client
	registry *url.URL
}

// RoundTrip sends a request where it may go.
func (g guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if origin(req.URL) != origin(g.registry) {
		if err := g.client.allowed("ask the registry", req.URL, g.registry); err != nil {
			return nil, err
		}
		if !isOwn(g.registry) {
			req = req.WithContext(fromStranger(req.Context(), req.URL))
		}
	}
	return g.client.transport.RoundTrip(req)
}

// notLoggedIn explains what the library makes of the answers of a registry, most of all
// why it did not let us in; nil when the connection is to blame.
func (c *Client) notLoggedIn(s *service, op string, at *url.URL, err error) error {
	if s.send == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		known.Op = op
		return known
	}
	if errors.Is(err, auth.ErrBasicCredentialNotFound) {
		e := &Error{Op: op, URL: redacted(at), Status: http.StatusUnauthorized, Rule: ruleToken, What: "the registry wants a login", Hint: s.missing}
		if fault := c.faultOf(s); fault != "" {
			e.What, e.Hint = e.What+": "+fault, "correct it, or "+s.missing
		}
		return e
	}
	var answer *errcode.ErrorResponse
	if errors.As(err, &answer) {
		return c.refusedBy(s, op, at, answer)
	}
	var network *url.Error
	if errors.As(err, &network) {
		return nil
	}
	return &Error{Op: op, URL: redacted(at), Rule: ruleContent, What: "the answer of the registry cannot be used: " + c.scrub(err.Error()), Hint: "ask its owner"}
}

// refusedBy explains an answer of a registry, or of the server that it names for tokens.
func (c *Client) refusedBy(s *service, op string, at *url.URL, answer *errcode.ErrorResponse) error {
	e := &Error{Op: op, URL: redacted(at), Status: answer.StatusCode, Rule: ruleServer, What: fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))}
	if len(answer.Errors) > 0 {
		e.What += fmt.Sprintf(", %q", c.scrub(answer.Errors[0].Message))
	}
	l := c.loginOf(s)
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Rule, e.Hint = ruleToken, s.missing
		if fault := c.faultOf(s); l == nil && fault != "" {
			e.What, e.Hint = e.What+": "+fault, "correct it, or "+s.missing
		} else if l != nil {
			e.Hint = "check the login of " + l.From + ": it was not accepted, or may not do this"
		}
	case http.StatusTooManyRequests:
		e.Rule, e.Hint, e.again = ruleRateLimit, "wait, then try again", true
	case http.StatusNotFound:
		e.Rule, e.Hint = RuleNotFound, "check the name of the repository"
	default:
		e.again = isPassing(answer.StatusCode)
	}
	return e
}

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

const digestPrefix = "sha256:"

// isDigest reports "sha256:" and 64 lower-case hex digits.
func isDigest(s string) bool {
	hex, found := strings.CutPrefix(s, digestPrefix)
	return found && isHex(hex)
}

// isHex reports 64 lower-case hex digits.
func isHex(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }
