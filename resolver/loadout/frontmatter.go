package loadout

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
	p := frontMatterParser{lines: splitLines(block), values: map[string]frontMatterValue{}}
	if compat {
		p.indexFirst()
	}
	p.run()
	fm, ok = p.result()
	if !ok {
		return nil, content
	}
	return fm, body
}

const fence = "---"

// frontMatterBlock cuts a text into the lines between the fences, each with its
// line feed, and what follows them (loadout section 8.1).
func frontMatterBlock(content string, compat bool) (block, body string, ok bool) {
	first, rest, more := cutLine(content)
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
		line, rest, more = cutLine(rest)
		if trim(line) == fence {
			return content[start:at], rest, true
		}
	}
	return "", "", false
}

// cutLine cuts a text at its first line feed.
func cutLine(s string) (line, rest string, more bool) {
	for i := range len(s) {
		if s[i] == '\n' {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// splitLines returns the lines of a text in which each ends in a line feed.
func splitLines(s string) []string {
	var lines []string
	for s != "" {
		var line string
		line, s, _ = cutLine(s)
		lines = append(lines, line)
	}
	return lines
}

// frontMatterValue is what a key stands for.
type frontMatterValue struct {
	kind   Kind // String, Bool, Array or Object
	text   string
	list   []string
	object map[string]bool
}

// frontMatterParser walks the lines of a block (loadout section 8.2).
type frontMatterParser struct {
	lines   []string
	first   map[string]int // with compat: the first place of each line
	values  map[string]frontMatterValue
	key     string // the current one
	pending frontMatterValue
	open    bool // whether pending is still being filled
}

func (p *frontMatterParser) indexFirst() {
	p.first = make(map[string]int, len(p.lines))
	for i, line := range p.lines {
		if _, ok := p.first[line]; !ok {
			p.first[line] = i
		}
	}
}

func (p *frontMatterParser) run() {
	for i, line := range p.lines {
		text := trim(line)
		if text == "" || p.open && p.continues(line, text) {
			continue
		}
		p.close()
		key, raw, ok := cutColon(text)
		if !ok {
			continue
		}
		p.key = key
		if raw == "" {
			p.begin(i)
		} else {
			p.values[key] = frontMatterScalar(raw)
		}
	}
	p.close()
}

// continues adds a line to the pending list or object, if it belongs to it.
func (p *frontMatterParser) continues(line, text string) bool {
	if p.pending.kind == Array {
		if !hasPrefix(text, "- ") {
			return false
		}
		p.pending.list = append(p.pending.list, trim(text[2:]))
		return true
	}
	key, raw, ok := cutColon(text)
	if !ok || !hasPrefix(line, "  ") {
		return false
	}
	p.pending.object[key] = raw == "true"
	return true
}

// begin opens a list or an object for a key without a value, if the next line
// starts one.
func (p *frontMatterParser) begin(i int) {
	if p.first != nil {
		i = p.first[p.lines[i]]
	}
	if i+1 >= len(p.lines) {
		return
	}
	next := p.lines[i+1]
	switch {
	case hasPrefix(trim(next), "- "):
		p.pending, p.open = frontMatterValue{kind: Array}, true
	case hasPrefix(next, "  "):
		p.pending, p.open = frontMatterValue{kind: Object, object: map[string]bool{}}, true
	}
}

// close stores what is pending.
func (p *frontMatterParser) close() {
	if p.open {
		p.values[p.key] = p.pending
		p.open = false
	}
}

// cutColon cuts a line at its first colon.
func cutColon(text string) (key, value string, ok bool) {
	for i := range len(text) {
		if text[i] == ':' {
			return trim(text[:i]), trim(text[i+1:]), true
		}
	}
	return "", "", false
}

// frontMatterScalar reads the text after a key.
func frontMatterScalar(raw string) frontMatterValue {
	last := len(raw) - 1
	switch {
	case raw[0] == '[' && raw[last] == ']':
		v := frontMatterValue{kind: Array}
		for rest, more := raw[1:last], true; more; {
			var item string
			item, rest, more = cutByte(rest, ',')
			if item = trim(item); item != "" {
				v.list = append(v.list, item)
			}
		}
		return v
	case raw == "true", raw == "false":
		return frontMatterValue{kind: Bool, text: raw}
	case raw == `"`:
		return frontMatterValue{kind: String}
	case raw[0] == '"' && raw[last] == '"':
		return frontMatterValue{kind: String, text: raw[1:last]}
	}
	return frontMatterValue{kind: String, text: raw}
}

// cutByte cuts a text at the first occurrence of a byte.
func cutByte(s string, c byte) (before, after string, found bool) {
	for i := range len(s) {
		if s[i] == c {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// result makes the front matter of the values (loadout section 8.3).
func (p *frontMatterParser) result() (*FrontMatter, bool) {
	id := p.values["id"]
	if id.kind != String || id.text == "" {
		return nil, false
	}
	fm := &FrontMatter{
		ID: id.text, Keywords: p.values["keywords"].list, Patterns: p.values["patterns"].list,
		Priority: PriorityDomain, Triggers: DefaultTriggers(),
	}
	if v := p.values["priority"]; v.kind == String {
		switch v.text {
		case PriorityCore, PriorityDomain, PriorityManual:
			fm.Priority = v.text
		}
	}
	triggers := p.values["triggers"].object
	set := func(name string, to *bool) {
		if v, ok := triggers[name]; ok {
			*to = v
		}
	}
	set("task", &fm.Triggers.Task)
	set("plan", &fm.Triggers.Plan)
	set("edit", &fm.Triggers.Edit)
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
	b = appendJoined(append(b, "\nkeywords: ["...), keywords)
	if patterns != "[]" {
		b = appendJoined(append(b, "]\npatterns: ["...), patterns)
	}
	b = append(append(b, "]\npriority: "...), v.Get("priority").Text()...)
	b = append(append(b, "\ntriggers:\n  task: "...), triggers.Get("task").Text()...)
	b = append(append(b, "\n  plan: "...), triggers.Get("plan").Text()...)
	b = append(append(b, "\n  edit: "...), triggers.Get("edit").Text()...)
	return string(append(b, "\n"+fence...)), nil
}

// appendJoined appends the elements of an array as text, joined by comma and
// space.
func appendJoined(dst []byte, list Value) []byte {
	first := true
	list.Items(func(item Value) bool {
		if !first {
			dst = append(dst, ", "...)
		}
		first = false
		if item.Kind() != Null {
			dst = append(dst, item.Text()...)
		}
		return true
	})
	return dst
}
