//go:build !wasm

package loadout

import (
	"slices"
	"strings"
)

// maxFrontMatter is how far into a text the end of its front matter is looked
// for, in bytes.
const maxFrontMatter = 64 << 10 // 64 KiB

// FrontMatter is what a rule or memory file says about itself (loadout section
// 2.9).
type FrontMatter struct {
	ID       string
	Keywords []string
	Patterns []string
	Priority string
	Triggers Triggers
}

// ParseFrontMatter reads the front matter of a rule or memory file and returns
// it with the text after it (loadout section 8). It is a small line-oriented
// grammar, not YAML, and never fails: where there is no usable block it returns
// nil and the whole text.
//
// With compat, the line after a repeated line is looked for after its first
// occurrence, as ai-loadout does (loadout section 8.6), and a block may be of
// any length; otherwise its end must be in the first 64 KiB.
func ParseFrontMatter(content string, compat bool) (fm *FrontMatter, body string) {
	block, body, ok := frontMatterBlock(content, compat)
	if !ok {
		return nil, content
	}
	fm, ok = frontMatterOf(frontMatterValues(strings.Split(strings.TrimSuffix(block, "\n"), "\n"), compat))
	if !ok {
		return nil, content
	}
	return fm, body
}

const fence = "---"

// frontMatterBlock cuts a text into the lines between the fences, each with its
// line feed, and what follows them (loadout section 8.1).
func frontMatterBlock(content string, compat bool) (block, body string, ok bool) {
	first, rest, more := strings.Cut(content, "\n")
	if trim(first) != fence {
		return "", "", false
	}
	start := len(content) - len(rest)
	for more {
		at := len(content) - len(rest)
		if at > maxFrontMatter && !compat {
			return "", "", false
		}
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		if trim(line) == fence {
			return content[start:at], rest, true
		}
	}
	return "", "", false
}

// frontMatterValue is what a key stands for.
type frontMatterValue struct {
	kind   Kind // String, Bool, Array or Object
	text   string
	list   []string
	object map[string]bool
}

// frontMatterValues reads the lines of a block (loadout section 8.2).
func frontMatterValues(lines []string, compat bool) map[string]*frontMatterValue {
	values := map[string]*frontMatterValue{}
	var open *frontMatterValue // the list or object that is being filled
	for i, line := range lines {
		text := trim(line)
		if text == "" || open != nil && open.takes(line, text) {
			continue
		}
		open = nil
		key, raw, ok := cutColon(text)
		switch {
		case !ok:
		case raw != "":
			values[key] = frontMatterScalar(raw)
		default:
			if compat {
				i = slices.Index(lines, line)
			}
			if open = opened(lines[i+1:]); open != nil {
				values[key] = open
			}
		}
	}
	return values
}

// opened is an empty list or object for a key without a value; nil unless the lines after
// it start one.
func opened(rest []string) *frontMatterValue {
	switch {
	case len(rest) == 0:
	case strings.HasPrefix(trim(rest[0]), "- "):
		return &frontMatterValue{kind: Array}
	case strings.HasPrefix(rest[0], "  "):
		return &frontMatterValue{kind: Object, object: map[string]bool{}}
	}
	return nil
}

// takes adds a line to a list or object, if it belongs to it.
func (v *frontMatterValue) takes(line, text string) bool {
	if v.kind == Array {
		item, ok := strings.CutPrefix(text, "- ")
		if ok {
			v.list = append(v.list, trim(item))
		}
		return ok
	}
	key, raw, ok := cutColon(text)
	if ok = ok && strings.HasPrefix(line, "  "); ok {
		v.object[key] = raw == "true"
	}
	return ok
}

// cutColon cuts a line at its first colon.
func cutColon(text string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(text, ":")
	return trim(key), trim(value), ok
}

// frontMatterScalar reads the text after a key.
func frontMatterScalar(raw string) *frontMatterValue {
	last := len(raw) - 1
	switch {
	case raw[0] == '[' && raw[last] == ']':
		v := &frontMatterValue{kind: Array}
		for item := range strings.SplitSeq(raw[1:last], ",") {
			if item = trim(item); item != "" {
				v.list = append(v.list, item)
			}
		}
		return v
	case raw == "true", raw == "false":
		return &frontMatterValue{kind: Bool, text: raw}
	case raw == `"`:
		return &frontMatterValue{kind: String}
	case raw[0] == '"' && raw[last] == '"':
		return &frontMatterValue{kind: String, text: raw[1:last]}
	}
	return &frontMatterValue{kind: String, text: raw}
}

