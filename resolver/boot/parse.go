package boot

import (
	"fmt"
	"io/fs"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/strictyaml"
	"github.com/packgen/packgen/resolver/boot/glob"
	"github.com/packgen/packgen/resolver/context/escape"
)

// Ids of the diagnostics of this package.
const (
	idYAML        = "boot-yaml-invalid"    // not YAML, or YAML that is refused
	idModeMixed   = "boot-mode-mixed"      // keys of both modes
	idSchema      = "boot-schema-invalid"  // a value of the wrong shape
	idKeyUnread   = "boot-key-unread"      // a section under a key that no mode reads
	idKeyUnknown  = "boot-key-unknown"     // a key that means nothing here
	idGlob        = "boot-glob-invalid"    // a glob that cannot be read
	idGlobStale   = "boot-glob-unmatched"  // a glob that matches nothing
	IDUsecase     = "boot-usecase-invalid" // a selection that this role cannot boot
	idTwinOrphan  = "boot-twin-orphan"     // x.md.min without x.md
	idLinkOutside = "boot-link-outside"    // a link that leaves the allowed roots
	idLinkLoop    = "boot-link-loop"       // a linked folder that contains itself
	idLimit       = "boot-limit-exceeded"  // a role larger than a limit of this package
	idEncoding    = "encoding-invalid"     // text or a name that is not UTF-8
	idTagEscaped  = "boot-tag-escaped"     // content that reads as a tag of the boot
	idOverBudget  = "boot-budget-exceeded" // a boot larger than its budget
)

// configName is the file's name, and how messages call it.
const configName = "boot.yml"

// mixedModeText is the message for a file of both modes, word for word.
const mixedModeText = "mixed mode not allowed — use either top-level briefs/skills OR always/subject, not both."

// Parse reads a boot.yml and checks it whole: YAML, mode, schema and globs
// (boot.yml sections 2, 3, 8 and 11). Name is the path that diagnostics carry.
// The Config is nil when a diagnostic is an error; an absent file is the same as
// an empty one, for which Parse returns a Config of [ModeNone].
func Parse(name string, data []byte) (*Config, []diag.Diagnostic) {
	p := &parser{name: name, data: data, allowance: glob.Allowance}
	cfg := p.parse()
	if p.more > 0 {
		p.diags = append(p.diags, diag.Diagnostic{ID: p.moreID, Severity: p.worst, Path: name, Message: fmt.Sprintf("%d more faults in %s", p.more, configName)})
	}
	diag.Sort(p.diags)
	if diag.Count(p.diags, diag.Error) > 0 {
		return nil, p.diags
	}
	return cfg, p.diags
}

// parser turns nodes into a Config and collects what is wrong with them.
type parser struct {
	name      string
	data      []byte
	schema    string // "boot.yml has invalid schema for … mode"
	allowance int    // what compiling globs may still cost
	diags     []diag.Diagnostic
	more      int           // faults beyond maxFaults
	moreID    string        // rule of the first of them
	worst     diag.Severity // of them
}

func (p *parser) parse() *Config {
	if len(p.data) > maxConfigBytes {
		p.add(idLimit, diag.Error, nil, fmt.Sprintf("%s is larger than %s", configName, bytesize.Text(maxConfigBytes)),
			"use fewer and wider globs")
		return nil
	}
	doc, faults := strictyaml.Parse(p.data, strictyaml.Options{
		ID: idYAML, Path: p.name, Aliases: maxAliasNodes, Prefix: configName + " has invalid yaml: ",
	})
	p.diags = append(p.diags, faults...)
	if doc == nil || len(faults) > 0 {
		return &Config{}
	}
	root := doc.Content[0]
	p.schema = configName + " has invalid schema"
	if root = deref(root); isNull(root) {
		return &Config{}
	}
	if root.Kind != yaml.MappingNode {
		p.add(idSchema, diag.Error, root, p.schema+": the top level must be a mapping, not "+describe(root), "write keys such as briefs: or always: at the top level")
		return nil
	}
	return p.document(root)
}

// add records a diagnostic at a node; a nil node stands for the whole file.
func (p *parser) add(id string, s diag.Severity, at *yaml.Node, message, hint string) {
	if len(p.diags) >= maxFaults {
		if p.more++; p.more == 1 {
			p.moreID = id
		}
		p.worst = max(p.worst, s)
		return
	}
	d := diag.Diagnostic{ID: id, Severity: s, Path: p.name, Message: message, Hint: hint}
	if at != nil {
		d.Line, d.Column = at.Line, at.Column
	}
	p.diags = append(p.diags, d)
}

