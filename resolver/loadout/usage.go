package loadout

// Event is one line of a usage log (loadout section 2.6).
type Event struct {
	Timestamp   string // ISO 8601
	TaskHash    string
	EntryID     string
	Trigger     string
	Mode        string
	TokensEst   float64
	SourceLayer string
	// Raw is the event as it was read; empty for an event made by a program.
	Raw Value
}

// DecodeEvent reads an event from a value and keeps the value as Raw.
func DecodeEvent(v Value) Event {
	e := Event{Raw: v}
	for key, member := range v.Members {
		switch key {
		case "timestamp":
			e.Timestamp, _ = member.Str()
		case "taskHash":
			e.TaskHash, _ = member.Str()
		case "entryId":
			e.EntryID, _ = member.Str()
		case "trigger":
			e.Trigger, _ = member.Str()
		case "mode":
			e.Mode, _ = member.Str()
		case "tokensEst":
			e.TokensEst, _ = member.Num()
		case "sourceLayer":
			e.SourceLayer, _ = member.Str()
		}
	}
	return e
}

// JSON returns the event as compact JSON: Raw where there is one, otherwise the
// fields in the order of loadout section 2.6.
func (e *Event) JSON() Value {
	if e.Raw != "" {
		return e.Raw
	}
	dst := AppendString(appendText(nil, `{"timestamp":`), e.Timestamp)
	dst = AppendString(appendText(dst, `,"taskHash":`), e.TaskHash)
	dst = AppendString(appendText(dst, `,"entryId":`), e.EntryID)
	dst = AppendString(appendText(dst, `,"trigger":`), e.Trigger)
	dst = AppendString(appendText(dst, `,"mode":`), e.Mode)
	dst = AppendNumber(appendText(dst, `,"tokensEst":`), e.TokensEst)
	if e.SourceLayer != "" {
		dst = AppendString(appendText(dst, `,"sourceLayer":`), e.SourceLayer)
	}
	return Value(append(dst, '}'))
}

// Summary sums up the events of one entry (loadout section 16.1).
type Summary struct {
	EntryID     string
	LoadCount   int
	TotalTokens float64
	LastLoaded  string   // the greatest time stamp, compared as text
	Triggers    []string // distinct, in order of first appearance
	Modes       []string // distinct, in order of first appearance

	id, last        Value
	total           amount
	noTotal         bool // a single event without an estimate
	triggers, modes []Value
}

// Summarize groups events by entry and sorts the groups by the number of
// events, descending; ties keep the order of first appearance.
func Summarize(events []Event) []Summary {
	var list []Summary
	place := map[Value]int{}
	triggers, modes := distinct{}, distinct{}
	for i := range events {
		event := events[i].JSON()
		id, tokens, at := event.Get("entryId"), event.Get("tokensEst"), event.Get("timestamp")
		n, ok := place[id]
		if !ok {
			n = len(list)
			place[id] = n
			list = append(list, Summary{id: id, total: amountOf(tokens), noTotal: tokens == "", last: at})
		}
		s := &list[n]
		if ok {
			s.total, s.noTotal = s.total.plus(tokens), false
			if greater(at, s.last) {
				s.last = at
			}
		}
		s.LoadCount++
		s.triggers = triggers.add(s.triggers, n, event.Get("trigger"))
		s.modes = modes.add(s.modes, n, event.Get("mode"))
	}
	order := make([]hit, len(list))
	for i := range list {
		s := &list[i]
		s.EntryID, _ = s.id.Str()
		s.LastLoaded, _ = s.last.Str()
		s.TotalTokens = s.total.float()
		s.Triggers, s.Modes = texts(s.triggers), texts(s.modes)
		order[i] = hit{total: float64(s.LoadCount), entry: uint32(i), place: uint32(i)}
	}
	sortHits(order)
	return permute(list, order)
}

// distinct remembers which group has which value.
type distinct map[groupValue]bool

type groupValue struct {
	group int
	value Value
}

// add appends a value that the list of the group does not hold yet.
func (d distinct) add(list []Value, group int, v Value) []Value {
	key := groupValue{group, v}
	if d[key] {
		return list
	}
	d[key] = true
	return append(list, v)
}

func texts(list []Value) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.Text()
	}
	return out
}

// greater reports whether a is greater than b by JavaScript's comparison: by
// UTF-16 units when both are text, otherwise as numbers.
func greater(a, b Value) bool {
	if x, ok := a.Str(); ok {
		if y, ok := b.Str(); ok {
			return compareUnits(x, y) > 0
		}
	}
	return a.toNumber() > b.toNumber()
}

// compareUnits compares texts by UTF-16 units: characters above U+FFFF, which
// are written with surrogates, come before those from U+E000 on.
func compareUnits(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	if i == n {
		return len(a) - len(b)
	}
	x, y := a[i], b[i]
	// Only the first bytes of characters can be 0xEE or more, and where one of
	// two such bytes is 0xF0 or more the other one decides.
	if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
		x, y = y, x
	}
	return int(x) - int(y)
}

// AppendSummaries appends summaries as a compact JSON array.
func AppendSummaries(dst []byte, list []Summary) []byte {
	dst = append(dst, '[')
	for i := range list {
		dst = appendSummary(comma(dst), &list[i])
	}
	return append(dst, ']')
}

func appendSummary(dst []byte, s *Summary) []byte {
	dst = append(dst, '{')
	if s.id != "" {
		dst = append(AppendKey(dst, "entryId"), s.id...)
	}
	dst = AppendNumber(AppendKey(dst, "loadCount"), float64(s.LoadCount))
	if !s.noTotal {
		dst = s.total.append(appendText(dst, `,"totalTokens":`))
	}
	if s.last != "" {
		dst = append(appendText(dst, `,"lastLoaded":`), s.last...)
	}
	dst = appendValues(appendText(dst, `,"triggers":`), s.triggers)
	dst = appendValues(appendText(dst, `,"modes":`), s.modes)
	return append(dst, '}')
}

// appendValues appends a JSON array of values; missing ones are null in it.
func appendValues(dst []byte, list []Value) []byte {
	dst = append(dst, '[')
	for _, v := range list {
		if v == "" {
			v = "null"
		}
		dst = append(comma(dst), v...)
	}
	return append(dst, ']')
}
