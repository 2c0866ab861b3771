package fetch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/packpath"
)

// Files of a published site that are read here, relative to its root.
const (
	catalogFile  = "catalog.json"
	manifestFile = "manifest.json"
	packFile     = "pack.json"
	archiveFile  = "pack.tar.gz"
)

// catalog is what is read of a site's catalog.json.
type catalog struct {
	SchemaVersion int `json:"schema_version"`
	Packs         []struct {
		Name     string `json:"name"`
		Location string `json:"location"` // of KNOWLEDGE.md, below the site's root
	} `json:"packs"`
}

// Site finds a pack on a published site: catalog.json names the packs, a pack's
// pack.json is returned with the answer, and manifest.json gives size and digest
// of its pack.tar.gz. base is the site's root and may lie below a path. A site
// with several packs, none of them named, is a *ChooseError; a pack.json that is
// not the one of the manifest a *MismatchError; other errors are *Error.
func (c *Client) Site(ctx context.Context, base, pack string) (Resolved, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	root, err := c.root("read site", base)
	if err != nil {
		return Resolved{}, err
	}
	packs, err := c.catalog(ctx, root)
	if err != nil {
		return Resolved{}, err
	}
	name, dir, err := choose(root, packs, pack)
	if err != nil {
		return Resolved{}, err
	}
	record, archive := path.Join(dir, packFile), path.Join(dir, archiveFile)
	files, err := c.manifest(ctx, root, record, archive)
	if err != nil {
		return Resolved{}, err
	}
	data, err := c.packJSON(ctx, root, name, record, files)
	if err != nil {
		return Resolved{}, err
	}
	at := below(root, strings.Split(archive, "/")...)
	r := Resolved{Source: SourceSite, URL: at.String(), Name: name, PackJSON: data}
	if files == nil {
		return r, nil
	}
	entry, listed := files[archive]
	if !listed {
		return Resolved{}, &Error{Op: "find pack " + name, URL: redacted(root), Rule: RuleNotFound, What: "the site's manifest lists no " + archive, Hint: "ask its owner to build it again: this packgen published no archives"}
	}
	r.Digest, r.Size = digestPrefix+entry.SHA256, entry.Size
	return r, nil
}

// root reads the address of a site: its directory, with or without a final
// slash, index.html or catalog.json.
func (c *Client) root(op, base string) (*url.URL, error) {
	u, err := c.parse(op, c.mirrored(base))
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" || u.ForceQuery {
		return nil, &Error{Op: op, URL: redacted(u), Rule: ruleAddress, What: "the address of a site has no query", Hint: "name the site's root, or the archive itself"}
	}
	for _, page := range []string{"index.html", catalogFile} {
		if path.Base(u.Path) == page {
			u = u.JoinPath("..")
		}
	}
	return u, nil
}

// catalog reads the packs of a site: the directory of each by its name.
func (c *Client) catalog(ctx context.Context, root *url.URL) (map[string]string, error) {
	r := request{op: "read the catalog", url: below(root, catalogFile), accept: "application/json",
		missing: "is this the root of a site that packgen built? An archive's address ends in .tar.gz or .zip"}
	list, d, err := ask[catalog](ctx, c, r)
	if err != nil {
		return nil, err
	}
	refuse := func(format string, args ...any) (map[string]string, error) {
		return nil, &Error{Op: r.op, URL: redacted(d.at), Rule: ruleContent, What: fmt.Sprintf(format, args...), Hint: "ask its owner to build it again: it is damaged, or not built by packgen"}
	}
	if list.SchemaVersion != 1 {
		return refuse("schema_version is %d, not 1", list.SchemaVersion)
	}
	packs := map[string]string{}
	for _, p := range list.Packs {
		if !isPackName(p.Name) {
			return refuse("%q is not a pack name", plain(p.Name, maxQuoted))
		}
		if _, twice := packs[p.Name]; twice {
			return refuse("pack %q is listed twice", p.Name)
		}
		if p.Location == "" {
			p.Location = "packs/" + p.Name + "/KNOWLEDGE.md"
		}
		if err := checkPath(p.Location); err != nil {
			return refuse("the location %q of pack %q is refused: %v", plain(p.Location, maxQuoted), p.Name, err)
		}
		packs[p.Name] = path.Dir(p.Location)
	}
	if len(packs) == 0 {
		return refuse("it lists no pack")
	}
	return packs, nil
}

