package matching

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/site/shard"
)

// made are the files of an index by path, as they are published.
func made(t testing.TB, ix *loadout.Index, s store.Store) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	b := New(Options{Store: s, Program: "test", Put: func(f shard.File) error {
		if files[f.Path] != nil {
			t.Errorf("%s is put twice", f.Path)
		}
		files[f.Path] = f.Pack()
		return nil
	}})
	for i := range ix.Entries {
		oktest.Check(t, b.Add(&ix.Entries[i], loadout.AppendEntry(nil, &ix.Entries[i])))
	}
	oktest.Check(t, b.End(ix))
	return files
}

// reader reads the files of an index as the match page does, and counts the bytes that
// come over the line.
type reader struct {
	testing.TB
	files map[string][]byte
	root  root
	read  map[string]bool
	bytes int

	whole map[string]*part // what all readers of the files have unpacked
}

type part struct {
	data    []byte
	size    int             // over the line
	entries []fileOfEntries // of a run that was read
}

// nextReader is a new reader of files of which others have unpacked some.
func nextReader(t testing.TB, files map[string][]byte, whole map[string]*part) *reader {
	r := &reader{TB: t, files: files, read: map[string]bool{}, whole: whole}
	oktest.Check(t, json.Unmarshal(r.file(RootPath), &r.root))
	return r
}

func (r *reader) file(path string) []byte { return r.part(path).data }

func (r *reader) part(path string) *part {
	r.Helper()
	p, ok := r.whole[path]
	if !ok {
		p = r.unpack(path)
		r.whole[path] = p
	}
	if !r.read[path] {
		r.read[path] = true
		r.bytes += p.size
	}
	return p
}

func (r *reader) unpack(path string) *part {
	r.Helper()
	data, ok := r.files[path]
	if !ok {
		r.Fatalf("no file %s", path)
	}
	packed := data
	if path == RootPath { // a server packs it on the way
		packed = (&shard.File{Data: data}).Pack()
	} else {
		unpack, err := gzip.NewReader(bytes.NewReader(data))
		oktest.Check(r, err)
		if data, err = io.ReadAll(unpack); err != nil {
			r.Fatal(err)
		}
	}
	return &part{data: data, size: len(packed)}
}

func (r *reader) named(name string) []byte { return r.file(dir + name + ".bin") }

// values reads numbers and texts of a file.
type values struct{ data []byte }

