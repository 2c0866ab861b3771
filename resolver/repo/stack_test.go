package repo

import (
	"testing"

	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

func TestEntryPlacesAreWhereEntriesStart(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []place
	}{
		{"none", `{"version":"1.0.0"}`, nil},
		{"no index", `[1, 2]`, nil},
		{"not a list", `{"entries":{"a":1}}`, nil},
		{"empty", `{"entries":[]}`, nil},
		{"one line", `{"entries":[{"id":"a"}, 7,null]}`, []place{{1, 13}, {1, 25}, {1, 27}}},
		{"a line each", "{\n  \"entries\": [\n    {\"id\": \"a\"},\n\t{}\n  ]\n}\n", []place{{3, 5}, {4, 2}}},
		{"nested keys of that name", `{"x":{"entries":[1]},"y":["entries",[2]],"entries":[3]}`, []place{{1, 53}}},
		{"the last list counts", `{"entries":[1,2],"entries":[ 3]}`, []place{{1, 30}}},
		{"cut short", `{"entries":[1,`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := EntryPlaces([]byte(tt.text))
			if len(got) != len(tt.want) {
				t.Fatalf("got %v, want %v", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("entry %d: got %v, want %v", i, got[i], tt.want[i])
				}
			}
		})
	}
}

// Whatever the reader treats as an entry has a place.
func FuzzEntryPlaces(f *testing.F) {
	f.Add([]byte(`{"entries":[{"id":"a"},7,null,"x",[1]]}`))
	f.Add([]byte("{\"version\":\"1\",\"entries\":[ {} ,\n{}],\"budget\":{}}"))
	f.Add([]byte(`{"entries":[1],"entries":[2,3]}`))
	f.Add([]byte(`{"entries":[1],"entries":{}}`))
	f.Add([]byte(`{"\u0065ntries":["\ud83d"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		places := EntryPlaces(text)
		ix, err := indexjson.Read(text)
		if err != nil || ix.Check() != nil {
			return
		}
		if len(places) != len(ix.Entries) {
			t.Fatalf("%d places for %d entries of %q", len(places), len(ix.Entries), text)
		}
		for _, at := range places {
			if at.Line < 1 || at.Column < 1 {
				t.Errorf("place %v", at)
			}
		}
	})
}
