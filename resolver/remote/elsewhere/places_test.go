package elsewhere

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// splitSite is a site whose index has a part for each of two packs.
func splitSite() (*indexjson.Root, map[string][]byte) {
	root, files := &indexjson.Root{}, map[string][]byte{}
	for _, name := range []string{"kettle", "oven"} {
		ix := loadout.Index{Version: loadout.Version, Generated: "2026-06-01T08:00:00.000Z", Entries: []loadout.Entry{
			{ID: name, Path: "packs/" + name + "/a.md", Keywords: []string{name}, Priority: "domain", Summary: "s", Triggers: loadout.DefaultTriggers()},
		}}
		p := indexjson.Part{Pack: name, Path: "index/" + name + ".json", Entries: 1}
		addPart(root, files, p, indexjson.Write(&ix))
	}
	return root, files
}

// addPart adds a part with the size and digest of its text.
func addPart(root *indexjson.Root, files map[string][]byte, p indexjson.Part, text []byte) {
	sum := sha256.Sum256(text)
	p.Size, p.SHA256, files[p.Path] = int64(len(text)), hex.EncodeToString(sum[:]), text
	root.Parts = append(root.Parts, p)
}

// A site with a split index is read over http, and offline after that. Whatever is wrong
// with a part refuses the whole, by the name of the part; a root leads to nothing outside
// of its folder.
func TestTheSplitIndexOfASiteIsReadAsAWholeOrNotAtAll(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/redirected.json" {
			t.Errorf("another host was asked for %s", r.URL)
		}
	}))
	defer other.Close()
	for name, c := range map[string]struct {
		change func(root *indexjson.Root, files map[string][]byte)
		want   string // of the error
	}{
		"nothing": {nil, ""},
		"a part is missing": {func(_ *indexjson.Root, f map[string][]byte) { delete(f, "index/oven.json") },
			"part index/oven.json of the index: it is missing"},
		"a part of another build": {func(_ *indexjson.Root, f map[string][]byte) {
			f["index/oven.json"] = []byte(strings.Replace(string(f["index/oven.json"]), "domain", "manual", 1))
		}, "part index/oven.json of the index: the file is not the one that the root names: it is of another build"},
		"a longer part": {func(_ *indexjson.Root, f map[string][]byte) { f["index/oven.json"] = append(f["index/oven.json"], ' ') },
			"part index/oven.json of the index: the file is not the one that the root names: it is of another build"},
		"a shorter part": {func(_ *indexjson.Root, f map[string][]byte) { f["index/oven.json"] = f["index/oven.json"][1:] },
			"part index/oven.json of the index: the file is not the one that the root names: it is of another build"},
		"the root as its part": {func(root *indexjson.Root, _ map[string][]byte) { root.Parts[1].Path = "index.json" },
			"part index.json of the index: the file is not the one that the root names: it is of another build"},
		"a root as a part": {func(root *indexjson.Root, f map[string][]byte) {
			inner := root.Write()
			addPart(root, f, indexjson.Part{Pack: "pot", Path: "index/pot.json"}, inner)
		}, "part index/pot.json of the index: not a loadout index: it has no entries"},
		"a folder above": {func(root *indexjson.Root, _ map[string][]byte) { root.Parts[1].Path = "../oven.json" },
			"part ../oven.json of the index: its path does not stay below the folder of the index"},
		"a folder above in an address": {func(root *indexjson.Root, f map[string][]byte) { root.Parts[1].Path = "%2e%2e/oven.json" },
			"part %2e%2e/oven.json of the index: its path does not stay below the folder of the index"},
		"a query": {func(root *indexjson.Root, f map[string][]byte) { root.Parts[1].Path = "index/oven.json?x=.json" },
			"its path does not stay below the folder of the index"},
		"another host": {func(root *indexjson.Root, _ map[string][]byte) { root.Parts[1].Path = other.URL + "/oven.json" },
			"its path does not stay below the folder of the index"},
		"another host by a redirect, with other bytes": {func(_ *indexjson.Root, f map[string][]byte) {
			f["index/oven.json"] = []byte("to " + other.URL + "/redirected.json")
		}, "part index/oven.json of the index: the file is not the one that the root names: it is of another build"},
		"another host without a scheme": {func(root *indexjson.Root, _ map[string][]byte) {
			root.Parts[1].Path = strings.TrimPrefix(other.URL, "http:") + "/oven.json"
		},
			"its path does not stay below the folder of the index"},
		"a part twice": {func(root *indexjson.Root, _ map[string][]byte) { root.Parts = append(root.Parts, root.Parts[0]) },
			"part index/kettle.json of the index: it is named twice"},
		"too many parts": {func(root *indexjson.Root, f map[string][]byte) {
			for i := len(root.Parts); i <= indexjson.MaxParts; i++ {
				p := root.Parts[0]
				p.Pack, p.Path = fmt.Sprint("p", i), fmt.Sprint("index/p", i, ".json")
				root.Parts = append(root.Parts, p)
			}
		}, "the parts of the index: there are more than 10,000"},
		"too large a part": {func(root *indexjson.Root, _ map[string][]byte) { root.Parts[0].Size = indexjson.MaxFetched + 1 },
			"the parts have more than"},
	} {
		t.Run(name, func(t *testing.T) {
			root, files := splitSite()
			if c.change != nil {
				c.change(root, files)
			}
			files["index.json"] = root.Write()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				below, ok := strings.CutPrefix(r.URL.Path, "/site/")
				text, known := files[below]
				if !ok && r.URL.Path != "/" || strings.Contains(r.RequestURI, "?") {
					t.Errorf("%s was asked for", r.RequestURI)
				}
				if !known {
					http.NotFound(w, r)
					return
				}
				if to, ok := strings.CutPrefix(string(text), "to "); ok {
					http.Redirect(w, r, to, http.StatusFound)
					return
				}
				_, _ = w.Write(text)
			}))
			defer server.Close()
			dir, cache := t.TempDir(), t.TempDir()
			w := &repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}, Environment: func(name string) string {
				return map[string]string{"PACKGEN_CACHE_DIR": cache}[name]
			}}
			read := func(offline bool) error {
				layers, err := FromLayers(t.Context(), w, []string{server.URL + "/site/"}, offline)
				if err == nil && (len(layers) != 1 || len(layers[0].Index.Entries) != 2) {
					t.Errorf("%d layers, of the first %v", len(layers), layers[0].Index.Entries)
				}
				return err
			}
			err := read(false)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v\nwant: %s", err, c.want)
			}
			if hint := diag.HintOf(err); err != nil && hint != "ask the owner of the site to build and publish it again" {
				t.Errorf("hint %q", hint)
			}
			server.Close()
			if err := read(true); (err == nil) != (c.want == "") {
				t.Errorf("offline: %v", err)
			}
		})
	}
}
