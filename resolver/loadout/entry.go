package loadout

import "math"

// DecodeEntry reads an entry from a value and keeps the value as Raw. It never
// fails: a field of the wrong type is left empty, and Fault names what keeps
// the entry from being matched.
func DecodeEntry(v Value) Entry {
	e := Entry{Raw: v, TokensEst: math.NaN(), Triggers: DefaultTriggers()}
	if v.Kind() != Object {
		e.Fault = FaultNotObject
		return e
	}
	keywords, patterns := FaultKeywordsMissing, FaultPatternsMissing
	v.Members(func(key string, member Value) bool {
		switch key {
		case "id":
			e.ID, _ = member.Str()
		case "path":
			e.Path, _ = member.Str()
		case "keywords":
			e.Keywords, keywords = decodeWords(member, FaultKeywordsMissing, FaultKeywords)
		case "patterns":
			e.Patterns, patterns = decodeWords(member, FaultPatternsMissing, FaultPatterns)
		case "priority":
			e.Priority, _ = member.Str()
		case "summary":
			e.Summary, _ = member.Str()
		case "triggers":
			e.Triggers = decodeTriggers(member)
		case "tokens_est":
			e.TokensEst = member.toNumber()
		case "lines":
			if f, ok := member.Num(); ok && f >= 0 && f <= math.MaxInt32 {
				e.Lines = int(f)
			}
		}
		return true
	})
	e.Fault = max(keywords, patterns)
	return e
}

// decodeWords reads a list of strings. A string in place of a list counts as
// an empty one: JavaScript walks it by character, and no single character is
// ever a word.
func decodeWords(v Value, missing, mistyped Fault) ([]string, Fault) {
	switch v.Kind() {
	case Missing, Null:
		return nil, missing
	case String:
		return nil, FaultNone
	case Array:
	default:
		return nil, mistyped
	}
	n := 0
	v.Items(func(Value) bool { n++; return true })
	list := make([]string, 0, n)
	fault := FaultNone
	v.Items(func(item Value) bool {
		if s, ok := item.Str(); ok {
			list = append(list, s)
		} else {
			fault = mistyped
		}
		return true
	})
	return list, fault
}

func decodeTriggers(v Value) Triggers {
	t := DefaultTriggers()
	v.Members(func(key string, member Value) bool {
		if member.Kind() != Bool {
			return true
		}
		on := member == "true"
		switch key {
		case "task":
			t.Task = on
		case "plan":
			t.Plan = on
		case "edit":
			t.Edit = on
		}
		return true
	})
	return t
}

// JSON returns the entry as compact JSON: Raw where there is one, otherwise the
// fields in the order of loadout section 2.2.
func (e *Entry) JSON() Value {
	if e.Raw != "" {
		return e.Raw
	}
	return Value(appendEntry(nil, e))
}

// AppendEntry appends the entry as compact JSON.
func AppendEntry(dst []byte, e *Entry) []byte {
	if e.Raw != "" {
		return append(dst, e.Raw...)
	}
	return appendEntry(dst, e)
}

func appendEntry(dst []byte, e *Entry) []byte {
	dst = AppendString(appendText(dst, `{"id":`), e.ID)
	dst = AppendString(appendText(dst, `,"path":`), e.Path)
	dst = appendStrings(appendText(dst, `,"keywords":`), e.Keywords)
	dst = appendStrings(appendText(dst, `,"patterns":`), e.Patterns)
	dst = AppendString(appendText(dst, `,"priority":`), e.Priority)
	dst = AppendString(appendText(dst, `,"summary":`), e.Summary)
	dst = appendTriggers(appendText(dst, `,"triggers":`), e.Triggers)
	dst = AppendNumber(appendText(dst, `,"tokens_est":`), e.TokensEst)
	dst = AppendNumber(appendText(dst, `,"lines":`), float64(e.Lines))
	return append(dst, '}')
}

