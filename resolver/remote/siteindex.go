package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
)

const (
	siteIndexName   = "index.json" // of a site: its loadout index
	siteCatalogName = "catalog.json"
	indexesDir      = "indexes" // of the cache: <key>, a digest on a line of its own and the index
)

// SiteIndex returns the loadout index that a site publishes, of at most limit
// bytes. It must be what the site's manifest.json says, when there is one. Offline
// it is the one that was read last.
func SiteIndex(ctx context.Context, ref Ref, o Options, limit int64) ([]byte, error) {
	if ref.Kind == Directory {
		return o.directoryIndex(ref, limit)
	}
	name := filepath.Join(o.Cache.Dir(), indexesDir, recordKey("index", ref.URL))
	if o.Offline {
		data, err := atomicfile.Read(name, limit+int64(len(archive.SHA256(nil)))+1)
		digest, text, _ := bytes.Cut(data, []byte("\n"))
		if err != nil || archive.SHA256(text) != string(digest) {
			return nil, &OfflineError{ref.Text, "its index was never fetched here"}
		}
		return text, nil
	}
	client := fetch.New(o.Fetch)
	want, err := listedDigest(ctx, client, ref)
	if err != nil {
		return nil, err
	}
	data, err := client.File(ctx, ref.URL, siteIndexName, limit)
	if err != nil {
		return nil, err
	}
	got := archive.SHA256(data)
	if want != "" && got != want {
		return nil, &fetch.MismatchError{URL: fetch.Redact(ref.URL + siteIndexName), Want: "sha256:" + want, Got: "sha256:" + got}
	}
	if err := atomicfile.Write(name, append([]byte(got+"\n"), data...)); err != nil {
		return nil, cacheFault("keep the index of %s in the cache: %w", ref, err)
	}
	return data, nil
}

// SiteIndexPart returns a part of an index that SiteIndex returned, by its path, of at most
// limit bytes. The caller compares it with what the index says of it. Offline it is the one
// that was read last.
func SiteIndexPart(ctx context.Context, ref Ref, o Options, part string, limit int64) ([]byte, error) {
	if ref.Kind == Directory {
		dir, err := regularfile.Root(o.path(ref.Path))
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		f, _, err := regularfile.OpenIn(dir, filepath.FromSlash(part))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return atomicfile.ReadOpen(f, part, limit)
	}
	name := filepath.Join(o.Cache.Dir(), indexesDir, recordKey("index", ref.URL+part))
	if o.Offline {
		data, err := atomicfile.Read(name, limit)
		if err != nil {
			return nil, &OfflineError{ref.Text, "a part of its index was never fetched here"}
		}
		return data, nil
	}
	data, err := fetch.New(o.Fetch).File(ctx, ref.URL, part, limit)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.Write(name, data); err != nil {
		return nil, cacheFault("keep the index of %s in the cache: %w", ref, err)
	}
	return data, nil
}

// isSite reports a directory that holds a published site.
func (o *Options) isSite(ref Ref) bool {
	for _, name := range []string{siteIndexName, siteCatalogName} {
		if info, err := os.Stat(filepath.Join(o.path(ref.Path), name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// HasSiteIndex reports a reference to a whole published site, whose loadout index
// SiteIndex returns.
func HasSiteIndex(ref Ref, o Options) bool {
	return ref.Pack == "" && (ref.Kind == Site || ref.Kind == Directory && o.isSite(ref))
}

// directoryIndex is SiteIndex for a site on disk.
func (o *Options) directoryIndex(ref Ref, limit int64) ([]byte, error) {
	read := func(name string, limit int64) ([]byte, error) {
		data, err := atomicfile.Read(filepath.Join(o.path(ref.Path), name), limit)
		if err != nil {
			err = fmt.Errorf("read %s of %s: %w", name, ref, reasonOf(err))
		}
		return data, err
	}
	want := ""
	list, err := read(schema.SiteManifestName, schema.MaxSiteManifest)
	if err == nil {
		want, err = digestIn(list, ref)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	data, err := read(siteIndexName, limit)
	if got := archive.SHA256(data); err == nil && want != "" && got != want {
		return nil, &fetch.MismatchError{URL: ref.Text + ": " + siteIndexName, Want: "sha256:" + want, Got: "sha256:" + got}
	}
	return data, err
}

// listedDigest is what a site's manifest says of its index, "" without one.
func listedDigest(ctx context.Context, client *fetch.Client, ref Ref) (string, error) {
	data, err := client.File(ctx, ref.URL, schema.SiteManifestName, schema.MaxSiteManifest)
	var missing *fetch.Error
	if errors.As(err, &missing) && missing.Status == http.StatusNotFound {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return digestIn(data, ref)
}

// digestIn is what a manifest.json says of the index.
func digestIn(data []byte, ref Ref) (string, error) {
	m, err := schema.DecodeSiteManifest(data)
	if err != nil {
		return "", &archive.Refusal{Rule: archive.RuleManifest, Archive: ref.Text, Path: schema.SiteManifestName, Message: err.Error()}
	}
	for _, f := range m.Files {
		if f.Path == siteIndexName {
			return f.SHA256, nil
		}
	}
	return "", &archive.Refusal{
		Rule: archive.RuleManifest, Archive: ref.Text, Path: schema.SiteManifestName, Message: "it lists no " + siteIndexName,
	}
}