func (v *values) number() (n int) {
	for shift := 0; ; shift += 7 {
		b := v.data[0]
		v.data = v.data[1:]
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

func (v *values) text() string {
	n := v.number()
	s := string(v.data[:n])
	v.data = v.data[n:]
	return s
}

// packs returns the packs that have postings for a key, as an excerpt has them; "" for a
// key that the index does not have.
func (r *reader) packs(key string) string {
	table := r.root.Words
	for {
		at := sort.Search(len(table.Keys), func(i int) bool { return table.Keys[i] > key }) - 1
		if at < 0 {
			return ""
		}
		data := r.named(table.Names[at])
		if table.Depth == 0 {
			return r.list(data, key)
		}
		table = shard.Table{}
		oktest.Check(r, json.Unmarshal(data, &table))
	}
}

func (r *reader) list(data []byte, wanted string) string {
	v := &values{data}
	before := ""
	for len(v.data) > 0 {
		same := v.number()
		key := before[:same] + v.text()
		before = key
		var packs []byte
		pack := -1
		for n := v.number(); n > 0; n-- {
			pack += v.number()
			packs = shard.AppendText(loadout.AppendVarint(packs, r.base(pack)), v.text())
		}
		if key == wanted {
			return string(packs)
		}
	}
	return ""
}

// base is the place of the first entry of a pack.
func (r *reader) base(pack int) (n int) {
	for _, p := range r.root.Packs[:pack] {
		n += p.Entries
	}
	return n
}

// entry reads the entry of a place.
func (r *reader) entry(place int) string {
	for _, run := range r.root.Runs {
		if place >= run.Entries {
			place -= run.Entries
			continue
		}
		p := r.part(dir + run.Name + ".bin")
		if p.entries == nil {
			oktest.Check(r, json.Unmarshal(p.data, &p.entries))
		}
		for _, f := range p.entries {
			if n := int(f[1].(float64)); place >= n {
				place -= n
				continue
			}
			v := &values{r.named(f[0].(string))}
			for range place {
				v.text()
			}
			return v.text()
		}
	}
	r.Fatalf("no entry %d", place)
	return ""
}

// detail answers for a task: with the lists alone, then with the entries that are shown.
func (r *reader) detail(task string, opts loadout.MatchOptions, limit, near int) string {
	r.Helper()
	keys := loadout.Keys(task, opts, r.root.Unicode)
	slices.Sort(keys)
	head := loadout.AppendExcerpt(nil, r.root.Entries, r.root.Lazy, r.root.Unicode, len(slices.Compact(slices.Clone(keys))))
	for _, key := range slices.Compact(keys) {
		head = shard.AppendText(shard.AppendText(head, key), r.packs(key))
	}
	answer := r.ask(append(slices.Clone(head), 0), task, opts, limit, near)
	var first struct{ Entries []struct{ At int } }
	oktest.Check(r, json.Unmarshal([]byte(answer), &first))
	with := loadout.AppendVarint(slices.Clone(head), len(first.Entries))
	for _, e := range first.Entries {
		with = shard.AppendText(append(loadout.AppendVarint(with, e.At), 0), r.entry(e.At))
	}
	return r.ask(with, task, opts, limit, near)
}

func (r *reader) ask(excerpt []byte, task string, opts loadout.MatchOptions, limit, near int) string {
	r.Helper()
	x := oktest.Value(loadout.OpenExcerpt(string(excerpt)))(r)
	b := oktest.Value(x.Detail(task, opts))(r)
	return string(loadout.AppendBreakdown(nil, b, limit, near))
}

// site makes an index as a build does: packs of pages, each page of a few sections.
func siteIndex(r *rand.Rand, packs, pages int, unicode bool) (*loadout.Index, []string) {
	vocabulary := make([]string, 0, 6000)
	syllables := strings.Fields("ba ce di fo gu ka le mi no pu ra se ti vo xu ya ze qui sta tor ing ed")
	for range cap(vocabulary) {
		w := ""
		for range 2 + r.IntN(3) {
			w += syllables[r.IntN(len(syllables))]
		}
		vocabulary = append(vocabulary, w)
	}
	// A few words are everywhere, most in a few places, as in any text.
	word := func() string { return vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64()*r.Float64())] }
	ix := &loadout.Index{Version: loadout.Version}
	for p := range packs {
		for page := range pages {
			for section := range 3 {
				id := fmt.Sprintf("pack-%d-%s-%s-%d", p, word(), word(), page)
				e := loadout.Entry{
					ID: fmt.Sprint(id, "-", section), Path: fmt.Sprintf("packs/pack-%d/compiled/splits/%s/%d.md", p, id, section), Priority: loadout.PriorityDomain,
					Triggers: loadout.DefaultTriggers(), TokensEst: float64(40 + r.IntN(900)), Lines: 1 + r.IntN(60), Patterns: []string{},
				}
				for range 8 {
					e.Keywords = append(e.Keywords, word())
				}
				for range 14 {
					e.Summary += word() + " "
				}
				switch r.IntN(400) {
				case 0:
					e.Priority = loadout.PriorityCore
				case 1:
					e.Priority = loadout.PriorityManual
				case 2:
					e.Keywords, e.Patterns = append(e.Keywords, word()+" "+word(), "数据库"), []string{word() + "_" + word()}
				}
				ix.Entries = append(ix.Entries, e)
			}
		}
	}
	if unicode {
		ix.SetTokenizer(loadout.Unicode)
	}
	ix.Budget = loadout.ComputeBudget(ix.Entries)
	return ix, vocabulary
}

func taskOf(r *rand.Rand, vocabulary []string) string {
	list := []string{}
	for range 3 + r.IntN(8) {
		list = append(list, vocabulary[int(float64(len(vocabulary))*r.Float64()*r.Float64())])
	}
	return strings.Join(list, " ")
}

