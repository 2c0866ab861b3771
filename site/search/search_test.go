package search

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/shard"
)

// corpus is a site of packs that are made at random, of sections of at most that many
// words, with the sections as the scorer takes them, by pack.
func corpus(rng *rand.Rand, packs, pages, most int) ([][]Page, [][]rank.Section) {
	words := strings.Fields("compile compiled compiler statuses the of how 知识 边界検索 コンパイル straße Émile release-notes don't publish deploy website e.g. 42 K9 über ΣΑΣ folder rotate rotation queue gateway 𝔘𝔫𝔦 \ufb01sh")
	some := func(n int) string {
		var b strings.Builder
		for range n {
			if b.WriteString(words[rng.IntN(len(words))] + " "); rng.IntN(40) == 0 {
				fmt.Fprintf(&b, "word%d ", rng.IntN(3000))
			}
		}
		return b.String()
	}
	all, sections := make([][]Page, packs), make([][]rank.Section, packs)
	for p := range packs {
		for i := range pages {
			var noted []rank.Section
			page := Page{URL: fmt.Sprintf("wiki/%d.html", i), Title: some(2), Kind: Kind(rng.IntN(2))}
			for s := range 1 + rng.IntN(4) {
				section := rank.Section{Title: some(2), TitlePath: []string{some(1)}, Text: "# " + some(2) + "\n\n" + some(rng.IntN(1+most/4)) + "\n\n## " + some(1) + "\n\n" + some(rng.IntN(most))}
				if rng.IntN(3) == 0 {
					section.Questions = []string{some(5)}
				}
				noted = append(noted, section)
				if rng.IntN(9) == 0 {
					continue // not on the site
				}
				shown := Section{Number: s, Fragment: fmt.Sprint("s", s), Title: some(2), Tokens: rng.IntN(900), Text: fmt.Sprint(i, "/", s), Status: Status(rng.IntN(len(statuses)))}
				if rng.IntN(8) == 0 {
					shown.Questions = []string{some(4)}
				}
				section.Questions = append(section.Questions, shown.Questions...)
				section.Document = fmt.Sprint(p, "/", i)
				page.Sections = append(page.Sections, shown)
				sections[p] = append(sections[p], section)
			}
			page.Note = Note(noted)
			all[p] = append(all[p], page)
		}
	}
	return all, sections
}

// built are the files of an index by path, unpacked.
func built(t testing.TB, packs [][]Page) map[string]string {
	t.Helper()
	files := map[string]string{}
	put := func(f shard.File) error {
		if _, twice := files[f.Path]; twice {
			t.Errorf("%s is put twice", f.Path)
		}
		files[f.Path] = string(f.Data)
		if again := unpacked(t, f.Pack()); again != string(f.Data) {
			t.Errorf("%s is another file once it is unpacked", f.Path)
		}
		return nil
	}
	list := make([]Pack, len(packs))
	for i, pages := range packs {
		name := fmt.Sprint("pack-", i)
		made, own, ok := joinedPart(name, inOneRun(pages))
		if !ok {
			t.Fatal("a note is damaged")
		}
		for _, f := range own {
			f.Path = "packs/" + name + "/" + f.Path
			_ = put(f)
		}
		list[i] = made.pack()
		list[i].Name, list[i].Dir, list[i].Status = name, "packs/"+name+"/", "ready"
	}
	oktest.Check(t, Build(list, put))
	return files
}

func unpacked(t testing.TB, data []byte) string {
	t.Helper()
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return string(data)
	}
	r := oktest.Value(gzip.NewReader(bytes.NewReader(data)))(t)
	return string(oktest.Value(io.ReadAll(r))(t))
}

// held is a word in a section, as a reader finds it.
type held struct {
	Pack, Section int
	Count         [rank.Fields]int
	Lengths       [rank.Fields]int // of the fields with a count
}

