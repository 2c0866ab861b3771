package build

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/repo"
)

func someOutputs() *outputs {
	return &outputs{
		name: "pack", state: store.Sum([]byte("state")),
		after: []store.File{{Path: "KNOWLEDGE.md", Sum: store.Sum([]byte("a"))}, {Path: "compiled/facts.md", Sum: store.Sum([]byte("b"))}},
		site:  []publish.Kept{{Path: "packs/pack/index.html", Sum: store.Sum([]byte("c"))}},
		held:  []held{{group: "site", key: store.Sum([]byte("k")), result: store.Result{store.Sum([]byte("d")), store.Sum([]byte("e"))}}},
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
		o, err := readOutputs(bytes.NewReader(data), int64(len(data)))
		if err != nil || o.name == "" {
			continue
		}
		packs++
		results := 0
		for _, h := range o.held {
			if h.group == repo.SiteGroup {
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
	s := oktest.Value(newSpooled(t.TempDir()))(t)
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

// archiveOf compresses what an archive of outputs is to hold.
func archiveOf(t *testing.T, plain []byte, o ...zstd.EOption) []byte {
	t.Helper()
	z := oktest.Value(zstd.NewWriter(nil, o...))(t)
	return z.EncodeAll(plain, nil)
}

// The memory of an archive is that of what it holds, whatever it claims or becomes.
func TestTheMemoryOfOutputsIsThatOfWhatTheyHold(t *testing.T) {
	list := someOutputs().encode()
	entry := func(name string, size int) []byte {
		head := append(binary.AppendUvarint(nil, uint64(len(name))), name...)
		return binary.AppendUvarint(head, uint64(size))
	}
	whole := append(entry(outputsList, len(list)), list...)
	for name, data := range map[string][]byte{
		"a list that claims 1 GiB":     archiveOf(t, append(entry(outputsList, 1<<30), list...)),
		"an entry that claims 1 GiB":   archiveOf(t, append(append(whole[:len(whole):len(whole)], entry(blobEntry+"x", 1<<30)...), list...)),
		"a list of zeros":              archiveOf(t, append(entry(outputsList, 2*leastList), make([]byte, 2*leastList)...)),
		"an entry of zeros":            archiveOf(t, append(append(whole[:len(whole):len(whole)], entry(blobEntry+"x", leastPlain+10<<20)...), make([]byte, leastPlain+10<<20)...)),
		"a window that is never used":  archiveOf(t, whole[:len(whole):len(whole)], zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false)),
		"a window of many gigabytes":   {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 0x01, 0x00, 0x00},
		"the beginning of an archive":  archiveOf(t, whole)[:20],
		"nothing":                      nil,
		"the claim of 60 bytes, plain": append(entry(outputsList, 1<<30), list[:min(len(list), 60)]...),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o, err := readOutputs(bytes.NewReader(data), int64(len(data)))
		if err == nil {
			err = o.verify()
			o.close()
		}
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s is read", name)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 6*leastPlain {
			t.Errorf("%s takes %d bytes", name, took)
		}
	}
}

// What does not hold all that its list names, as it names it, is not verified.
func TestOutputsAreVerifiedBeforeTheyAreKept(t *testing.T) {
	server, _, _ := shared(t)
	listed := func(change func(o *outputs)) func(string, []byte) (string, []byte) {
		return func(name string, data []byte) (string, []byte) {
			if name != outputsList {
				return name, data
			}
			var o outputs
			if !o.decode(bytes.Clone(data)) {
				t.Fatal("the list cannot be read")
			}
			change(&o)
			return name, o.encode()
		}
	}
	entries := func(kind string, change func(name string, data []byte) (string, []byte)) func(string, []byte) (string, []byte) {
		return func(name string, data []byte) (string, []byte) {
			if !strings.HasPrefix(name, kind) {
				return name, data
			}
			return change(name, data)
		}
	}
	other := func(name string, _ []byte) (string, []byte) { return name, []byte("other") }
	less := func(string, []byte) (string, []byte) { return "", nil }
	for _, data := range server.Blobs() {
		o, err := readOutputs(bytes.NewReader(data), int64(len(data)))
		if err != nil || o.name == "" {
			continue
		}
		name := o.name
		o.close()
		for what, change := range map[string]func(string, []byte) (string, []byte){
			"":                       func(name string, data []byte) (string, []byte) { return name, data },
			"another blob":           entries(blobEntry, other),
			"a blob less":            entries(blobEntry, less),
			"another view":           entries(packEntry, other),
			"a view outside":         entries(packEntry, func(_ string, data []byte) (string, []byte) { return packEntry + "documents/x.md", data }),
			"another page":           entries(siteEntry, other),
			"a page less":            entries(siteEntry, less),
			"another group":          listed(func(o *outputs) { o.held[0].group = "fetched" }),
			"the group of a pack":    listed(func(o *outputs) { o.held[0].group = repo.PackGroup + "somebody" }),
			"the state of a pack":    listed(func(o *outputs) { o.state = store.Sum(nil) }),
			"a result of a pack":     listed(func(o *outputs) { o.held[0].key = store.Sum(nil) }),
			"a page that is missing": listed(func(o *outputs) { o.site = o.site[:len(o.site)-1] }),
			"another pack":           listed(func(o *outputs) { o.name = "somebody" }),
		} {
			data := rewritten(t, data, change)
			r, err := verified(bytes.NewReader(data), name, int64(len(data)))
			if (err == nil) != (what == "") {
				t.Errorf("%s: %v", what, err)
			}
			if err == nil {
				r.close()
			}
		}
		return
	}
	t.Error("no outputs of a pack were sent")
}