// What is read of the files says of every task what the whole index says, byte by byte.
func TestTheFilesSayWhatTheIndexSays(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 18))
	for _, unicode := range []bool{false, true} {
		ix, vocabulary := siteIndex(r, 5, 60, unicode)
		files, whole := made(t, ix, &store.Memory{}), map[string]*part{}
		for range 60 {
			task := taskOf(r, vocabulary)
			opts := loadout.MatchOptions{Dialect: loadout.Dialect(r.IntN(3))}
			if r.IntN(3) == 0 {
				opts.Also = []string{taskOf(r, vocabulary), "数据库 x"}
			}
			want := oktest.Value(loadout.Detail(task, ix, opts))(t)
			got := nextReader(t, files, whole).detail(task, opts, 20, 12)
			if w := string(loadout.AppendBreakdown(nil, want, 20, 12)); withoutPlaces(got) != w {
				t.Fatalf("%q, %+v:\n got %s\nwant %s", task, opts, got, w)
			}
		}
	}
}

// withoutPlaces takes out what only an excerpt says.
func withoutPlaces(answer string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(answer, `,"at":`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		answer = strings.TrimLeft(rest, "0123456789")
	}
}

// What a task costs at 10,000 pages.
func TestAMedianTaskReadsAtMost200KB(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 3))
	ix, vocabulary := siteIndex(r, 100, 100, false)
	files, whole := made(t, ix, &store.Memory{}), map[string]*part{}
	for _, dialect := range []loadout.Dialect{loadout.Coverage, loadout.Recall, loadout.Weighted} {
		var sizes []int
		for range 21 {
			one := nextReader(t, files, whole)
			task := taskOf(r, vocabulary)
			one.detail(task, loadout.MatchOptions{Dialect: dialect}, 20, 12)
			one.detail(task, loadout.MatchOptions{Dialect: loadout.Weighted}, 12, 1) // what comes next, in place of near misses
			sizes = append(sizes, one.bytes)
		}
		slices.Sort(sizes)
		t.Logf("%s: %d bytes in the median, %d at most; the root has %d", dialect, sizes[10], sizes[20], nextReader(t, files, whole).bytes)
		if sizes[10] > 200_000 {
			t.Errorf("%s: a median task reads %d bytes", dialect, sizes[10])
		}
	}
}

// A changed entry changes few files, and a store that knows the others changes nothing.
func TestAnEditTouchesFewFiles(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 4))
	ix, vocabulary := siteIndex(r, 10, 50, false)
	kept := &store.Memory{}
	before := made(t, ix, kept)
	e := &ix.Entries[700]
	e.Summary += vocabulary[3]
	e.TokensEst++
	after := made(t, ix, kept)
	fresh := 0
	for path := range after {
		if before[path] == nil {
			fresh++
		}
	}
	if fresh == 0 || fresh > 40 { // its words, its file, its run
		t.Errorf("%d of %d files are new", fresh, len(after))
	}
	if again := made(t, ix, &store.Memory{}); !equalFiles(after, again) {
		t.Error("an index made with what the store knows is another one")
	}
	if bytes.Equal(before[RootPath], after[RootPath]) {
		t.Error("the root does not name the new files")
	}
}

func equalFiles(a, b map[string][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for path := range a {
		if !bytes.Equal(a[path], b[path]) {
			return false
		}
	}
	return true
}

func BenchmarkIndex(b *testing.B) {
	ix, _ := siteIndex(rand.New(rand.NewPCG(18, 5)), 100, 100, false)
	texts := make([][]byte, len(ix.Entries))
	for i := range ix.Entries {
		texts[i] = loadout.AppendEntry(nil, &ix.Entries[i])
	}
	kept := &store.Memory{}
	run := func(b *testing.B, s store.Store) {
		m := New(Options{Store: s, Program: "test", Put: func(shard.File) error { return nil }})
		for i := range ix.Entries {
			oktest.Check(b, m.Add(&ix.Entries[i], texts[i]))
		}
		oktest.Check(b, m.End(ix))
	}
	run(b, kept)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			run(b, &store.Memory{})
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			run(b, kept)
		}
	})
}
