package loadout

import (
	"bytes"
	"errors"
	"math/rand/v2"
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