// frontMatterOf makes the front matter of the values (loadout section 8.3).
func frontMatterOf(values map[string]*frontMatterValue) (*FrontMatter, bool) {
	value := func(key string) frontMatterValue {
		if v := values[key]; v != nil {
			return *v
		}
		return frontMatterValue{}
	}
	id := value("id")
	if id.kind != String || id.text == "" {
		return nil, false
	}
	fm := &FrontMatter{
		ID: id.text, Keywords: value("keywords").list, Patterns: value("patterns").list,
		Priority: PriorityDomain, Triggers: DefaultTriggers(),
	}
	if v := value("priority"); v.kind == String {
		switch v.text {
		case PriorityCore, PriorityDomain, PriorityManual:
			fm.Priority = v.text
		}
	}
	for name, on := range value("triggers").object {
		switch name {
		case "task":
			fm.Triggers.Task = on
		case "plan":
			fm.Triggers.Plan = on
		case "edit":
			fm.Triggers.Edit = on
		}
	}
	return fm, true
}

// AppendFrontMatter appends front matter as compact JSON, keys in the order of
// loadout section 2.9; null for nil.
func AppendFrontMatter(dst []byte, fm *FrontMatter) []byte {
	if fm == nil {
		return appendText(dst, "null")
	}
	dst = AppendString(appendText(dst, `{"id":`), fm.ID)
	dst = appendStrings(appendText(dst, `,"keywords":`), fm.Keywords)
	dst = appendStrings(appendText(dst, `,"patterns":`), fm.Patterns)
	dst = AppendString(appendText(dst, `,"priority":`), fm.Priority)
	dst = appendTriggers(appendText(dst, `,"triggers":`), fm.Triggers)
	return append(dst, '}')
}

// frontMatterError names a value that would not survive being written.
type frontMatterError struct {
	Field, Value string
}

func (e *frontMatterError) Error() string {
	return "front matter cannot hold the " + e.Field + " " + string(AppendString(nil, e.Value))
}

// Serialize writes the block with its fences and no final line feed (loadout
// section 9). A value that would not be read back the same is an error.
func (fm *FrontMatter) Serialize() (string, error) {
	text, err := SerializeFrontMatter(Value(AppendFrontMatter(nil, fm)))
	if err != nil {
		return "", err
	}
	back, body := ParseFrontMatter(text, false)
	if back == nil || body != "" {
		return "", &frontMatterError{"id", fm.ID}
	}
	switch {
	case back.ID != fm.ID:
		return "", &frontMatterError{"id", fm.ID}
	case back.Priority != fm.Priority:
		return "", &frontMatterError{"priority", fm.Priority}
	case back.Triggers != fm.Triggers:
		return "", &frontMatterError{"id", fm.ID}
	}
	for _, lists := range [...]struct {
		field      string
		want, have []string
	}{{"keyword", fm.Keywords, back.Keywords}, {"pattern", fm.Patterns, back.Patterns}} {
		for i, s := range lists.want {
			if i >= len(lists.have) || lists.have[i] != s {
				return "", &frontMatterError{lists.field, s}
			}
		}
		if len(lists.have) != len(lists.want) {
			return "", &frontMatterError{lists.field, lists.want[len(lists.want)-1]}
		}
	}
	return text, nil
}

// SerializeFrontMatter writes the block of a front matter given as a value the
// way the originals do, whatever the values are: nothing is quoted or escaped.
// A missing list or missing triggers are an error.
func SerializeFrontMatter(v Value) (string, error) {
	keywords, patterns, triggers := v.Get("keywords"), v.Get("patterns"), v.Get("triggers")
	switch {
	case keywords.Kind() != Array:
		return "", &frontMatterError{"keywords", keywords.Text()}
	case patterns.Kind() != Array:
		return "", &frontMatterError{"patterns", patterns.Text()}
	case triggers.Kind() == Missing || triggers.Kind() == Null:
		return "", &frontMatterError{"triggers", triggers.Text()}
	}
	b := append([]byte(fence+"\nid: "), v.Get("id").Text()...)
	b = append(append(b, "\nkeywords: ["...), joined(keywords)...)
	if patterns != "[]" {
		b = append(append(b, "]\npatterns: ["...), joined(patterns)...)
	}
	b = append(append(b, "]\npriority: "...), v.Get("priority").Text()...)
	b = append(append(b, "\ntriggers:\n  task: "...), triggers.Get("task").Text()...)
	b = append(append(b, "\n  plan: "...), triggers.Get("plan").Text()...)
	b = append(append(b, "\n  edit: "...), triggers.Get("edit").Text()...)
	return string(append(b, "\n"+fence...)), nil
}

// joined are the elements of an array as text, joined by comma and space.
func joined(list Value) string {
	var texts []string
	for item := range list.Items {
		text := ""
		if item.Kind() != Null {
			text = item.Text()
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}