// isPackName reports a name that a pack may have (agent-knowledge section 3).
func isPackName(name string) bool {
	return name != "" && len(name) <= 255 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// checkPath refuses a path that would not stay below the site's root, or that a
// server could read as another one.
func checkPath(name string) error {
	if err := packpath.Check(name); err != nil {
		return err
	}
	if strings.ContainsAny(name, "%?#:") {
		return errors.New("%, ?, # and : are not allowed in it")
	}
	return nil
}

// choose finds the wanted pack among those of a site.
func choose(root *url.URL, packs map[string]string, want string) (name, dir string, err error) {
	var names []string
	for name := range packs {
		names = append(names, name)
	}
	slices.Sort(names)
	if want == "" && len(names) == 1 {
		want = names[0]
	}
	if want == "" {
		return "", "", &ChooseError{URL: redacted(root), Names: names}
	}
	dir, found := packs[want]
	if !found {
		return "", "", &Error{Op: fmt.Sprintf("find pack %q", plain(want, maxQuoted)), URL: redacted(root), Rule: RuleNotFound, What: "the site has no pack of this name", Hint: "name one of " + plain(strings.Join(names, ", "), 4*maxQuoted)}
	}
	return want, dir, nil
}

// packJSON reads a pack's record and holds it against the manifest.
func (c *Client) packJSON(ctx context.Context, root *url.URL, name, record string, files map[string]manifestEntry) ([]byte, error) {
	r := request{op: "read " + record, url: below(root, strings.Split(record, "/")...), accept: "application/json",
		missing: "ask its owner to build it again: this packgen published no archives"}
	pack, d, err := ask[struct {
		Name string `json:"name"`
	}](ctx, c, r)
	if err != nil {
		return nil, err
	}
	if pack.Name != name {
		return nil, &Error{Op: r.op, URL: redacted(d.at), Rule: ruleContent, What: fmt.Sprintf("it is about pack %q, not %q", plain(pack.Name, maxQuoted), name), Hint: "ask its owner to build it again: it is damaged"}
	}
	sum := sha256.Sum256(d.data)
	got := hex.EncodeToString(sum[:])
	if entry, listed := files[record]; listed && entry.SHA256 != got {
		return nil, &MismatchError{URL: redacted(d.at), Want: digestPrefix + entry.SHA256, Got: digestPrefix + got}
	}
	return d.data, nil
}

// manifestEntry is a file of a site's manifest.json.
type manifestEntry struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// manifest reads the entries of the named files, nil when the site has no
// manifest.
func (c *Client) manifest(ctx context.Context, root *url.URL, names ...string) (map[string]manifestEntry, error) {
	r := request{op: "read the manifest", url: below(root, manifestFile), accept: "application/json"}
	d, err := c.document(ctx, r, c.options.Limits.ManifestBytes)
	var e *Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	files, err := manifestEntries(d.data, names)
	if err != nil {
		return nil, &Error{Op: r.op, URL: redacted(d.at), Rule: ruleContent, What: "it is not a manifest: " + plain(err.Error(), maxQuoted), Hint: "ask its owner to build it again: it is damaged, or not built by packgen"}
	}
	return files, nil
}

// manifestEntries reads a manifest one entry at a time and keeps those of the
// named files: a site may have very many.
func manifestEntries(data []byte, names []string) (map[string]manifestEntry, error) {
	found := map[string]manifestEntry{}
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := expect(dec, '{'); err != nil {
		return nil, err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		if key != "files" {
			var skipped json.RawMessage
			if err := dec.Decode(&skipped); err != nil {
				return nil, err
			}
			continue
		}
		if err := expect(dec, '['); err != nil {
			return nil, err
		}
		for dec.More() {
			var entry manifestEntry
			if err := dec.Decode(&entry); err != nil {
				return nil, err
			}
			if !slices.Contains(names, entry.Path) {
				continue
			}
			if _, twice := found[entry.Path]; twice || !isHex(entry.SHA256) || entry.Size < 0 {
				return nil, fmt.Errorf("the entry of %s is wrong", entry.Path)
			}
			found[entry.Path] = entry
		}
		if err := expect(dec, ']'); err != nil {
			return nil, err
		}
	}
	if err := expect(dec, '}'); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows it")
	}
	return found, nil
}

// expect reads one delimiter.
func expect(dec *json.Decoder, want json.Delim) error {
	token, err := dec.Token()
	if err == nil && token != want {
		err = fmt.Errorf("%v stands where %v should", token, want)
	}
	return err
}

// File returns a file of a site: path is relative to the root, clean, and the
// file at most limit bytes, 0 meaning Limits.DocumentBytes. Errors are *Error.
func (c *Client) File(ctx context.Context, base, path string, limit int64) ([]byte, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	op := "read " + plain(path, maxQuoted)
	root, err := c.root(op, base)
	if err != nil {
		return nil, err
	}
	if err := checkPath(path); err != nil {
		return nil, &Error{Op: op, URL: redacted(root), Rule: ruleAddress, What: err.Error()}
	}
	if limit <= 0 {
		limit = c.options.Limits.DocumentBytes
	}
	d, err := c.document(ctx, request{op: op, url: below(root, strings.Split(path, "/")...)}, limit)
	return d.data, err
}

// URL takes the address of an archive as it is: a .tar.gz, .tgz, .tar or .zip
// file. Nothing is asked of the server. Errors are *Error.
func (c *Client) URL(_ context.Context, address string) (Resolved, error) {
	u, err := c.parse("read archive", c.mirrored(address))
	if err != nil {
		return Resolved{}, err
	}
	if !isArchive(u.Path) {
		return Resolved{}, &Error{Op: "read archive", URL: redacted(u), Rule: ruleAddress, What: "this is not the address of an archive", Hint: "name a file that ends in .tar.gz, .tgz, .tar or .zip"}
	}
	return Resolved{Source: SourceURL, URL: u.String(), Name: plain(path.Base(u.Path), maxQuoted)}, nil
}

// isArchive reports the path of a file that can hold packs.
func isArchive(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{".tar.gz", ".tgz", ".tar", ".zip"}, func(ending string) bool { return strings.HasSuffix(name, ending) })
}
