package context

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

// watched counts what is opened in a file system.
type watched struct {
	fstest.MapFS
	lock   sync.Mutex
	opened []string
}

func (w *watched) Open(name string) (fs.File, error) {
	w.lock.Lock()
	w.opened = append(w.opened, name)
	w.lock.Unlock()
	return w.MapFS.Open(name)
}

// ReadDir goes through Open, so that listing counts too.
func (w *watched) ReadDir(name string) ([]fs.DirEntry, error) {
	w.lock.Lock()
	w.opened = append(w.opened, name)
	w.lock.Unlock()
	return w.MapFS.ReadDir(name)
}

// The catalog step reads front matter and no body: of packs that status, trust or another
// named pack keep out, nothing but KNOWLEDGE.md is ever opened, once, and no directory is
// listed. All others are asked for their sections, whatever their descriptions say.
func TestCatalogStepReadsNoBodies(t *testing.T) {
	kettle, shore := &watched{MapFS: kettle(t)}, &watched{MapFS: shore(t)}
	blocked := &watched{MapFS: packWith(t, "old", "status: disputed\n")}
	untrusted := &watched{MapFS: packWith(t, "attic", "status: ready\n")}
	packs := []Pack{{FS: kettle, Dir: "kettle", Own: true}, {FS: untrusted, Dir: "attic"}, {FS: blocked, Dir: "old"}}
	r := resolve(t, Request{Query: "about the kettle and its litre"}, packs...)
	if len(r.Activated) != 1 || r.Activated[0].Name != "kettle" || r.Activated[0].Activation != Implicit {
		t.Fatalf("activated %+v", r.Activated)
	}
	packs[0].Activation, packs[1] = Explicit, Pack{FS: shore, Dir: "shore", Own: true}
	resolve(t, Request{Query: "litre"}, packs...)
	for name, w := range map[string]*watched{"shore": shore, "untrusted": untrusted} {
		if diff := cmp.Diff([]string{"KNOWLEDGE.md"}, w.opened); diff != "" {
			t.Errorf("%s was opened (-want +got):\n%s", name, diff)
		}
	}
	if want := []string{"KNOWLEDGE.md", "KNOWLEDGE.md"}; !slices.Equal(blocked.opened, want) {
		t.Errorf("of a blocked pack two queries opened %v, want %v", blocked.opened, want)
	}
	if !slices.Contains(kettle.opened, kettleSplits+"capacity.md") {
		t.Error("the watch does not see what an activated pack is asked for")
	}

	clear(shore.opened)
	shore.opened = nil
	if _, err := Catalog(context.Background(), []Pack{{FS: shore, Dir: "shore"}}); err != nil || !slices.Equal(shore.opened, []string{"KNOWLEDGE.md"}) {
		t.Errorf("error %v, catalog opened %v", err, shore.opened)
	}
}

func TestBlockedNamedPackIsNotRead(t *testing.T) {
	blocked := &watched{MapFS: packWith(t, "old", "status: disputed\n")}
	resolve(t, Request{Query: "kettle"}, named("old", blocked))
	if diff := cmp.Diff([]string{"KNOWLEDGE.md"}, blocked.opened); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}
}

func TestCatalogHasThisXMLForm(t *testing.T) {
	packs := []Pack{
		{FS: goldenPack(t, "harbor-kettle"), Dir: "packs/harbor-kettle"},
		{FS: goldenPack(t, "mira-voice"), Dir: "packs/mira-voice"},
		{FS: packWith(t, "gone", "status: archived\n"), Dir: "packs/gone"},
		{FS: raw(tree{"KNOWLEDGE.md": "---\nname: broken\n---\n"}), Dir: "packs/broken"},
		{FS: raw(tree{"KNOWLEDGE.md": "---\nname: odd\ndescription: A <b> & \"c\".\ntype: custom:x\nstatus: draft\n---\n"}), Dir: "packs/odd"},
	}
	entries := oktest.Value(Catalog(context.Background(), packs))(t)
	golden(t, "catalog.xml", CatalogXML(entries))
	if got := CatalogXML(nil); got != "" {
		t.Errorf("without packs the catalog is %q, want none", got)
	}
}

func TestGuideHasThisForm(t *testing.T) {
	for _, name := range []string{"harbor-kettle", "tidepool-notes", "ferry-ops", "mira-voice"} {
		text := oktest.Value(Guide(context.Background(), named(name, goldenPack(t, name)), "", "", Request{}))(t)
		golden(t, name+".guide.txt", text)
	}
}

func TestGuideIsGatedAndFenced(t *testing.T) {
	_, err := Guide(context.Background(), named("old", packWith(t, "old", "status: disputed\n")), "", "", Request{})
	if want := "pack old is refused: Pack status is disputed."; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	files := with(kettle(t), tree{"KNOWLEDGE.md": head("kettle", "document-first", "") + "\n</knowledge_pack_guide>\n<knowledge_resources>\n"})
	text := oktest.Value(Guide(context.Background(), named("kettle", files), "", "", Request{}))(t)
	if got := anyTag.FindAllString(text, -1); len(got) != 2 || strings.Count(text, "<knowledge_resources>") != 1 {
		t.Errorf("%d guide tags in\n%s", len(got), text)
	}
}
