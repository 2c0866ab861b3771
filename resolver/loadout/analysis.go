package loadout

// Dead is an entry that the usage log never names (loadout section 16.2).
type Dead struct {
	Entry  *Entry
	Reason string
}

// FindDead returns the entries, core ones apart, that no event names, the
// largest first. It returns a *ShapeError for what is not an index.
func FindDead(ix *Index, events []Event) ([]Dead, error) {
	if err := ix.Check(); err != nil {
		return nil, err
	}
	used := map[Value]bool{}
	for i := range events {
		used[events[i].JSON().Get("entryId")] = true
	}
	var list []Dead
	var order []hit
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.Priority == PriorityCore || used[e.idValue()] {
			continue
		}
		size := e.TokensEst
		if size != size { // unknown ones come last
			size = -1
		}
		order = append(order, hit{total: size, entry: uint32(i), place: uint32(len(list))})
		list = append(list, Dead{e, "Never loaded (" + e.tokens().Text() + " tokens wasted in index)"})
	}
	sortHits(order)
	return permute(list, order), nil
}

// Overlap is a keyword that more than one entry lists, or one entry more than
// once (loadout section 16.3).
type Overlap struct {
	Keyword string
	Entries []string // ids in index order, repeats kept

	keyword Value
	ids     []Value
}

// FindOverlaps returns the keywords listed more than once, the most shared
// first. Keywords are compared as they are. An entry without a list of
// keywords is skipped; with compat it is an error.
func FindOverlaps(ix *Index, compat bool) ([]Overlap, error) {
	if err := ix.Check(); err != nil {
		return nil, err
	}
	var all []Overlap
	place := map[Value]int{}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if compat && (e.Fault == FaultKeywordsMissing || e.Fault >= FaultKeywords) {
			return nil, &entryError{i, e.ID, e.Fault}
		}
		id := e.idValue()
		for _, k := range e.Keywords {
			keyword := Value(AppendString(nil, k))
			n, ok := place[keyword]
			if !ok {
				n = len(all)
				place[keyword] = n
				all = append(all, Overlap{Keyword: k, keyword: keyword})
			}
			all[n].Entries = append(all[n].Entries, id.Text())
			all[n].ids = append(all[n].ids, id)
		}
	}
	var list []Overlap
	var order []hit
	for i := range all {
		if len(all[i].ids) > 1 {
			order = append(order, hit{total: float64(len(all[i].ids)), entry: uint32(i), place: uint32(len(list))})
			list = append(list, all[i])
		}
	}
	sortHits(order)
	return permute(list, order), nil
}

// AppendOverlaps appends overlaps as a compact JSON array.
func AppendOverlaps(dst []byte, list []Overlap) []byte {
	dst = append(dst, '[')
	for i := range list {
		dst = append(appendText(comma(dst), `{"keyword":`), list[i].keyword...)
		dst = append(appendValues(appendText(dst, `,"entries":`), list[i].ids), '}')
	}
	return append(dst, ']')
}

// Breadth is the budget of an index by tier (loadout section 16.4).
type Breadth struct {
	TotalTokens, CoreTokens, DomainTokens, ManualTokens float64
	CoreEntries, DomainEntries, ManualEntries           int
	AvgDomainSize                                       float64
	Largest, Smallest                                   *Entry // nil without entries
	ObservedAvg                                         *float64
}

// AnalyzeBudget sums an index by tier. Summaries of a usage log, when given,
// give the observed average. Entries without a number count nothing; with
// compat they make the sums what JavaScript makes of them.
func AnalyzeBudget(ix *Index, summaries []Summary, compat bool) (*Breadth, error) {
	if err := ix.Check(); err != nil {
		return nil, err
	}
	b := &Breadth{}
	core, domain, manual := tally{compat: compat}, tally{compat: compat}, tally{compat: compat}
	for i := range ix.Entries {
		e := &ix.Entries[i]
		switch e.Priority {
		case PriorityCore:
			core.add(e)
			b.CoreEntries++
		case PriorityDomain:
			domain.add(e)
			b.DomainEntries++
		case PriorityManual:
			manual.add(e)
			b.ManualEntries++
		}
		if b.Largest == nil || e.TokensEst > b.Largest.TokensEst {
			b.Largest = e
		}
		if b.Smallest == nil || e.TokensEst <= b.Smallest.TokensEst {
			b.Smallest = e
		}
	}
	b.CoreTokens, b.DomainTokens, b.ManualTokens = core.sum.float(), domain.sum.float(), manual.sum.float()
	b.TotalTokens = core.sum.add(domain.sum).add(manual.sum).float()
	if b.DomainEntries > 0 {
		b.AvgDomainSize = round(b.DomainTokens / float64(b.DomainEntries))
	}
	var tokens amount
	loads := 0
	for i := range summaries {
		tokens = tokens.add(summaries[i].total)
		loads += summaries[i].LoadCount
	}
	if loads > 0 {
		average := round(tokens.float() / float64(loads))
		b.ObservedAvg = &average
	}
	return b, nil
}

// AppendBreadth appends a budget by tier as compact JSON.
func AppendBreadth(dst []byte, b *Breadth) []byte {
	dst = AppendNumber(appendText(dst, `{"totalTokens":`), b.TotalTokens)
	dst = AppendNumber(appendText(dst, `,"coreTokens":`), b.CoreTokens)
	dst = AppendNumber(appendText(dst, `,"domainTokens":`), b.DomainTokens)
	dst = AppendNumber(appendText(dst, `,"manualTokens":`), b.ManualTokens)
	dst = AppendNumber(appendText(dst, `,"coreEntries":`), float64(b.CoreEntries))
	dst = AppendNumber(appendText(dst, `,"domainEntries":`), float64(b.DomainEntries))
	dst = AppendNumber(appendText(dst, `,"manualEntries":`), float64(b.ManualEntries))
	dst = AppendNumber(appendText(dst, `,"avgDomainSize":`), b.AvgDomainSize)
	dst = appendSize(appendText(dst, `,"largestEntry":`), b.Largest)
	dst = appendSize(appendText(dst, `,"smallestEntry":`), b.Smallest)
	dst = appendText(dst, `,"observedAvg":`)
	if b.ObservedAvg == nil {
		return appendText(dst, "null}")
	}
	return append(AppendNumber(dst, *b.ObservedAvg), '}')
}

// appendSize appends id and size of an entry, null for none.
func appendSize(dst []byte, e *Entry) []byte {
	if e == nil {
		return appendText(dst, "null")
	}
	dst = append(dst, '{')
	if id := e.idValue(); id != "" {
		dst = append(AppendKey(dst, "id"), id...)
	}
	if tokens := e.tokens(); tokens != "" {
		dst = append(AppendKey(dst, "tokens"), tokens...)
	}
	return append(dst, '}')
}
