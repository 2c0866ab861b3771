package loadout

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func smallBinary(t testing.TB) []byte {
	t.Helper()
	observed := 12.5
	ix := &Index{
		Version: Version, Generated: "2026-01-01T00:00:00.000Z", Budget: Budget{AlwaysLoaded: 1, AvgObserved: &observed},
		Entries: []Entry{
			{ID: "ci", Path: "a.md", Keywords: []string{"ci", "fix runner", "C++"}, Patterns: []string{"ci_pipe"}, Priority: "domain", Summary: "About \"ci\"", TokensEst: 3, Lines: 2},
			{ID: "house", Priority: "core", Keywords: []string{"ci"}},
			DecodeEntry(`{"id":"odd","keywords":[1],"extra":{"a":[]}}`),
		},
	}
	return oktest.Value(Marshal(ix))(t)
}

func TestBinaryKeepsEverything(t *testing.T) {
	m := oktest.Value(OpenBinary(smallBinary(t)))(t)
	want := `{"version":"1.0.0","generated":"2026-01-01T00:00:00.000Z","entries":[` +
		`{"id":"ci","path":"a.md","keywords":["ci","fix runner","C++"],"patterns":["ci_pipe"],"priority":"domain","summary":"About \"ci\"","triggers":{"task":false,"plan":false,"edit":false},"tokens_est":3,"lines":2},` +
		`{"id":"house","path":"","keywords":["ci"],"patterns":[],"priority":"core","summary":"","triggers":{"task":false,"plan":false,"edit":false},"tokens_est":0,"lines":0},` +
		`{"id":"odd","keywords":[1],"extra":{"a":[]}}],` +
		`"budget":{"always_loaded_est":1,"on_demand_total_est":0,"avg_task_load_est":0,"avg_task_load_observed":12.5}}`
	if got := string(AppendIndex(nil, m.Index())); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	ix := m.Index()
	if e := ix.Entries[0]; e.Summary != `About "ci"` || e.Lines != 2 || e.TokensEst != 3 || e.Keywords[2] != "C++" {
		t.Errorf("decoded fields: %+v", e)
	}
	if b := ix.Budget; b.AvgObserved == nil || *b.AvgObserved != 12.5 || b.AlwaysLoaded != 1 {
		t.Errorf("budget: %+v", ix.Budget)
	}
	if ix.Entries[2].Fault != FaultKeywords {
		t.Errorf("fault: %v", ix.Entries[2].Fault)
	}
}

// Any changed byte is seen.
func TestBinaryWithOneByteChangedIsAnError(t *testing.T) {
	data := smallBinary(t)
	for i := range data {
		for _, flip := range []byte{1, 0x80} {
			damaged := bytes.Clone(data)
			damaged[i] ^= flip
			if _, err := OpenBinary(damaged); err == nil {
				t.Errorf("byte %d: no error", i)
			}
		}
	}
	for n := range len(data) {
		var want *BinaryError
		if _, err := OpenBinary(data[:n]); !errors.As(err, &want) {
			t.Errorf("cut to %d bytes: error %v", n, err)
		}
	}
}

// sealed puts the right checksum under changed data.
func sealed(data []byte) []byte {
	end := len(data) - checksumBytes
	return appendWords(bytes.Clone(data[:end]), []uint32{checksum(data[:end])})
}

// exercise uses all tables of a file that opened.
func exercise(m *Matcher) {
	for _, task := range []string{"", "ci fix runner pipe", "house"} {
		for _, opts := range []MatchOptions{{}, {Dialect: Recall, Compat: true}} {
			results, err := m.Match(task, opts)
			if err == nil {
				AppendResults(nil, results)
			}
			if b, err := m.Detail(task, opts); err == nil {
				AppendBreakdown(nil, b, 0, 0)
			}
		}
	}
	m.Index().Lookup("ci")
}

// A file made to deceive, with a checksum that holds, is refused or answers;
// it never panics.
func TestSealedBinaryNeverPanics(t *testing.T) {
	data := smallBinary(t)
	r := rand.New(rand.NewPCG(1, 2))
	opened := 0
	for range 6000 {
		damaged := bytes.Clone(data)
		for range 1 + r.IntN(3) {
			damaged[r.IntN(len(damaged))] = byte(r.Uint32() >> r.IntN(24))
		}
		if m, err := OpenBinary(sealed(damaged)); err == nil {
			opened++
			exercise(m)
		}
	}
	if opened == 0 {
		t.Error("no changed file opened: the test proves nothing")
	}
}

func FuzzOpenBinary(f *testing.F) {
	f.Add(smallBinary(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < checksumBytes {
			return
		}
		if m, err := OpenBinary(sealed(data)); err == nil {
			exercise(m)
		}
	})
}

