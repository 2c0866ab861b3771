package loadout

// maxAlso is how many other wordings of a task are looked at; the rest is skipped.
const maxAlso = 20

// together answers several wordings of one task. Each is rated alone, and what they
// include is taken in turns, then what they do not; an entry has the best rating that a
// wording gives it.
func together(task string, entries int, opts MatchOptions, detail func(string, MatchOptions) (*Breakdown, error)) (*Breakdown, error) {
	also := opts.Also[:min(len(opts.Also), maxAlso)]
	opts.Also = nil
	all, err := detail(task, opts)
	if err != nil {
		return nil, err
	}
	lists := [1 + maxAlso][]Rating{all.Entries}
	for i, text := range also {
		b, _ := detail(text, opts) // the index has no fault
		for _, w := range b.Words {
			all.Words = addWord(all.Words, w)
		}
		for j := range b.Entries {
			b.Entries[j].Wording = i + 1
		}
		lists[i+1] = b.Entries
	}
	all.takeInTurns(lists[:1+len(also)], make([]uint32, entries))
	return all, nil
}

// takeInTurns joins lists, each entry once; at is a place for each entry of the index.
func (b *Breakdown) takeInTurns(lists [][]Rating, at []uint32) {
	b.Entries = nil
	for turn := 0; turn < 2*len(at); turn++ {
		for _, list := range lists {
			if place := turn % len(at); place < len(list) && list[place].Included == (turn < len(at)) {
				r := &list[place]
				if i := at[r.position]; i == 0 {
					b.Entries = append(b.Entries, *r)
					at[r.position] = uint32(len(b.Entries))
				} else if r.Score.Total > b.Entries[i-1].Score.Total {
					b.Entries[i-1] = *r
				}
			}
		}
	}
}

// results are the entries of a breakdown that are included, as Match returns them.
func (b *Breakdown) results(err error) ([]Result, error) {
	if err != nil {
		return nil, err
	}
	var list []Result
	for i := range b.Entries {
		r := &b.Entries[i]
		if r.Included {
			m := Result{Entry: r.Entry, Mode: r.Mode, Score: r.Score.Total, Rank: r.Score.rank(), MatchedKeywords: r.MatchedKeywords, MatchedPatterns: r.MatchedPatterns}
			if b.Dialect != Coverage && r.Mode == Lazy {
				m.Components = &r.Score
			}
			list = append(list, m)
		}
	}
	return list, nil
}
