package json

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/packgen/packgen/resolver/loadout"
)

// FuzzReadEach holds that reading in pieces gives what Read gives, or asks for Read.
func FuzzReadEach(f *testing.F) {
	deep := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	for _, text := range []string{
		`{"version":"1.0.0","entries":[{"id":"a","keywords":["b","c\"}]"]} , {"id":"b\\"},5,null,"x"],"budget":{"x":1e3},"5":true}`,
		` { "entries" : [ ] , "more" : [1, {"entries": [2]}], "tokenizer":"unicode" } `,
		`{"entries":[],"entries":[1]}`, `{"entries":{}}`, `{"entries":[1}`, `{"entries":[1,]}`, `{"entries":[1]} x`, `{"a":1,}`, `{,"a":1}`,
		`[]`, ``, `{`, `{"a"`, `{"a":"b`, `{"\u0065ntries":[{"id":"e"}],"z":0.10}`, `{"entries":[{"a":"\ud800"}, 1e400]}`, `{"a":1 2}`, `{"a" "b":1}`, `{5:1}`,
		`{"entries":[` + deep + `]}`, `{"entries":[[` + deep + `]]}`, `{"a":1,"entries":[1 2]}`, `{"entries":["` + "\xff" + `"]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, wantErr := Read([]byte(text))
		var entries []loadout.Entry
		ix, err := ReadEach(iotest.OneByteReader(strings.NewReader(text)), func(v loadout.Value) error {
			entries = append(entries, loadout.DecodeEntry(v))
			return nil
		})
		if err != nil {
			if !errors.Is(err, ErrWhole) {
				t.Fatal(err)
			}
			return
		}
		if wantErr != nil {
			t.Fatalf("read in pieces; the whole is refused: %v", wantErr)
		}
		ix.Entries = entries
		if got, want := Write(ix), Write(want); string(got) != string(want) {
			t.Errorf("%s\nthe whole:\n%s", got, want)
		}
	})
}

func TestAnIndexInPiecesIsReadWithoutTheWhole(t *testing.T) {
	n := 0
	text := `{"version":"1.0.0","entries":[` + strings.Repeat(`{"id":"e","keywords":["some words"]},`, 20_000) + `{}],"tokenizer":"unicode"}`
	ix, err := ReadEach(strings.NewReader(text), func(loadout.Value) error { n++; return nil })
	if err != nil || n != 20_001 || ix.Tokenizer != loadout.Unicode {
		t.Errorf("%d entries, %v", n, err)
	}
	broken := errors.New("broken")
	if _, err := ReadEach(iotest.ErrReader(broken), nil); !errors.Is(err, broken) {
		t.Errorf("an error of the reader: %v", err)
	}
	if _, err := ReadEach(strings.NewReader(text), func(loadout.Value) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("an error of the visitor: %v", err)
	}
}