// words reads every word of an index.
func words(t testing.TB, files map[string]string) map[string][]held {
	t.Helper()
	var r root
	oktest.Check(t, json.Unmarshal([]byte(files[RootPath]), &r))
	tables := []shard.Table{r.Words}
	if r.Words.Depth == 1 {
		tables = nil
		for _, name := range r.Words.Names {
			var table shard.Table
			oktest.Check(t, json.Unmarshal([]byte(files[pathOf(name)]), &table))
			tables = append(tables, table)
		}
	}
	found := map[string][]held{}
	for _, table := range tables {
		for i, name := range table.Names {
			data, ok := files[pathOf(name)]
			if !ok {
				t.Fatalf("no file %s", name)
			}
			first := readWords(t, files, data, found)
			if first != table.Keys[i] {
				t.Errorf("the table says that %s starts with %q, it starts with %q", name, table.Keys[i], first)
			}
		}
	}
	return found
}

// number and text read what is at the start of a file.
func number(t testing.TB, s *string) int {
	n, size := binary.Uvarint([]byte(*s))
	if size <= 0 {
		t.Fatal("a number is cut off")
	}
	*s = (*s)[size:]
	return int(n)
}

func text(t testing.TB, s *string) string {
	n := number(t, s)
	part := (*s)[:n]
	*s = (*s)[n:]
	return part
}

// readWords reads a file of words and returns its first stem.
func readWords(t testing.TB, files map[string]string, data string, into map[string][]held) (first string) {
	stem := ""
	for data != "" {
		same := number(t, &data)
		stem = stem[:same] + text(t, &data)
		if first == "" {
			first = stem
		}
		sections, rest := number(t, &data), text(t, &data)
		found := readPacks(t, stem, &data)
		if rest != "" {
			if len(found) != mostFirst {
				t.Errorf("the first part of %q has %d sections", stem, len(found))
			}
			second := files[pathOf(rest)]
			found = append(found, readPacks(t, stem, &second)...)
			slices.SortFunc(found, func(a, b held) int { return cmp.Or(a.Pack-b.Pack, a.Section-b.Section) })
		}
		if len(found) != sections {
			t.Errorf("%q is said to be in %d sections, it is in %d", stem, sections, len(found))
		}
		into[stem] = found
	}
	return first
}

// readPacks reads the postings of a word.
func readPacks(t testing.TB, stem string, data *string) (found []held) {
	pack := -1
	for range number(t, data) {
		pack += number(t, data)
		postings, lengths := text(t, data), text(t, data)
		at := -1
		for postings != "" {
			p, rest, ok := cutPosting(postings)
			if !ok {
				t.Fatalf("a posting of %q is damaged", stem)
			}
			postings = rest
			at += p.gap
			h := held{Pack: pack, Section: at, Count: p.count}
			for f, n := range p.count {
				if n > 0 {
					h.Lengths[f] = number(t, &lengths)
				}
			}
			found = append(found, h)
		}
		if lengths != "" {
			t.Errorf("%q has more lengths than postings", stem)
		}
	}
	return found
}

func TestAnIndexHoldsWhatTheScorerCounts(t *testing.T) {
	for _, size := range [][3]int{{0, 0, 9}, {1, 1, 300}, {3, 40, 300}, {3, 3000, 30}} {
		pages, sections := corpus(rand.New(rand.NewPCG(5, uint64(size[1]))), size[0], size[1], size[2])
		want := map[string][]held{}
		n := 0
		tally := rank.NewTally()
		for p := range sections {
			for i := range sections[p] {
				n++
				terms, lengths := tally.Of(&sections[p][i])
				for _, term := range terms {
					h := held{Pack: p, Section: i, Count: term.Count}
					for f, count := range term.Count {
						if count > 0 {
							h.Lengths[f] = lengths[f]
						}
					}
					stem := tally.Stem(term.Stem)
					want[stem] = append(want[stem], h)
				}
			}
		}
		files := built(t, pages)
		if got := words(t, files); !reflect.DeepEqual(got, want) {
			t.Errorf("%v (-scorer +index):\n%.3000s", size, gocmp.Diff(want, got))
		}
		var r root
		if err := json.Unmarshal([]byte(files[RootPath]), &r); err != nil || r.Sections != n {
			t.Errorf("the root counts %d sections, %v; there are %d", r.Sections, err, n)
		}
		flags, runs := "", 0
		for _, run := range r.Runs {
			data := files[pathOf(run.Name)]
			if len(data) != run.Sections || data[0]&firstOfPage == 0 {
				t.Errorf("run %s has %d sections, the root says %d", run.Name, len(data), run.Sections)
			}
			flags += data
			runs += run.Sections
		}
		if runs != n || len(flags) != n {
			t.Errorf("the runs have %d sections, %d flags", runs, len(flags))
		}
	}
}

