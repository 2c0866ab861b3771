package artifact

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"path/filepath"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/artifact/archive"
	"github.com/packgen/packgen/resolver/artifact/fetch"
	"github.com/packgen/packgen/resolver/wholefile"
)

const (
	siteIndexName = "index.json" // of a site: its loadout index
	indexesDir    = "indexes"    // of the cache: <key>, a digest on a line of its own and the index
)

// SiteIndex returns the loadout index that a site publishes, of at most limit
// bytes. It must be what the site's manifest.json says, when there is one. Offline
// it is the one that was read last.
func SiteIndex(ctx context.Context, ref Ref, o Options, limit int64) ([]byte, error) {
	name := filepath.Join(o.Cache.Dir(), indexesDir, recordKey("index", ref.URL))
	if o.Offline {
		data, err := wholefile.Read(name, limit+int64(len(archive.SHA256(nil)))+1)
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
	if err := wholefile.Write(name, append([]byte(got+"\n"), data...)); err != nil {
		return nil, cacheFault("keep the index of %s in the cache: %w", ref, err)
	}
	return data, nil
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
