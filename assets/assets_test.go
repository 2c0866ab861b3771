package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/oktest"
)

// matchLimit is what the script of the match page may weigh, packed, beside that of every page.
const matchLimit = 10 << 10

// gzipLimit is what script and style of a page may weigh, packed.
const gzipLimit = 15 << 10

func build(t *testing.T, o Options) *Bundle {
	t.Helper()
	return oktest.Value(Build(o))(t)
}

func (b *Bundle) data(t *testing.T, path string) []byte {
	t.Helper()
	for _, f := range b.Files {
		if f.Path == path {
			return f.Data
		}
	}
	t.Fatalf("no file %s in the bundle", path)
	return nil
}

func packed(t *testing.T, data []byte) int {
	t.Helper()
	var out bytes.Buffer
	w := oktest.Value(gzip.NewWriterLevel(&out, gzip.BestCompression))(t)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	oktest.Check(t, w.Close())
	return out.Len()
}

func TestScriptAndStyleAreSmall(t *testing.T) {
	b := build(t, Options{})
	size := 0
	for i, list := range [][]string{b.Match, b.Style, b.Script} { // the last two are all of a page that is read
		if len(list) != 1 {
			t.Fatalf("%d files in one list, want 1: %v", len(list), list)
		}
		n := packed(t, b.data(t, list[0]))
		t.Logf("%s: %d bytes packed", list[0], n)
		if size += n; i == 0 {
			if n > matchLimit {
				t.Errorf("the script of the match page is %d bytes packed, the limit is %d", n, matchLimit)
			}
			size = 0
		}
	}
	if size > gzipLimit {
		t.Errorf("script and style of a page are %d bytes packed, the limit is %d", size, gzipLimit)
	}
}

func TestNothingIsLoadedFromElsewhere(t *testing.T) {
	b := build(t, Options{})
	for _, f := range b.Files {
		if strings.HasSuffix(f.Path, ".gz") {
			continue
		}
		text := strings.ReplaceAll(string(f.Data), "http://www.w3.org/2000/svg", "")
		for _, bad := range []string{"http:", "https:", "url(data:", "eval(", "innerHTML", "insertAdjacentHTML"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s holds %q", f.Path, bad)
			}
		}
	}
}

func TestBundleIsTheSameFromEveryFolder(t *testing.T) {
	ours := source{name: "packgen", files: embedded}
	for _, entry := range []string{"css/site.css", "ts/site.ts"} {
		here := oktest.Value(bundle(ours, entry, classic{}))(t)
		t.Chdir(t.TempDir())
		there := oktest.Value(bundle(ours, entry, classic{}))(t)
		if len(here) != len(there) {
			t.Fatalf("%s: %d files here, %d elsewhere", entry, len(here), len(there))
		}
		for i, f := range here {
			if f.Path != there[i].Path || !bytes.Equal(f.Data, there[i].Data) {
				t.Errorf("%s differs from %s", f.Path, there[i].Path)
			}
		}
	}
}

func TestSiteAddsItsOwnFiles(t *testing.T) {
	b := build(t, Options{Custom: fstest.MapFS{
		"site.css":  {Data: []byte(`@import "./more.css"; a { color: red }`)},
		"more.css":  {Data: []byte(`b { color: #010203 }`)},
		"site.ts":   {Data: []byte(`import { n } from "./lib/n"; document.title = String(n);`)},
		"lib/n.ts":  {Data: []byte(`export const n: number = 42;`)},
		"other.txt": {Data: []byte(`not bundled`)},
	}})
	if len(b.Style) != 2 || len(b.Script) != 2 {
		t.Fatalf("styles %v, scripts %v: want two of each", b.Style, b.Script)
	}
	if css := string(b.data(t, b.Style[1])); !strings.Contains(css, "#010203") || !strings.Contains(css, "red") {
		t.Errorf("the site's stylesheet is not whole: %s", css)
	}
	if js := string(b.data(t, b.Script[1])); !strings.Contains(js, "42") {
		t.Errorf("the site's script is not whole: %s", js)
	}
}

