package loadout

import (
	"math"
	"strconv"

	"github.com/packgen/packgen/compiler/token"
)

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

// Value is one JSON value as compact text in the form JavaScript prints
// (loadout section 3.6): no spaces, each key once, keys in insertion order
// with integer-like keys first, numbers as shortest digits. The empty Value is
// a missing one. indexjson.Parse makes Values from any JSON text; the methods
// here expect that form and give harmless nonsense, never a panic, on other text.
type Value string

// Kind is the JSON type of a Value.
type Kind uint8

// The kinds of a Value. Missing is the kind of an absent key.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Kind infers the type from the first character.
func (v Value) Kind() Kind {
	if v == "" {
		return Missing
	}
	switch v[0] {
	case '"':
		return String
	case '{':
		return Object
	case '[':
		return Array
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	}
	return Number
}

// Str returns the decoded text of a string (WTF-8), and whether it is one.
func (v Value) Str() (s string, ok bool) {
	if v.Kind() != String {
		return "", false
	}
	return unquote(string(v)), true
}

// Num returns a number, and whether the value is one.
func (v Value) Num() (f float64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	if f, ok = parseNumber(string(v)); !ok {
		return 0, false
	}
	return f, true
}

// Falsy reports whether JavaScript treats the value as false: missing, null,
// false, 0 and the empty string (loadout section 3.7).
func (v Value) Falsy() bool {
	switch v {
	case "", "null", "false", "0", "-0", `""`:
		return true
	}
	return false
}

// Text converts the value to text the way JavaScript does inside a message
// (loadout section 3.7).
func (v Value) Text() string {
	switch v.Kind() {
	case String:
		return unquote(string(v))
	case Array:
		if text := appendConverted(nil, v); len(text) > 0 {
			return string(text[1:])
		}
		return ""
	case Missing:
		return "undefined"
	case Object:
		return "[object Object]"
	}
	return string(v)
}

// appendConverted appends the elements of an array converted to text, each with
// a comma before it; null is empty and nesting flattens.
func appendConverted(dst []byte, list Value) []byte {
	list.Items(func(item Value) bool {
		dst = append(dst, ',')
		if item.Kind() != Null {
			dst = append(dst, item.Text()...)
		}
		return true
	})
	return dst
}

// toNumber converts the value the way JavaScript arithmetic does; NaN where it
// is not a number by any reading.
func (v Value) toNumber() float64 {
	switch v.Kind() {
	case Number:
		f, _ := v.Num()
		return f
	case Null:
		return 0
	case Bool:
		if v == "true" {
			return 1
		}
		return 0
	case String, Array:
		return textToNumber(v.Text())
	}
	return math.NaN()
}

// textToNumber reads a decimal number, as JavaScript does when it calculates
// with text; NaN where there is none.
func textToNumber(text string) float64 {
	text = trim(text)
	if text == "" {
		return 0
	}
	for i := range len(text) {
		// The parser of Go reads more than JavaScript does: inf, 1_0, 0x1p3.
		if c := text[i]; (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return math.NaN()
		}
	}
	f, ok := parseNumber(text)
	if !ok {
		return math.NaN()
	}
	return f
}

// length returns what JavaScript calls the length of a value: the UTF-16 units
// of a string, the elements of an array, an object's own key of that name.
func (v Value) length() Value {
	n := 0
	switch v.Kind() {
	case String:
		n = token.Units(unquote(string(v)))
	case Array:
		v.Items(func(Value) bool { n++; return true })
	default:
		return v.Get("length")
	}
	return Value(strconv.Itoa(n))
}

// Get returns the value of a key of an object, the missing Value when there is none.
func (v Value) Get(key string) Value {
	var found Value
	v.Members(func(k string, member Value) bool {
		if k == key {
			found = member
			return false
		}
		return true
	})
	return found
}

// Members calls yield for each member of an object in order, with the decoded
// key, until it returns false. Other values have no members.
func (v Value) Members(yield func(key string, member Value) bool) {
	if v.Kind() != Object {
		return
	}
	s := string(v)
	for i := 1; i < len(s) && s[i] == '"'; {
		end := skipString(s, i)
		key := unquote(s[i:end])
		if end >= len(s) || s[end] != ':' {
			return
		}
		start := end + 1
		end = skipValue(s, start)
		if !yield(key, Value(s[start:end])) || end >= len(s) || s[end] != ',' {
			return
		}
		i = end + 1
	}
}

// Items calls yield for each element of an array in order until it returns
// false. Other values have no elements.
func (v Value) Items(yield func(item Value) bool) {
	if v.Kind() != Array {
		return
	}
	s := string(v)
	for i := 1; i < len(s) && s[i] != ']'; {
		end := skipValue(s, i)
		if !yield(Value(s[i:end])) || end >= len(s) || s[end] != ',' {
			return
		}
		i = end + 1
	}
}

// skipString returns the offset after the string literal that starts at i.
func skipString(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// skipValue returns the offset after the value that starts at i.
func skipValue(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	switch s[i] {
	case '"':
		return skipString(s, i)
	case '{', '[':
		return skipNested(s, i)
	}
	for i < len(s) && s[i] != ',' && s[i] != ']' && s[i] != '}' {
		i++
	}
	return i
}

// skipNested returns the offset after the array or object that starts at i.
func skipNested(s string, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = skipString(s, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(s)
}