// A change of one page makes few files again: those of its words, and the root.
// Thousands of pages that differ in their words alone make the same file of flags more
// than once; it is put once.
func TestFilesThatHoldTheSameAreOne(t *testing.T) {
	pages := make([]Page, 3*leastRun+1)
	for i := range pages {
		note := Note([]rank.Section{{Title: "Page", Text: fmt.Sprintf("# Page\n\nword%d\n", i)}})
		pages[i] = Page{Note: note, URL: fmt.Sprintf("documents/%d.html", i), Title: fmt.Sprint("Page ", i), Sections: []Section{{Tokens: 9}}}
	}
	built(t, [][]Page{pages})
}

func TestOneChangedPageMakesFewFilesAgain(t *testing.T) {
	pages, _ := corpus(rand.New(rand.NewPCG(9, 9)), 10, 200, 100)
	before := built(t, pages)
	at := &pages[4][slices.IndexFunc(pages[4], func(p Page) bool { return len(p.Sections) == 2 })]
	at.Note = Note([]rank.Section{{Text: "compile twice"}, {Text: "a new kettle"}, {}, {}})
	fresh := 0
	after := built(t, pages)
	for path, data := range after {
		if before[path] != data {
			fresh++
		}
	}
	if fresh == 0 || fresh > len(after)/3 {
		t.Errorf("%d of %d files are made again", fresh, len(after))
	}
}

func TestDamagedPartsAreRefused(t *testing.T) {
	pages, _ := corpus(rand.New(rand.NewPCG(1, 1)), 1, 5, 50)
	pages[0][2].Note = pages[0][2].Note[:len(pages[0][2].Note)/2]
	if _, _, ok := joinedPart("x", inOneRun(pages[0])); ok {
		t.Error("a note that is cut off is read")
	}
	if err := Build([]Pack{{Part: &Part{}, Words: func(int) ([]byte, error) { return []byte("\x03\x01a"), nil }}}, func(shard.File) error { return nil }); err == nil {
		t.Error("a part that is cut off is read")
	}
}

func FuzzNote(f *testing.F) {
	pages, _ := corpus(rand.New(rand.NewPCG(2, 2)), 1, 3, 50)
	for _, p := range pages[0] {
		f.Add(p.Note)
		f.Add(p.Note[:len(p.Note)/3])
	}
	f.Fuzz(func(t *testing.T, note string) {
		for _, questions := range [][]string{nil, {"how is a website published"}} {
			made, _, ok := joinedPart("x", inOneRun([]Page{{Note: note, Sections: []Section{{Questions: questions}}}}))
			if ok {
				_ = Build([]Pack{made.pack()}, func(shard.File) error { return nil }) // an error or none, never a panic
			}
		}
	})
}

func FuzzPosting(f *testing.F) {
	f.Add([]byte{1, 2, 3}, 5)
	f.Fuzz(func(t *testing.T, counts []byte, gap int) {
		p := posting{gap: max(1, gap&0xffffff)}
		for i := range p.count {
			if i < len(counts) {
				p.count[i] = int(counts[i]) * int(counts[0])
			}
		}
		if p.count == [rank.Fields]int{} {
			return
		}
		got, rest, ok := cutPosting(string(appendPosting(nil, p)))
		if !ok || rest != "" || got != p {
			t.Errorf("%+v comes back as %+v, %q, %v", p, got, rest, ok)
		}
	})
}
