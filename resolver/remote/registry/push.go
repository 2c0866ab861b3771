package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/opencontainers/image-spec/specs-go"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// TreeAnnotation holds the tree hash of a pack.
const TreeAnnotation = "vnd.packgen.pack.tree"

// Pack is a pack that is written to a registry.
type Pack struct {
	Name, Version, License, Description string // as the pack declares them; "" for none
	Source                              string // where it is worked on, "" for unknown
	Tree                                string
	Manifest                            []byte // its pack.json
	Archive                             string // the file of the archive
	SHA256                              string // of the archive, 64 hex digits
	Bytes                               int64  // of the archive
	Bundle                              []byte // its signature, a Sigstore bundle; nil for none
	Signer                              string // who signed, for people
}

// Pushed is what became of a pack or an index.
type Pushed struct {
	Name     string `json:"name"`             // of the pack; "" for the index
	Tree     string `json:"tree,omitempty"`   // absent for the index
	Digest   string `json:"digest"`           // of the manifest
	Bytes    int64  `json:"bytes"`            // of the manifest, and of the pack's parts
	Uploaded int64  `json:"uploaded"`         // of them, what was sent: the registry had the rest
	Bundle   string `json:"bundle,omitempty"` // digest of the manifest of its signature; absent for none
	Signer   string `json:"signer,omitempty"`
	manifest oci.Descriptor
}

// Options steer a push.
type Options struct {
	Tags    []string // of the pack, or of the index; none for a digest alone
	Catalog bool     // write an index of the packs, and give it the tags
	DryRun  bool     // write nothing, ask nothing
}

// Push writes packs to a repository, and an index of them with Options.Catalog. The
// parts come first, then what names them: whoever pulls meanwhile sees the old or the
// new. Errors are *fetch.Error, except those of the archives' files.
func Push(ctx context.Context, client *fetch.Client, to fetch.Registry, packs []Pack, o Options) ([]Pushed, error) {
	var target *fetch.Target
	if !o.DryRun {
		var err error
		if target, err = client.Target(ctx, to); err != nil {
			return nil, err
		}
	}
	var list []Pushed
	for i := range packs {
		tags := o.Tags
		if o.Catalog {
			tags = nil
		}
		done, err := pushPack(ctx, target, &packs[i], tags)
		if err != nil {
			return nil, err
		}
		list = append(list, done)
	}
	if !o.Catalog {
		return list, nil
	}
	done, err := pushIndex(ctx, target, list, o.Tags)
	return append(list, done), err
}

// pushPack writes the parts of a pack and its manifest.
func pushPack(ctx context.Context, target *fetch.Target, p *Pack, tags []string) (Pushed, error) {
	config := content.NewDescriptorFromBytes(fetch.ConfigType, p.Manifest)
	layer := oci.Descriptor{
		MediaType: fetch.ArchiveType, Size: p.Bytes,
		Annotations: map[string]string{oci.AnnotationTitle: p.Name + ".tar.gz"},
	}
	setText(&layer.Digest, "sha256:"+p.SHA256)
	manifest, data, err := encode(oci.MediaTypeImageManifest, oci.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageManifest, ArtifactType: fetch.PackType,
		Config: config, Layers: []oci.Descriptor{layer}, Annotations: p.annotations(),
	})
	if err != nil {
		return Pushed{}, fmt.Errorf("describe %s: %w", p.Name, err)
	}
	manifest.ArtifactType, manifest.Annotations = fetch.PackType, p.annotations()
	done := Pushed{Name: p.Name, Tree: p.Tree, Digest: manifest.Digest.String(), Bytes: manifest.Size + config.Size + layer.Size, manifest: manifest}
	if target == nil {
		return done, nil
	}
	for _, part := range []struct {
		oci.Descriptor
		open func() (io.ReadCloser, error)
	}{
		{layer, func() (io.ReadCloser, error) { return openArchive(p.Archive) }},
		{config, func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(string(p.Manifest))), nil }},
	} {
		written, err := target.Blob(ctx, part.Descriptor, part.open)
		if err != nil {
			return Pushed{}, err
		}
		if written {
			done.Uploaded += part.Size
		}
	}
	// The signature comes before the tags: whoever reads a tag finds it.
	if err := target.Manifest(ctx, manifest, data); err != nil {
		return done, err
	}
	if done.Signer = p.Signer; p.Bundle != nil {
		if done.Bundle, err = attach(ctx, target, manifest, p.Bundle); err != nil {
			return done, err
		}
	}
	if len(tags) == 0 {
		return done, nil
	}
	return done, target.Manifest(ctx, manifest, data, tags...)
}

// attach writes a Sigstore bundle that refers to a manifest, and returns the digest of
// its own.
func attach(ctx context.Context, target *fetch.Target, to oci.Descriptor, bundle []byte) (string, error) {
	layer := content.NewDescriptorFromBytes(signature.BundleType, bundle)
	subject := oci.Descriptor{MediaType: to.MediaType, Digest: to.Digest, Size: to.Size}
	manifest, data, err := encode(oci.MediaTypeImageManifest, oci.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageManifest, ArtifactType: signature.BundleType,
		Config: oci.DescriptorEmptyJSON, Layers: []oci.Descriptor{layer}, Subject: &subject,
	})
	if err != nil {
		return "", fmt.Errorf("describe the signature: %w", err)
	}
	manifest.ArtifactType = signature.BundleType
	for _, part := range []struct {
		oci.Descriptor
		data []byte
	}{{oci.DescriptorEmptyJSON, oci.DescriptorEmptyJSON.Data}, {layer, bundle}} {
		open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(part.data)), nil }
		if _, err := target.Blob(ctx, part.Descriptor, open); err != nil {
			return "", err
		}
	}
	return manifest.Digest.String(), target.Manifest(ctx, manifest, data)
}

func openArchive(name string) (io.ReadCloser, error) {
	f, _, err := regularfile.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	return f, nil
}

// annotations are what people and tools see of a pack without reading it.
func (p *Pack) annotations() map[string]string {
	list := map[string]string{}
	for key, value := range map[string]string{
		oci.AnnotationTitle: p.Name, oci.AnnotationVersion: p.Version, oci.AnnotationLicenses: p.License,
		oci.AnnotationDescription: p.Description, oci.AnnotationSource: p.Source, TreeAnnotation: p.Tree,
	} {
		if value != "" {
			list[key] = value
		}
	}
	return list
}

// pushIndex writes the index of packs, in the order of their names.
func pushIndex(ctx context.Context, target *fetch.Target, list []Pushed, tags []string) (Pushed, error) {
	list = slices.SortedFunc(slices.Values(list), func(a, b Pushed) int { return strings.Compare(a.Name, b.Name) })
	index := oci.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: oci.MediaTypeImageIndex, ArtifactType: fetch.CatalogType, Manifests: []oci.Descriptor{}}
	for i := range list {
		index.Manifests = append(index.Manifests, list[i].manifest)
	}
	manifest, data, err := encode(oci.MediaTypeImageIndex, index)
	if err != nil {
		return Pushed{}, fmt.Errorf("describe the packs: %w", err)
	}
	done := Pushed{Digest: manifest.Digest.String(), Bytes: manifest.Size}
	if target == nil {
		return done, nil
	}
	return done, target.Manifest(ctx, manifest, data, tags...)
}

func encode(kind string, value any) (oci.Descriptor, []byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return oci.Descriptor{}, nil, err
	}
	return content.NewDescriptorFromBytes(kind, data), data, nil
}

// setText sets a text whose type is of a module that nothing else here names.
func setText[T ~string](to *T, text string) { *to = T(text) }