// soundIndex is someIndex with words of the right shape in every entry.
func soundIndex(t *testing.T, r *rand.Rand, entries int, head string) *Index {
	t.Helper()
	ix := someIndex(t, r, entries, head)
	ix.Entries = slices.DeleteFunc(ix.Entries, func(e Entry) bool { return e.Fault != FaultNone })
	return ix
}

func TestAPartShowsTheArithmeticThatTheWholeShows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	shown := 0
	for _, head := range []string{"", `"tokenizer":"unicode",`} {
		for range 60 {
			ix := soundIndex(t, r, r.IntN(60), head)
			data := oktest.Value(Marshal(ix))(t)
			asked := 0
			p := oktest.Value(OpenPart(readerOf(data, &asked), int64(len(data))))(t)
			for _, task := range []string{"", "a1 b2", "migration of the e5 in c3 d4", "日本語 g7", "nothing here"} {
				for _, dialect := range []Dialect{Coverage, Recall, Weighted} {
					floor := float64(r.IntN(8)) / 10
					opts := MatchOptions{Dialect: dialect, MinScore: &floor}
					want := oktest.Value(Detail(task, ix, opts))(t)
					most := Most{Included: r.IntN(20), Others: r.IntN(20)}
					got := oktest.Value(p.Detail(task, opts, most))(t)
					if got == nil {
						t.Fatalf("%v: the part does not answer", dialect)
					}
					if got.Total() != len(want.Entries) || got.Loads() != want.Loads() {
						t.Fatalf("%v %q: %d entries, %+v; the whole has %d, %+v", dialect, task, got.Total(), got.Loads(), len(want.Entries), want.Loads())
					}
					listed := map[bool]int{}
					want.Entries = slices.DeleteFunc(want.Entries, func(r Rating) bool {
						listed[r.Included]++
						return r.Included && listed[true] > most.Included || !r.Included && listed[false] > most.Others
					})
					shown += len(want.Entries)
					want.sums, got.sums = nil, nil
					if a, b := AppendBreakdown(nil, got, 0, 0), AppendBreakdown(nil, want, 0, 0); string(a) != string(b) {
						t.Fatalf("%v %q:\n%s\nthe whole:\n%s", dialect, task, a, b)
					}
					for i := range got.Entries {
						if got.Entries[i].position != want.Entries[i].position {
							t.Fatalf("%v %q: entry %d is at %d, not %d", dialect, task, i, got.Entries[i].position, want.Entries[i].position)
						}
					}
				}
			}
		}
	}
	if shown < 1000 {
		t.Errorf("only %d entries were compared", shown)
	}
}

func TestAPartLeavesWordsOfAWrongShapeToTheWhole(t *testing.T) {
	for _, entry := range []string{
		`{"id":"e","path":"p","keywords":7,"patterns":[],"priority":"domain","summary":"s"}`,
		`{"id":"e","path":"p","keywords":"one two","patterns":[],"priority":"domain","summary":"s"}`,
	} {
		ix, _ := DecodeAtMost(Value(`{"version":"1.0.0","entries":[`+entry+`]}`), 1<<20)
		data := oktest.Value(Marshal(ix))(t)
		asked := 0
		p := oktest.Value(OpenPart(readerOf(data, &asked), int64(len(data))))(t)
		if b, err := p.Detail("one", MatchOptions{}, Most{}); b != nil || err != nil {
			t.Errorf("the part answers for %s: %v", entry, err)
		}
	}
}

// readerOf reads from bytes, and counts how many were asked for.
func readerOf(data []byte, asked *int) func([]byte, int64) error {
	return func(b []byte, offset int64) error {
		*asked += len(b)
		if offset < 0 || offset+int64(len(b)) > int64(len(data)) {
			return io.ErrUnexpectedEOF
		}
		copy(b, data[offset:])
		return nil
	}
}

// someIndex makes an index with entries of all kinds.
func someIndex(t testing.TB, r *rand.Rand, entries int, head string) *Index {
	t.Helper()
	priorities := []string{PriorityDomain, PriorityDomain, PriorityDomain, PriorityDomain, PriorityCore, PriorityManual, "odd"}
	var text strings.Builder
	text.WriteString("{" + head + `"version":"1.0.0","entries":[`)
	for i := range entries {
		if i > 0 {
			text.WriteByte(',')
		}
		var words []string
		for range r.IntN(6) {
			words = append(words, fmt.Sprintf("%q", []string{"a1", "b2", "c3 d4", "e5", "日本語", "x", "f6", "g7"}[r.IntN(8)]))
		}
		keywords := "[" + strings.Join(words, ",") + "]"
		if r.IntN(20) == 0 {
			keywords = "7"
		}
		fmt.Fprintf(&text, `{"id":"e%d","path":"p","keywords":%s,"patterns":["b2_g7"],"priority":%q,"summary":%q,"tokens_est":%d}`, i, keywords, priorities[r.IntN(len(priorities))],
			[]string{"s", "a1 and migrations", "migrating the b2", "日本 c3"}[r.IntN(4)], r.IntN(3))
	}
	text.WriteString("]}")
	ix, _ := DecodeAtMost(Value(text.String()), 1<<20)
	return ix
}

func TestAPartAnswersAsTheWholeDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cases, answers := 0, 0
	for _, head := range []string{"", `"tokenizer":"unicode",`} {
		for range 40 {
			ix := someIndex(t, r, r.IntN(60), head)
			data, err := Marshal(ix)
			oktest.Check(t, err)
			asked := 0
			part := oktest.Value(OpenPart(readerOf(data, &asked), int64(len(data))))(t)
			for _, task := range []string{"a1 b2", "c3", "c3 d4 e5 f6 g7", "日本語 e5", "migration to e7", "what is f6 for", "nothing", ""} {
				for _, how := range []struct {
					Dialect
					floor float64
				}{{Recall, 0.1}, {Recall, 0.5}, {Weighted, 0.1}, {Weighted, 0.6}} {
					dialect, floor := how.Dialect, how.floor
					cases++
					got := oktest.Value(part.Match(task, dialect, floor, 5))(t)
					all := oktest.Value(Match(task, ix, MatchOptions{Dialect: dialect, MinScore: &floor}))(t)
					var want []Result
					count := map[Mode]int{}
					for _, x := range all {
						if x.Score >= floor && x.Mode != ByManual && count[x.Mode] < 5 {
							count[x.Mode]++
							want = append(want, x)
						}
					}
					answers += len(want)
					if g, w := string(AppendResults(nil, got)), string(AppendResults(nil, want)); g != w {
						t.Fatalf("%q from %v, %s:\n%s\nwant\n%s", task, floor, dialect, g, w)
					}
				}
			}
			for _, e := range ix.Entries {
				if ok, err := part.Has(e.ID); !ok || err != nil {
					t.Errorf("%s is not found: %v", e.ID, err)
				}
			}
			if ok, _ := part.Has("e61"); ok {
				t.Error("an id is found that no entry has")
			}
		}
	}
	if cases < 100 || answers < 500 {
		t.Errorf("%d cases with %d answers prove little", cases, answers)
	}
}

// An index.bin of a site has no stems: it is read as a whole.
func TestAPartNeedsStems(t *testing.T) {
	var data []byte
	err := NewBinaryWriter().Write(&Index{}, func(func([]byte) error) error { return nil }, func(piece []byte) error {
		data = append(data, piece...)
		return nil
	})
	oktest.Check(t, err)
	asked := 0
	if _, err := OpenPart(readerOf(data, &asked), int64(len(data))); err != errBinaryForeign {
		t.Errorf("it is opened: %v", err)
	}
	oktest.Value(OpenBinary(data))(t)
}

func TestAPartIsReadInPart(t *testing.T) {
	ix := someIndex(t, rand.New(rand.NewPCG(3, 4)), 5_000, "")
	data := oktest.Value(Marshal(ix))(t)
	for _, dialect := range []Dialect{Recall, Weighted} {
		asked := 0
		part := oktest.Value(OpenPart(readerOf(data, &asked), int64(len(data))))(t)
		if _, err := part.Match("a1 e5", dialect, 0.5, 5); err != nil {
			t.Fatal(err)
		}
		if asked > len(data)/3 {
			t.Errorf("%s: %d of %d bytes were read", dialect, asked, len(data))
		}
	}
}

func TestADamagedPartIsRefusedOrAnswersLess(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ix := someIndex(t, r, 30, "")
	data := oktest.Value(Marshal(ix))(t)
	for range 3_000 {
		bad := append([]byte(nil), data...)
		bad[r.IntN(len(bad))] ^= byte(1 + r.IntN(255))
		if r.IntN(10) == 0 {
			bad = bad[:r.IntN(len(bad))]
		}
		asked := 0
		part, err := OpenPart(readerOf(bad, &asked), int64(len(bad)))
		if err != nil {
			continue
		}
		_, _ = part.Match("a1 b2 c3 d4", Recall, 0.5, 5) // no panic is the point
		_, _ = part.Match("a1 b2 migration d4", Weighted, 0.1, 5)
		_, _ = part.Has("e7")
	}
	broken := errors.New("disk")
	if _, err := OpenPart(func([]byte, int64) error { return broken }, int64(len(data))); err != broken {
		t.Errorf("the error of the reader became %v", err)
	}
}