// isSubject reports whether a top-level key opens a subject, even one without a
// slug.
func isSubject(key string) bool { return strings.HasPrefix(key, "subject.") }

// document finds the mode and reads the keys that mode has (section 3).
func (p *parser) document(root *yaml.Node) *Config {
	var simple, subject *yaml.Node // first key of each mode
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		switch name := textOf(key); {
		case (name == "briefs" || name == "skills") && simple == nil:
			simple = key
		case (name == "always" || isSubject(name)) && subject == nil:
			subject = key
		}
	}
	cfg := &Config{}
	switch {
	case simple != nil && subject != nil:
		later := simple
		if before(simple, subject) {
			later = subject
		}
		p.add(idModeMixed, diag.Error, later, mixedModeText, "move what is below one mode to the other")
		return nil
	case simple != nil:
		cfg.Mode, p.schema = ModeSimple, configName+" has invalid schema for simple mode"
	case subject != nil:
		cfg.Mode, p.schema = ModeSubject, configName+" has invalid schema for subject mode"
	}
	p.sections(cfg, root)
	return cfg
}

// before reports whether a node is before another in the file.
func before(a, b *yaml.Node) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}

// sections reads every top-level key. In subject mode always comes first
// wherever it is; the subjects keep the order of the file (section 5).
func (p *parser) sections(cfg *Config, root *yaml.Node) {
	simple := SectionRules{Kind: "simple"}
	var always, subjects []SectionRules
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], deref(root.Content[i+1])
		switch name := textOf(key); {
		case name == "briefs" || name == "skills":
			simple.Rules[kindOf(name)] = p.rules(key, value, cfg.Mode)
		case name == "always":
			always = append(always, p.section(key, value, name, ""))
		case name == "subject.":
			p.add(idSchema, diag.Error, key, p.schema+": subject. has no slug", "write subject.<slug>")
		case isSubject(name):
			subjects = append(subjects, p.section(key, value, name, strings.TrimPrefix(name, "subject.")))
		case name == "budget":
			cfg.Budget = p.budget(value)
		default:
			p.otherKey(cfg, key, value)
		}
	}
	switch cfg.Mode {
	case ModeSimple:
		cfg.Sections = []SectionRules{simple}
	case ModeSubject:
		cfg.Sections = append(always, subjects...)
	}
}

// otherKey judges a top-level key that no mode has.
func (p *parser) otherKey(cfg *Config, key, value *yaml.Node) {
	name := textOf(key)
	if !isMerge(key) && value.Kind == yaml.MappingNode && (name == "subject" || hasItemKey(value)) {
		hint := "name the section always or subject.<slug>, at the top level"
		head, slug, dotted := strings.Cut(name, ".")
		switch near := nearestWord(head, []string{"always", "subject"}); {
		case near == "always" && !dotted:
			hint = "did you mean always?"
		case near == "subject" && slug != "":
			hint = "did you mean " + near + "." + show(slug) + "?"
		}
		p.add(idKeyUnread, diag.Error, key, "key "+quoteKey(key)+" declares a section under a key no mode reads", hint)
		return
	}
	p.unknownKey(key, "", "briefs", "skills", "always", "budget")
	if len(p.diags) == 0 || cfg.Mode != ModeNone {
		return
	}
	if near := nearestWord(name, []string{"briefs", "skills", "always"}); near != "" && value.Kind != yaml.ScalarNode {
		// Without the key that was meant the role would say everything it has.
		p.diags[len(p.diags)-1].Severity = diag.Error
	}
}

// hasItemKey reports whether a mapping looks like a section.
func hasItemKey(m *yaml.Node) bool {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if name := textOf(m.Content[i]); name == "briefs" || name == "skills" {
			return true
		}
	}
	return false
}

// unknownKey warns about a key that is ignored, and names the known key it may
// have been meant for. It refuses <<.
func (p *parser) unknownKey(key *yaml.Node, where string, known ...string) {
	if isMerge(key) { // as an unknown key it would silently lose the lists
		p.add(idSchema, diag.Error, key, p.schema+": merge keys (<<) are not read", "write the lists out, or alias each list")
		return
	}
	hint := "use one of " + strings.Join(known, ", ")
	if near := nearestWord(textOf(key), known); near != "" {
		hint = "did you mean " + near + "?"
	}
	p.add(idKeyUnknown, diag.Warning, key, "key "+quoteKey(key)+where+" means nothing in "+configName+" and is ignored", hint)
}

