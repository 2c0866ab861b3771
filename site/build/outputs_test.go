package build

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
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