func appendTriggers(dst []byte, t Triggers) []byte {
	dst = appendBool(appendText(dst, `{"task":`), t.Task)
	dst = appendBool(appendText(dst, `,"plan":`), t.Plan)
	dst = appendBool(appendText(dst, `,"edit":`), t.Edit)
	return append(dst, '}')
}

// AppendIndex appends the index as compact JSON in the key order of loadout
// section 2.3; an index that was read keeps its own order and unknown keys.
func AppendIndex(dst []byte, ix *Index) []byte {
	if ix.Head == "" {
		dst = AppendString(appendText(dst, `{"version":`), ix.Version)
		dst = AppendString(appendText(dst, `,"generated":`), ix.Generated)
		if ix.Source != "" {
			dst = AppendString(appendText(dst, `,"source":`), ix.Source)
		}
		dst = appendEntries(appendText(dst, `,"entries":`), ix.Entries)
		dst = AppendBudget(appendText(dst, `,"budget":`), ix.Budget)
		if ix.LazyLoad {
			dst = appendText(dst, `,"lazyLoad":true`)
		}
		if ix.Tokenizer != "" {
			dst = AppendString(appendText(dst, `,"tokenizer":`), string(ix.Tokenizer))
		}
		return append(dst, '}')
	}
	if ix.Head.Kind() != Object {
		return append(dst, ix.Head...)
	}
	dst = append(dst, '{')
	ix.Head.Members(func(key string, member Value) bool {
		dst = AppendKey(dst, key)
		if key == "entries" && member.Kind() == Array {
			dst = appendEntries(dst, ix.Entries)
		} else {
			dst = append(dst, member...)
		}
		return true
	})
	return append(dst, '}')
}

func appendEntries(dst []byte, entries []Entry) []byte {
	dst = append(dst, '[')
	for i := range entries {
		dst = AppendEntry(comma(dst), &entries[i])
	}
	return append(dst, ']')
}

// AppendBudget appends a budget as compact JSON in the order of loadout
// section 2.4.
func AppendBudget(dst []byte, b Budget) []byte {
	dst = AppendNumber(appendText(dst, `{"always_loaded_est":`), b.AlwaysLoaded)
	dst = AppendNumber(appendText(dst, `,"on_demand_total_est":`), b.OnDemandTotal)
	dst = AppendNumber(appendText(dst, `,"avg_task_load_est":`), b.AvgTaskLoad)
	dst = appendText(dst, `,"avg_task_load_observed":`)
	if b.AvgObserved != nil {
		dst = AppendNumber(dst, *b.AvgObserved)
	} else {
		dst = appendText(dst, "null")
	}
	return append(dst, '}')
}

// ComputeBudget sums the estimates of entries as writers and merge do (loadout
// sections 2.4 and 11). Entries without a number count nothing.
func ComputeBudget(entries []Entry) Budget {
	var sum BudgetSum
	for i := range entries {
		sum.Add(&entries[i])
	}
	return sum.Budget()
}

// BudgetSum computes the budget of entries that are given one after another.
type BudgetSum struct {
	always, demand, domain float64
}

// Add adds an entry.
func (s *BudgetSum) Add(e *Entry) {
	tokens := e.TokensEst
	if math.IsNaN(tokens) {
		tokens = 0
	}
	if e.Priority == PriorityCore {
		s.always += tokens
	} else {
		s.demand += tokens
	}
	if e.Priority == PriorityDomain {
		s.domain++
	}
}

// Budget returns the budget of the entries so far.
func (s *BudgetSum) Budget() Budget {
	b := Budget{AlwaysLoaded: s.always, OnDemandTotal: s.demand}
	if s.domain > 0 {
		b.AvgTaskLoad = round(s.demand / s.domain)
	}
	return b
}

// round returns the nearest integer, halves toward positive infinity (loadout
// section 3.5).
func round(f float64) float64 {
	floor := math.Floor(f)
	if f-floor >= 0.5 {
		return floor + 1
	}
	return floor
}
