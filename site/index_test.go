package site

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/loadout"
)

// An index that nobody could read again is left out, in one file as in parts, and what the
// match page has of it is the same.
func TestAnIndexOfTooManyEntriesIsLeftOutAndMatchedAllTheSame(t *testing.T) {
	counted := 0
	list := func(least func(int), visit func(e *loadout.Entry) error) (*loadout.Index, error) {
		least(counted)
		var all []loadout.Entry
		for i := range 60 {
			name := fmt.Sprintf("pack-%d", i/20)
			all = append(all, loadout.Entry{
				ID: fmt.Sprintf("%s-%d", name, i), Path: fmt.Sprintf("packs/%s/compiled/splits/%d.md", name, i), Priority: loadout.PriorityDomain,
				Keywords: []string{fmt.Sprintf("kettle%d", i%7), "scale"}, Summary: strings.Repeat("hot ", 5), TokensEst: 99, Lines: 3,
			})
			if err := visit(&all[i]); err != nil {
				return nil, err
			}
		}
		return &loadout.Index{Version: loadout.Version, Generated: "2026-06-01T08:00:00.000Z", Budget: loadout.ComputeBudget(all)}, nil
	}
	for _, split := range []bool{false, true} {
		var whole, cut *memory
		for _, most := range []int{60, 59, 20, 0} {
			counted = 60 - counted // known in every other index
			s := New(Options{SplitIndex: split})
			s.mostEntries = most
			sink := &memory{Target: publish.Nowhere, files: map[string][]byte{}}
			facts, err := s.PutIndex(sink, Evals{}, list)
			if err != nil || facts.LeftOut != (most < 60) || facts.Entries != 60 || facts.Tokens != 60*99 {
				t.Fatalf("at most %d entries: %+v, %v", most, facts, err)
			}
			if most == 60 {
				whole = sink
				continue
			}
			cut = sink
			for name := range cut.files {
				if !strings.HasPrefix(name, "match/") {
					t.Errorf("at most %d entries: %s is there", most, name)
				}
			}
			for name, data := range whole.files {
				if strings.HasPrefix(name, "match/") && !bytes.Equal(data, cut.files[name]) {
					t.Errorf("at most %d entries: %s differs", most, name)
				}
			}
		}
		for _, name := range []string{"index.json", "index.bin"} {
			if whole.files[name] == nil || len(cut.files) == 0 {
				t.Errorf("split %t: there is no %s, or nothing to match", split, name)
			}
		}
	}
}

func TestPagesDoNotNameAnIndexThatIsLeftOut(t *testing.T) {
	for _, left := range []bool{false, true} {
		s := generateWith(t, Options{}, map[string]files{"kettle": kettle}, func(in *Input) { in.Index.LeftOut = left })
		for _, name := range []string{"index.html", "llms.txt"} {
			if named := strings.Contains(s.text(name), "index.json"); named == left {
				t.Errorf("left out %t: %s names it %t", left, name, named)
			}
		}
	}
}