// section reads always or one subject.
func (p *parser) section(key, value *yaml.Node, kind, slug string) SectionRules {
	s := SectionRules{Kind: kind, Slug: slug}
	if slug != "" && (strings.Contains(slug, ",") || strings.TrimSpace(slug) != slug) {
		p.add(idKeyUnknown, diag.Warning, key, "subject "+quote(slug)+" can never be named by a usecase, which is split at commas and trimmed", "rename the subject without commas and outer spaces")
	}
	if !p.mapping(key, value) {
		return s
	}
	for i := 0; i+1 < len(value.Content); i += 2 {
		k, v := value.Content[i], deref(value.Content[i+1])
		switch name := textOf(k); name {
		case "briefs", "skills":
			s.Rules[kindOf(name)] = p.rules(k, v, ModeSubject)
		case "budget":
			p.add(idSchema, diag.Error, k, p.schema+": a budget belongs at the top level, not in a section", "move it to the top level")
		default:
			p.unknownKey(k, " in "+show(kind), "briefs", "skills")
		}
	}
	return s
}

// mapping reports whether a value is a mapping with something in it to read. A
// key without a value counts as an empty mapping.
func (p *parser) mapping(key, value *yaml.Node) bool {
	switch {
	case value.Kind == yaml.MappingNode:
		return true
	case !isNull(value):
		p.add(idSchema, diag.Error, value, p.schema+": "+quoteKey(key)+" must be a mapping, not "+describe(value), "write key: value lines below it")
	}
	return false
}

// rules reads a briefs or skills mapping.
func (p *parser) rules(key, value *yaml.Node, mode Mode) Rules {
	var r Rules
	if !p.mapping(key, value) {
		return r
	}
	for i := 0; i+1 < len(value.Content); i += 2 {
		k, v := value.Content[i], deref(value.Content[i+1])
		switch name := textOf(k); name {
		case "say":
			r.HasSay = true
			if isNull(v) && mode == ModeSimple {
				p.add(idSchema, diag.Error, k, p.schema+": say has no value, which could mean all or none",
					"write say: [] to say nothing, or drop the key to say everything")
				continue
			}
			r.Say = p.globs(k, v)
		case "ref":
			r.Ref = p.globs(k, v)
		case "hide", "not":
			r.Hide = append(r.Hide, p.globs(k, v)...)
		case "budget":
			p.add(idSchema, diag.Error, k, p.schema+": a budget belongs at the top level", "move it to the top level")
		default:
			p.unknownKey(k, " in "+show(textOf(key)), "say", "ref", "hide")
		}
	}
	return r
}

// globs reads a list of strings. Every item that is not text is refused by its
// tag: 7 and true are not names, and a null item is a slip.
func (p *parser) globs(key, value *yaml.Node) []Glob {
	if isNull(value) {
		return nil
	}
	if value.Kind != yaml.SequenceNode {
		p.add(idSchema, diag.Error, value, p.schema+": "+quoteKey(key)+" must be a list of strings, not "+describe(value), "write one glob a line, each after a dash")
		return nil
	}
	globs := make([]Glob, 0, len(value.Content))
	for _, item := range value.Content {
		text := deref(item)
		if text.Kind != yaml.ScalarNode || text.ShortTag() != "!!str" {
			hint := "write a glob such as style.md, or remove the item"
			if text.Kind == yaml.ScalarNode && !isNull(text) {
				hint = "quote it, if it is a file name"
			}
			p.add(idSchema, diag.Error, item, p.schema+": "+quoteKey(key)+" must be a list of strings, and this item is "+describe(text), hint)
			continue
		}
		g := Glob{Text: text.Value}
		g.Line, g.Column = item.Line, item.Column
		pattern, fault := glob.Compile(text.Value, &p.allowance)
		if fault != nil {
			p.add(idGlob, diag.Error, item, configName+" has an invalid glob: "+quote(text.Value)+": "+describeFault(fault), "correct the glob; quote a [ or { of a name with a backslash")
			continue
		}
		g.pattern = pattern
		globs = append(globs, g)
	}
	return globs
}

func describeFault(f *glob.Fault) string {
	if f.Class != "" {
		return "the class " + quote(f.Class) + " " + f.Text
	}
	return f.Text
}

// textOf returns a key's text, or "" when the key is not text.
func textOf(key *yaml.Node) string {
	key = deref(key)
	if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
		return ""
	}
	return key.Value
}

// quoteKey names a key in a message, whatever kind of node it is.
func quoteKey(key *yaml.Node) string {
	if key = deref(key); key.Kind == yaml.ScalarNode {
		return quote(key.Value)
	}
	return describe(key)
}