func TestFaultsOfTheSitesOwnFilesFail(t *testing.T) {
	tests := []struct {
		name, want string
		files      fstest.MapFS
	}{
		{"syntax error with its place", "site.css:1:", fstest.MapFS{"site.css": {Data: []byte(`a { color red }`)}}},
		{"import that does not exist", `no file "gone"`, fstest.MapFS{"site.ts": {Data: []byte(`import "./gone";`)}}},
		{"import from a registry", "only relative imports", fstest.MapFS{"site.ts": {Data: []byte(`import "react";`)}}},
		{"import out of the folder", "no file", fstest.MapFS{"site.ts": {Data: []byte(`import "../../secret";`)}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := &Bundle{}
			err := b.addCustom(source{name: "custom", files: test.files, other: true})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error that says %q", err, test.want)
			}
		})
	}
}

// Of an import that a script computes esbuild bundles every file on the disk that fits, and
// asks no plugin: a checkout would publish files of who builds it.
func TestNoScriptReadsTheDisk(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	oktest.Check(t, errors.Join(os.Mkdir("repo", 0o777), os.Mkdir("keys", 0o777)))
	for _, name := range []string{"keys/a.json", "keys/a.ts", "keys/a.js", "keys/a.txt", "keys/a.css"} {
		oktest.Check(t, os.WriteFile(name, []byte(`"secret"`), 0o666))
	}
	t.Chdir("repo")
	for _, text := range []string{
		`import("../keys/" + x + ".json")`, "import(`../keys/${x}.json`)", `require("../keys/" + x + ".js")`, `import("../keys/" + x)`, `import("../" + x + ".txt")`,
		`requ\u0069re("../keys/" + x + ".js")`, `(require)("../keys/" + x + ".js")`, `import(/* a */ "../keys/" + x + ".json")`, "import\n(\"../keys/\" + x + '.json')",
		`import(y ? "../keys/" + x + ".json" : "./n")`, `const p = "../keys/"; import(p + x + ".json")`, `const enum E { p = "../keys/" } import(E.p + x + ".json")`,
		"import(`${'../keys/'}${x}.json`)", `require?.("../keys/" + x + ".js")`, `import("../keys/" + x + ".json", {with: {type: "json"}})`, `import("." + "./keys/" + x + ".json")`,
		`function f() { return () => import("../keys/" + x + ".css") }`, `import.source("../keys/" + x + ".json")`, `f(...require("../keys/" + x + ".js"))`,
	} {
		for _, files := range []fstest.MapFS{{"site.ts": {Data: []byte(text)}}, {"site.ts": {Data: []byte(`import "./n.js"`)}, "n.js": {Data: []byte(text)}}} {
			b := &Bundle{}
			err := b.addCustom(source{name: "custom", files: files, other: true})
			if err == nil || strings.Contains(err.Error(), "not read") || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v", text, err)
			}
			for _, f := range b.Files {
				if strings.Contains(string(f.Data), "secret") {
					t.Errorf("%s: published: %s", text, f.Data)
				}
			}
		}
	}
	b := build(t, Options{Custom: fstest.MapFS{
		"site.ts": {Data: []byte("import('./a.ts'); import(\"./a\"); import(`./a.ts`); import(location.hash).then(import(o)); o.import(1 + x); o?.require(x)")},
		"a.ts":    {Data: []byte("export const n = 42")},
	}})
	if js := string(b.data(t, b.Script[1])); !strings.Contains(js, "42") {
		t.Errorf("a dynamic import of one file: %s", js)
	}
}

// The loader accepts the module unpacked on the way by the digest in the note.
func TestNoteHoldsTheDigestOfTheUnpackedMatcher(t *testing.T) {
	data := oktest.Value(embedded.ReadFile(matcherPath))(t)
	r := oktest.Value(gzip.NewReader(bytes.NewReader(data)))(t)
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		t.Fatal(err)
	}
	got := oktest.Value(plainSum())(t)
	if want := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("the note says %s, the matcher is %s: run make wasm", got, want)
	}
}
