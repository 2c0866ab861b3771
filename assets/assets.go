package assets

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed css/*.css css/*.svg ts/*.ts ts/search/*.ts ts/shard/*.ts ts/bench/*.ts ts/resolve/*.ts dist/matcher.wasm.gz dist/matcher.json
var embedded embed.FS

// matcherPath is the matcher as it is committed: built by `make wasm`.
const matcherPath = "dist/matcher.wasm.gz"

// notePath is what `make wasm` wrote down about it.
const notePath = "dist/matcher.json"

// dir is the folder below the site root that every asset lives in.
const dir = "assets"

// Options steer a build. The zero value bundles what is embedded.
type Options struct {
	// Custom holds the site's own site.css and site.ts, either of them or both,
	// with the files they import. Nil when the site adds nothing.
	Custom fs.FS

	// Offline adds a service worker that keeps what was read.
	Offline bool
}

// File is one file of a bundle.
type File struct {
	Path string // below the site root, such as "assets/site-ABCD1234.css"
	Data []byte
}

// Bundle is every asset of a site. The lists of paths are in the order in which
// a page must name them.
type Bundle struct {
	Files      []File   // in path order
	Style      []string // stylesheets of every page
	Script     []string // classic scripts of every page
	Role       []string // stylesheets of role pages, after the others
	RoleScript []string // classic scripts of role pages, after the others
	Match      []string // module scripts of the match page
	MatchStyle []string // its stylesheets, after the others
	Icon       string
	First      Inline // the script that pages carry in themselves, which loads Script after the first paint
	Look       Inline // the stylesheet, for pages that carry it in themselves; none where there is more than ours
	Lost       Inline // the script of the page of a lost address
	LostLook   Inline // its stylesheet, in place of the first of Style, which it may not find
}

// Inline is a script or a stylesheet that a page carries in itself.
type Inline struct {
	Text []byte
	Sum  string // SHA-256 in base64, for the page's policy
}

// Build bundles the assets. Any error or warning of the bundler fails it: the
// sources are ours, and a site's own sources should be as clean.
func Build(o Options) (*Bundle, error) {
	ours, err := standard()
	if err != nil {
		return nil, err
	}
	b := &Bundle{
		Files: slices.Clone(ours.Files), Style: slices.Clone(ours.Style), Script: slices.Clone(ours.Script),
		Role: ours.Role, RoleScript: ours.RoleScript, Match: ours.Match, MatchStyle: ours.MatchStyle, Icon: ours.Icon, First: ours.First, Look: ours.Look, Lost: ours.Lost, LostLook: ours.LostLook,
	}
	if o.Custom != nil {
		if err := b.addCustom(source{name: "custom", files: o.Custom, other: true}); err != nil {
			return nil, err
		}
	}
	if o.Offline {
		if err := b.addOffline(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(b.Files, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	b.Files = slices.CompactFunc(b.Files, func(x, y File) bool { return x.Path == y.Path })
	return b, nil
}

// standard is the bundle of the embedded sources, made once.
var standard = sync.OnceValues(func() (*Bundle, error) {
	b := &Bundle{}
	matcher, define, err := matcher()
	if err != nil {
		return nil, err
	}
	b.Files = append(b.Files, matcher)
	ours := source{name: "packgen", files: embedded}
	if b.Style, err = b.add(ours, "css/site.css", classic{}); err != nil {
		return nil, err
	}
	b.Look = asInline(b.Files[len(b.Files)-1].Data)
	beside := classic{} // modules that are loaded when they are used
	for _, name := range []string{"graph", "peek", "print", "search", "splits", "tree"} {
		made, err := b.add(ours, "ts/"+name+".ts", module{})
		if err != nil {
			return nil, err
		}
		beside[strings.ToUpper(name)+"_FILE"] = `"` + path.Base(made[0]) + `"`
	}
	if b.Script, err = b.add(ours, "ts/site.ts", beside); err != nil {
		return nil, err
	}
	if b.Role, err = b.add(ours, "css/role.css", classic{}); err != nil {
		return nil, err
	}
	if b.RoleScript, err = b.add(ours, "ts/role.ts", classic{}); err != nil {
		return nil, err
	}
	for name, entry := range map[string]string{"EDIT_FILE": "ts/bench/edit.ts", "FENCED_FILE": "ts/bench/fenced.ts"} {
		files, err := b.add(ours, entry, module{})
		if err != nil {
			return nil, err
		}
		define[name] = `"` + path.Base(files[0]) + `"`
	}
	if b.Match, err = b.add(ours, "ts/match.ts", module(define)); err != nil {
		return nil, err
	}
	if b.MatchStyle, err = b.add(ours, "css/match.css", classic{}); err != nil {
		return nil, err
	}
	if b.First, err = inline(ours, "ts/first.ts", classic{}); err != nil {
		return nil, err
	}
	if b.Lost, err = inline(ours, "ts/lost.ts", beside); err != nil {
		return nil, err
	}
	if b.LostLook, err = inline(ours, "css/lost.css", classic{}); err != nil {
		return nil, err
	}
	if err := b.addIcon(); err != nil {
		return nil, err
	}
	return b, nil
})

// inline bundles a script or a stylesheet that a page carries in itself.
func inline(s source, entry string, kind kind) (Inline, error) {
	files, err := bundle(s, entry, kind)
	if err != nil {
		return Inline{}, fmt.Errorf("bundle %s: %w", entry, err)
	}
	return asInline(files[0].Data), nil
}

func asInline(data []byte) Inline {
	text := bytes.TrimSpace(data)
	sum := sha256.Sum256(text)
	return Inline{text, base64.StdEncoding.EncodeToString(sum[:])}
}

// add bundles one entry point and returns the paths of the files a page names.
func (b *Bundle) add(s source, entry string, kind kind) ([]string, error) {
	files, err := bundle(s, entry, kind)
	if err != nil {
		return nil, fmt.Errorf("bundle %s of %s: %w", entry, s.name, err)
	}
	b.Files = append(b.Files, files...)
	want := ".js"
	if strings.HasSuffix(entry, ".css") {
		want = ".css"
	}
	var named []string
	for _, f := range files {
		if strings.HasSuffix(f.Path, want) {
			named = append(named, f.Path)
		}
	}
	return named, nil
}

// addCustom bundles the site's own entry points after ours, so that its rules
// are above them.
func (b *Bundle) addCustom(s source) error {
	for _, entry := range []string{"site.css", "site.ts"} {
		_, err := fs.Stat(s.files, entry)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("look for the site's own %s: %w", entry, err)
		}
		named, err := b.add(s, entry, classic{})
		if err != nil {
			return err
		}
		if entry == "site.css" {
			// It may name files from where it is, and changes while it is written.
			b.Style, b.Look = append(b.Style, named...), Inline{}
		} else {
			b.Script = append(b.Script, named...)
		}
	}
	return nil
}

// addIcon publishes the mark under its plain name too: a bookmark should not
// break when the mark is drawn again.
func (b *Bundle) addIcon() error {
	data, err := embedded.ReadFile("css/mark.svg")
	if err != nil {
		return fmt.Errorf("read the embedded mark: %w", err)
	}
	b.Icon = dir + "/mark.svg"
	b.Files = append(b.Files, File{Path: b.Icon, Data: data})
	return nil
}

// matcher returns the matcher under its hashed name, and the constants that
// give the loader its name and digests. The file is served packed, as it is, and
// the loader unpacks it; some hosts mistake the name for an encoding and have the
// browser unpack it, so the loader knows the digest of the module too.
func matcher() (File, map[string]string, error) {
	data, err := embedded.ReadFile(matcherPath)
	if err != nil {
		return File{}, nil, fmt.Errorf("read the embedded matcher (make wasm builds it): %w", err)
	}
	plain, err := plainSum()
	if err != nil {
		return File{}, nil, err
	}
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	name := "matcher-" + digest[:10] + ".wasm.gz"
	define := map[string]string{
		"MATCHER_FILE":      `"` + name + `"`,
		"MATCHER_SUM":       `"` + digest + `"`,
		"MATCHER_PLAIN_SUM": `"` + plain + `"`,
	}
	return File{Path: dir + "/" + name, Data: data}, define, nil
}

// plainSum returns the digest of the unpacked matcher, as `make wasm` noted it.
func plainSum() (string, error) {
	data, err := embedded.ReadFile(notePath)
	if err != nil {
		return "", fmt.Errorf("read the note on the embedded matcher: %w", err)
	}
	var note struct {
		Wasm struct {
			SHA256 string `json:"sha256"`
		} `json:"wasm"`
	}
	if err := json.Unmarshal(data, &note); err != nil {
		return "", fmt.Errorf("read the note on the embedded matcher: %w", err)
	}
	return note.Wasm.SHA256, nil
}