// describe says what a node is, for messages.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "empty"
	case "!!str":
		return "text"
	case "!!bool":
		return "the truth value " + show(n.Value)
	case "!!int", "!!float":
		return "the number " + show(n.Value)
	}
	return "a value of type " + show(n.ShortTag())
}

// maxShown is the length, in characters, to which messages cut what they quote.
const maxShown = 200

// show makes text from a role fit for a message: no control characters, and no
// longer than maxShown.
func show(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == maxShown {
			b.WriteString("…")
			break
		}
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
		n++
	}
	return b.String()
}

// quote is show in quotation marks.
func quote(s string) string { return `"` + show(s) + `"` }

// Layout names the folders that hold a role's briefs, as slash paths relative to the role
// directory; none is the format's own, briefs/. Skills are in skills/. Globs are relative to
// the one folder of their type; where a type has several, to the role directory.
type Layout []string

// PackLayout is the layout of a knowledge pack with a boot.yml of its own: its
// documents and wiki pages are the briefs, and their globs start at the pack.
func PackLayout() Layout { return Layout{"documents", "wiki"} }

// folders returns the folders of one type.
func (l Layout) folders(k Kind) []string {
	if k == brief && l != nil {
		return l
	}
	return []string{k.String() + "s"}
}

// base returns the folder, ending in a slash, that globs of one type start
// from; "" is the role directory.
func (l Layout) base(k Kind) string {
	if f := l.folders(k); len(f) == 1 && f[0] != "." {
		return f[0] + "/"
	}
	return ""
}

// entryName is the file that makes a directory a knowledge pack.
const entryName = pack.EntryName

// LayoutOf returns the layout of what is at the top of a file system: that
// of a pack when KNOWLEDGE.md is there and briefs/ is not, otherwise the format's own.
func LayoutOf(fsys fs.FS) Layout {
	if info, err := fs.Stat(fsys, entryName); err == nil && info.Mode().IsRegular() && !isDir(fsys, "briefs") {
		return PackLayout()
	}
	return nil
}

// IsRole reports whether what is at the top of a file system is a role:
// it has a boot.yml, or the folder of briefs or of skills.
func IsRole(fsys fs.FS) bool {
	if _, err := fs.Stat(fsys, configName); err == nil {
		return true
	}
	return isDir(fsys, "briefs") || isDir(fsys, "skills")
}

func isDir(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && info.IsDir()
}

// Tags of the text form (boot.yml section 10).
func fenceTags() [4]string { return [4]string{"brief", "skill", "ref", "also"} }

// guard makes content safe to print between tags. The < of anything that reads
// as an opening or closing tag of the boot, or of an element that another output for
// agents has, becomes &lt;. Bytes that are not UTF-8 become U+FFFD first, so that no
// reader can drop them and join the halves of a tag. It returns how many tags it touched,
// and the 1-based line of the first byte that is not UTF-8 (0 when all is well). Content
// that needs nothing is returned as it is.
func guard(content []byte) (safe []byte, tags, badLine int) {
	if badLine = strictyaml.InvalidLine(content); badLine > 0 {
		content = replaceInvalid(content)
	}
	text, tags := escape.Tags(string(content), func(rest string, _ bool) bool { return opensTag(rest) || escape.OpensElement(rest) })
	if tags == 0 {
		return content, 0, badLine
	}
	return []byte(text), tags, badLine
}

// replaceInvalid puts one U+FFFD for each byte that is not UTF-8, which keeps
// the token estimate.
func replaceInvalid(content []byte) []byte {
	out := make([]byte, 0, len(content)+len(content)/8)
	for len(content) > 0 {
		r, size := utf8.DecodeRune(content)
		out = utf8.AppendRune(out, r)
		content = content[size:]
	}
	return out
}

// opensTag reports whether text, which follows a <, makes a tag of the boot.
func opensTag(text string) bool {
	for _, tag := range fenceTags() {
		if after, ok := escape.Opens(text, tag); ok {
			return !continuesName(after)
		}
	}
	return false
}

// continuesName reports whether text continues with the name of a tag, so that
// <reference> is not taken for <ref>.
func continuesName(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("-_.:", r))
}

// escapeAttribute makes text safe between double quotes and in the line of a
// mention: &, < and " as the format has them, and as numeric references every
// character that could break the line or turn the reading direction.
func escapeAttribute(s string) string {
	if plainASCII(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '"':
			b.WriteString("&quot;")
		case unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plainASCII reports whether text has nothing to escape, for the usual case.
func plainASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '&' || c == '<' || c == '"' {
			return false
		}
	}
	return true
}
