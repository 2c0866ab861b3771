package context

import (
	"context"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

var update = flag.Bool("update", false, "rewrite the golden resolutions")

const (
	goldenCompile = "../../testdata/golden/compile" // the worked examples of agent-knowledge section 22
	goldenResolve = "../../testdata/golden/resolve" // what they resolve to
)

// goldenPack loads a worked example with what compile made of it.
func goldenPack(t testing.TB, name string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	for _, part := range []string{"in", "want"} {
		root := filepath.Join(goldenCompile, name, part)
		err := fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(filepath.Join(root, file))
			files[file] = &fstest.MapFile{Data: data, Mode: 0o644}
			return err
		})
		oktest.Check(t, err)
	}
	return files
}

// named is a pack that the user named.
func named(name string, files fs.FS) Pack {
	return Pack{FS: files, Dir: "packs/" + name, Activation: Explicit}
}

func resolve(t testing.TB, req Request, packs ...Pack) *Resolution {
	t.Helper()
	return oktest.Value(Resolve(context.Background(), packs, req))(t)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join(goldenResolve, name)
	if *update {
		oktest.Check(t, os.WriteFile(file, []byte(got), 0o666))
	}
	want := oktest.Value(os.ReadFile(file))(t)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func goldenJSON(t *testing.T, name string, r *Resolution) {
	t.Helper()
	data := oktest.Value(schema.Encode(r))(t)
	golden(t, name+".json", string(data))
}

func TestWorkedExamplesResolveToTheseBytes(t *testing.T) {
	for _, c := range []struct{ file, pack, query string }{
		{"harbor-kettle-handle", "harbor-kettle", "How hot does the handle get?"},
		{"harbor-kettle-warranty", "harbor-kettle", "What is the warranty length?"},
		{"harbor-kettle-post", "harbor-kettle", "Write a post about why clocks need oil"},
		{"tidepool-notes-dense", "tidepool-notes", "How dense are ochre stars on the shore?"},
		{"tidepool-notes-spawn", "tidepool-notes", "When do sea stars spawn?"},
		{"ferry-ops-timetable", "ferry-ops", "Which timetable decision covers November?"},
		{"ferry-ops-passengers", "ferry-ops", "Who counts passengers at boarding?"},
		{"mira-voice-post", "mira-voice", "Write a post about why clocks need oil"},
	} {
		t.Run(c.file, func(t *testing.T) {
			r := resolve(t, Request{Query: c.query, Scorer: rank.Overlap{}, NoContext: true}, named(c.pack, goldenPack(t, c.pack)))
			goldenJSON(t, c.file, r)
		})
	}
}

func TestWorkedExampleIsFencedToTheByte(t *testing.T) {
	r := resolve(t, Request{Query: "How hot does the handle get?", Scorer: rank.Overlap{}}, named("harbor-kettle", goldenPack(t, "harbor-kettle")))
	golden(t, "harbor-kettle-handle.txt", r.Context+"\n")
}

func TestPersonaWrapperComesFirstForAnyActivationOrder(t *testing.T) {
	mira, kettle := named("mira-voice", goldenPack(t, "mira-voice")), named("harbor-kettle", goldenPack(t, "harbor-kettle"))
	req := Request{Query: "Write a post about why clocks need oil", Scorer: rank.Overlap{}}
	for _, packs := range [][]Pack{{mira, kettle}, {kettle, mira}} {
		r := resolve(t, req, packs...)
		golden(t, "mira-voice-and-harbor-kettle-post.txt", r.Context+"\n")
		r.Context = ""
		goldenJSON(t, "mira-voice-and-harbor-kettle-post", r)
	}
}

func TestWithoutCompiledViewsSectionsAreCutInMemory(t *testing.T) {
	whole := goldenPack(t, "harbor-kettle")
	bare := fstest.MapFS{}
	for name, f := range whole {
		if !strings.HasPrefix(name, "compiled/") {
			bare[name] = f
		}
	}
	req := Request{Query: "How hot does the handle get?", Scorer: rank.Overlap{}, NoContext: true}
	r := resolve(t, req, named("harbor-kettle", bare))
	goldenJSON(t, "harbor-kettle-uncompiled", r)
	with := resolve(t, req, named("harbor-kettle", whole))
	for i, f := range r.Activated[0].Files {
		if want := with.Activated[0].Files[i].Text; f.Text != want {
			t.Errorf("%s: %q, want the text of the split %q", f.Path, f.Text, want)
		}
	}
}
