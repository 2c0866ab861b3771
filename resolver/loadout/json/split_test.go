package json

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

// split cuts an index into parts of some entries each.
func split(t *testing.T, r *rand.Rand, ix *loadout.Index) (*Root, map[string][]byte) {
	t.Helper()
	root, files := &Root{Index: *ix}, map[string][]byte{}
	root.Index.Entries = nil
	for rest, n := ix.Entries, 0; len(rest) > 0; n++ {
		some := rest[:1+r.IntN(len(rest))]
		rest = rest[len(some):]
		part := *ix
		part.Entries, part.Budget = some, loadout.ComputeBudget(some)
		p := Part{Pack: fmt.Sprint("p", n), Path: fmt.Sprintf("index/p%d.json", n), Entries: len(some)}
		files[p.Path] = Write(&part)
		sum := sha256.Sum256(files[p.Path])
		p.Size, p.SHA256 = int64(len(files[p.Path])), hex.EncodeToString(sum[:])
		root.Parts = append(root.Parts, p)
	}
	return root, files
}

func someIndex(r *rand.Rand, entries int) *loadout.Index {
	ix := &loadout.Index{Version: loadout.Version, Generated: "2026-06-01T08:00:00.000Z"}
	for i := range entries {
		ix.Entries = append(ix.Entries, loadout.Entry{ID: fmt.Sprint("e", i), Path: "packs/p/\u2028\"é.md", Keywords: []string{"k\\", "日本"}, Priority: "domain", TokensEst: float64(r.IntN(1000))})
	}
	ix.Budget = loadout.ComputeBudget(ix.Entries)
	if r.IntN(2) == 0 {
		ix.SetTokenizer(loadout.Unicode)
	}
	return ix
}

func reader(files map[string][]byte) func(p *Part) ([]byte, error) {
	return func(p *Part) ([]byte, error) {
		if text, ok := files[p.Path]; ok {
			return text, nil
		}
		return nil, fs.ErrNotExist
	}
}

func TestTheJoinedPartsAreTheIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		ix := someIndex(r, r.IntN(40))
		root, files := split(t, r, ix)
		joined := oktest.Value(ReadWith(root.Write(), reader(files)))(t)
		if got, want := string(Write(joined)), string(Write(ix)); got != want {
			t.Fatalf("%s\nthe index:\n%s", got, want)
		}
		for i := range joined.Entries {
			if joined.Entries[i].Tokenizer() != ix.Tokenizer {
				t.Fatal("the tokenizer of an entry is another one")
			}
		}
	}
}

func TestPartsThatDoNotFitAreRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	ix := someIndex(r, 12)
	for name, c := range map[string]struct {
		change func(root *Root, files map[string][]byte)
		want   string
	}{
		"a part is missing":       {func(_ *Root, f map[string][]byte) { delete(f, "index/p0.json") }, "it is missing"},
		"a part of another run":   {func(_ *Root, f map[string][]byte) { f["index/p0.json"] = append(f["index/p0.json"], ' ') }, "another build"},
		"the root as its part":    {func(root *Root, f map[string][]byte) { f["index/p0.json"] = root.Write() }, "another build"},
		"a root inside":           {func(root *Root, f map[string][]byte) { reseal(root, f, root.Write()) }, "it has no entries"},
		"another count":           {func(root *Root, _ map[string][]byte) { root.Parts[0].Entries++ }, "entries, and the root says"},
		"a folder above":          {func(root *Root, _ map[string][]byte) { root.Parts[0].Path = "../p.json" }, "below the folder"},
		"an absolute path":        {func(root *Root, _ map[string][]byte) { root.Parts[0].Path = "/etc/p.json" }, "below the folder"},
		"another system's path":   {func(root *Root, _ map[string][]byte) { root.Parts[0].Path = `..\p.json` }, "below the folder"},
		"an address":              {func(root *Root, _ map[string][]byte) { root.Parts[0].Path = "https://x/p.json" }, "below the folder"},
		"another kind of file":    {func(root *Root, _ map[string][]byte) { root.Parts[0].Path = "index/p0.html" }, "below the folder"},
		"a part twice":            {func(root *Root, _ map[string][]byte) { root.Parts = append(root.Parts, root.Parts[0]) }, "named twice"},
		"no digest":               {func(root *Root, _ map[string][]byte) { root.Parts[0].SHA256 = "" }, "not a SHA-256"},
		"no pack":                 {func(root *Root, _ map[string][]byte) { root.Parts[0].Pack = "" }, "names no pack"},
		"a digest in capitals":    {func(root *Root, _ map[string][]byte) { root.Parts[0].SHA256 = strings.Repeat("AB", 32) }, "not a SHA-256"},
		"no number of entries":    {func(root *Root, _ map[string][]byte) { root.Parts[0].Entries = -1 }, "its number of entries"},
		"no tokens":               {func(root *Root, _ map[string][]byte) { root.Parts[0].Tokens = -1 }, "its tokens"},
		"no size":                 {func(root *Root, _ map[string][]byte) { root.Parts[0].Size = 0 }, "its size"},
		"more parts than we read": {func(root *Root, _ map[string][]byte) { crowd(root, MaxParts+1, 10) }, "more than 10,000"},
		"more bytes than we read": {func(root *Root, _ map[string][]byte) { crowd(root, 3000, MaxIndex/1000) }, "1 GiB"},
		"another tokenizer": {func(root *Root, _ map[string][]byte) {
			root.Index.Tokenizer = map[loadout.Tokenizer]loadout.Tokenizer{"": loadout.Unicode}[root.Index.Tokenizer]
		}, "its tokenizer"},
	} {
		root, files := split(t, r, ix)
		c.change(root, files)
		got, err := ReadWith(root.Write(), reader(files))
		if err == nil || !strings.Contains(err.Error(), c.want) || got != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	var part *PartError
	if _, err := ReadRoot([]byte(`{"version":"3.0.0","parts":[]}`)); !errors.As(err, &part) {
		t.Errorf("a version to come: %v", err)
	}
	for _, text := range []string{`{"version":"1.0.0","entries":[{"id":"parts","parts":[1]}],"parts":[]}`, `{"parts":`, `{"parts":{}}`, `[]`} {
		if root, err := ReadRoot([]byte(text)); root != nil || err != nil {
			t.Errorf("%s: %v, %v", text, root, err)
		}
	}
}

// reseal makes a text the first part, as far as size and digest say.
func reseal(root *Root, files map[string][]byte, text []byte) {
	sum := sha256.Sum256(text)
	files["index/p0.json"], root.Parts[0].Size, root.Parts[0].SHA256 = text, int64(len(text)), hex.EncodeToString(sum[:])
}

// crowd gives a root that many parts of a size.
func crowd(root *Root, parts int, size int64) {
	one := root.Parts[0]
	root.Parts = nil
	for i := range parts {
		one.Pack, one.Path, one.Size = fmt.Sprint("p", i), fmt.Sprintf("index/p%d.json", i), size
		root.Parts = append(root.Parts, one)
	}
}
