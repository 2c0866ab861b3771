package loadout

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

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
