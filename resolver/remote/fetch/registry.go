package fetch

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	specs "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
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
