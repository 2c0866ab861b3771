package build

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/workspace"
)

func someOutputs() *outputs {
	return &outputs{
		name: "pack", state: store.Sum([]byte("state")),
		after: []store.File{{Path: "KNOWLEDGE.md", Sum: store.Sum([]byte("a"))}, {Path: "compiled/facts.md", Sum: store.Sum([]byte("b"))}},
		site:  []publish.Kept{{Path: "packs/pack/index.html", Sum: store.Sum([]byte("c"))}},
		held:  []held{{group: "site", key: store.Sum([]byte("k")), result: store.Result{store.Sum([]byte("d"))}, also: []store.Digest{store.Sum([]byte("e"))}}},
	}
}

func TestAListOfOutputsIsReadAsItWasWritten(t *testing.T) {
	var got outputs
	if !got.decode(someOutputs().encode()) || !reflect.DeepEqual(&got, someOutputs()) {
		t.Errorf("it is read as %+v", got)
	}
}

// Whoever may write to a cache can send anything: it is refused, in bounded memory, or it is
// a list.
func FuzzAListOfOutputsFromAStrangerIsReadOrRefused(f *testing.F) {
	whole := someOutputs().encode()
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte(outputsFormat))
	f.Fuzz(func(t *testing.T, data []byte) {
		var o, again outputs
		if !o.decode(bytes.Clone(data)) {
			return
		}
		if !again.decode(o.encode()) {
			t.Error("what was read cannot be written")
		}
	})
}

// A build that joins fetched packs with others need not make again what the match page has of
// them.
func TestOutputsHaveTheMatchListsOfAPack(t *testing.T) {
	server, _, _ := shared(t)
	packs := 0
	for _, data := range server.Blobs() {
		o, err := readOutputs(bytes.NewReader(data))
		if err != nil || o.name == "" {
			continue
		}
		packs++
		results := 0
		for _, h := range o.held {
			if h.group == workspace.SiteGroup {
				results++
			}
		}
		if results < 2 { // one is that of the pages
			t.Errorf("the outputs of %s have %d results of the site", o.name, results)
		}
		o.close()
	}
	if packs != 3 {
		t.Errorf("%d packs were sent", packs)
	}
}

func TestPagesOfAnActionAreReadAsTheyWerePut(t *testing.T) {
	s, err := newSpooled(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for name, text := range map[string]string{"a": "one", "b": "", "c": "three"} {
		if _, err := s.Put(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
		got, err := s.read(name)
		if kept, known := s.Sum(name); err != nil || string(got) != text || !known || kept.Sum != store.Sum([]byte(text)) {
			t.Errorf("%s is read as %q: %v", name, got, err)
		}
	}
	if _, err := s.Put("a", []byte("again")); !errors.Is(err, publish.ErrDuplicate) {
		t.Errorf("a file that is put twice: %v", err)
	}
	if _, err := s.read("d"); err == nil {
		t.Error("a file that nobody put is read")
	}
}
