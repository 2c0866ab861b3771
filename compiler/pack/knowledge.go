package pack

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// Lengths of fields, in characters (Unicode code points).
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 499 // "under 500"
)

// Knowledge is the front matter of KNOWLEDGE.md (agent-knowledge sections 3.2
// and 3.3). Fields hold what was declared, as it was declared; "" means absent.
// Use the methods for effective values.
type Knowledge struct {
	Name, Description, Type             string
	Status                              schema.Status
	Profile, Version, Language, License string
	Scope, Trust, Updated, Grounding    string
	RuntimeMode                         string // runtime.mode
	Maintainers                         []string
	Compatibility                       string
	PrimaryDocument                     string // metadata.primaryDocument; "" when it is not a clean pack path
	PrimaryOntology, PrimaryAnswers     string // the same
	ProducedBy                          *Producer
	Shape                               Shape
	Metadata                            *yaml.Node // the metadata map, for metadata.loadout; nil when absent

	places map[string]place
	unsure bool // the declared profile does not exist
}

// Producer is metadata.producedBy (section 3.6). A kind "skill" is read as
// "agent-skill".
type Producer struct{ Kind, Name, Version, Digest string }

// place is where a value is in KNOWLEDGE.md.
type place struct{ line, column int }

// Place returns the 1-based line and column of a field's value, such as
// "status" or "metadata.primaryDocument"; 0, 0 when it is absent.
func (k *Knowledge) Place(field string) (line, column int) {
	p := k.places[field]
	return p.line, p.column
}

// reader fills a Knowledge from front matter.
type reader struct {
	top      frontmatter.Map
	found    *findings
	metadata frontmatter.Map
	k        Knowledge
}

// readKnowledge reads and checks the front matter; dir is the name of the
// directory, "" when it has none.
func readKnowledge(node *yaml.Node, dir string, found *findings) Knowledge {
	r := &reader{found: found, k: Knowledge{places: map[string]place{}}}
	r.top = frontmatter.NewMap(EntryName, node, &found.list)
	r.required()
	r.name(dir)
	r.optional()
	r.nested()
	r.unknown()
	return r.k
}

// text reads a string and remembers where it is. A known secret is cut short
// in it: the values of KNOWLEDGE.md are in tables, records, indexes and the
// fence (agent-knowledge section 18.4).
func (r *reader) text(m frontmatter.Map, key string) string {
	value, ok := m.String(key)
	if ok {
		r.remember(m, key)
	}
	shown := strings.Map(visible, value)
	if shown != value {
		m.Report(key, metadataInvalid, diag.Warning, fmt.Sprintf("field %q holds characters that cannot be seen; they are left out", key), "write it without escapes such as \\x1b or \\u202e")
	}
	return secret.RedactKnown(shown)
}

// visible leaves out what would steer a terminal or reorder a line wherever a
// value is shown: YAML escapes can write it. Line ends, tabs and what joins letters
// stay.
func visible(c rune) rune {
	switch c {
	case '\n', '\t', '\u200c', '\u200d':
		return c
	}
	if unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
		return -1
	}
	return c
}

func (r *reader) remember(m frontmatter.Map, key string) {
	name := key
	if m.At != "" {
		name = m.At + "." + key
	}
	line, column := m.Place(key)
	r.k.places[name] = place{line, column}
}

// required reads the four fields of section 3.2.
func (r *reader) required() {
	k := &r.k
	for _, f := range []struct {
		key  string
		into *string
		hint string
	}{
		{"name", &k.Name, "add the pack's name: 1 to 64 of a-z, 0-9 and -"},
		{"description", &k.Description, "say in at most 1024 characters what is inside and when to use it"},
		{"type", &k.Type, "add one of " + strings.Join(types(), ", ") + ", or custom:<namespace>"},
		{"status", (*string)(&k.Status), "add one of " + strings.Join(schema.Words(schema.PackStatuses()), ", ")},
	} {
		*f.into = r.text(r.top, f.key)
		if r.isAlias(f.key) {
			continue // a fault of its own
		}
		if value := r.top.Value(f.key); value == nil || strictyaml.Type(value) == strictyaml.String && strings.TrimSpace(*f.into) == "" {
			r.error(r.top, f.key, missingField(f.key), f.hint)
		}
	}
	r.length("description", k.Description, maxDescription)
	r.oneOf(r.top, "status", string(k.Status), schema.Words(schema.PackStatuses()))
	if k.Type != "" && !KnownType(k.Type) {
		r.error(r.top, "type", fmt.Sprintf("type %q is not known", k.Type), suggest(k.Type, types(), `write "custom:<namespace>" for a type of your own`))
	}
}

// isAlias reports whether the value of a top-level key is a YAML alias.
func (r *reader) isAlias(key string) bool {
	for i, k := range r.top.Keys() {
		if k.Value == key {
			return r.top.Node.Content[2*i+1].Kind == yaml.AliasNode
		}
	}
	return false
}

// name checks the pack's name against its pattern and its directory.
func (r *reader) name(dir string) {
	name := r.k.Name
	if name == "" {
		return
	}
	r.length("name", name, maxName)
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || !isPlain(name) {
		r.error(r.top, "name", fmt.Sprintf("name %q may hold only a-z, 0-9 and -", name), "rename the pack")
		return
	}
	if strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--") {
		r.top.Report("name", "name-dashes", diag.Warning, fmt.Sprintf("name %q starts or ends with a dash, or doubles one", name), "rename the pack: some readers refuse such names")
	}
	if dir != "" && name != dir {
		r.top.Report("name", "name-mismatch", diag.Warning, fmt.Sprintf("name %q differs from the directory %q", name, dir), "give both the same name")
	}
}

// isPlain reports whether every character is one that a name may hold.
func isPlain(name string) bool {
	return !strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	})
}

// optional reads the other top-level fields of section 3.3.
func (r *reader) optional() {
	k := &r.k
	for key, into := range map[string]*string{"version": &k.Version, "language": &k.Language, "license": &k.License, "scope": &k.Scope} {
		*into = r.text(r.top, key)
	}
	for _, f := range []struct {
		key  string
		into *string
		all  []string
	}{{"profile", &k.Profile, profiles()}, {"trust", &k.Trust, Trusts()}, {"grounding", &k.Grounding, Groundings()}} {
		*f.into = r.text(r.top, f.key)
		r.oneOf(r.top, f.key, *f.into, f.all)
	}
	if r.top.Value("profile") == nil {
		r.top.Report("profile", "profile-missing", diag.Warning, "no profile is declared; wiki-first is assumed", "add profile: document-first, wiki-first or hybrid")
	}
	k.unsure = r.top.Value("profile") != nil && !slices.Contains(profiles(), k.Profile)
	k.Compatibility = r.text(r.top, "compatibility")
	r.length("compatibility", k.Compatibility, maxCompatibility)
	k.Updated = r.text(r.top, "updated")
	if k.Updated != "" && !isDate(k.Updated) {
		message, hint := wrongDate(k.Updated)
		r.error(r.top, "updated", message, hint)
	}
	k.Maintainers, _ = r.top.StringOrStrings("maintainers")
	runtime := r.top.Map("runtime")
	k.RuntimeMode = r.text(runtime, "mode")
	r.oneOf(runtime, "mode", k.RuntimeMode, modes())
}

// isDate takes an ISO date, with or without a time.
func isDate(s string) bool {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05"} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}

// wrongDate says what is wrong with a date: the form in which it is written, or that there
// is no such day.
func wrongDate(s string) (message, hint string) {
	const form = "write the date as year, month and day, such as 2026-02-28"
	var year, month, day int
	day10 := s[:min(len(s), len(time.DateOnly))]
	if n, err := fmt.Sscanf(day10, "%4d-%2d-%2d", &year, &month, &day); n != 3 || err != nil || len(day10) != len(time.DateOnly) || strings.ContainsAny(day10, " +") {
		return fmt.Sprintf("%q is not an ISO date", s), form
	}
	switch {
	case month < 1 || month > 12:
		return fmt.Sprintf("%q is not a date: there is no month %d", s, month), form
	case day < 1 || day > 31 || time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Day() != day:
		return fmt.Sprintf("%q is not a date: there is no %d %s %d", s, day, time.Month(month), year), "correct the day"
	}
	return fmt.Sprintf("the time of %q cannot be read", s), "write the date alone, or a time such as 2026-02-28T15:04:05Z"
}

// nested reads the keys of metadata that the format names.
func (r *reader) nested() {
	r.metadata = r.top.Map("metadata")
	if value := r.top.Value("metadata"); value != nil && value.Kind != yaml.MappingNode && value.Tag != "!!null" {
		r.meant("metadata", value)
	}
	r.k.Metadata = r.metadata.Node
	r.shape()
	for _, f := range []struct {
		key  string
		into *string
	}{
		{"primaryDocument", &r.k.PrimaryDocument}, {"primaryOntology", &r.k.PrimaryOntology}, {"primaryAnswers", &r.k.PrimaryAnswers},
	} {
		value := r.text(r.metadata, f.key)
		if value == "" {
			continue
		}
		if err := packpath.Check(value); err != nil {
			r.error(r.metadata, f.key, fmt.Sprintf("metadata.%s cannot be %q: %v", f.key, value, err), "write a path relative to the pack root, such as documents/main.md")
			continue
		}
		*f.into = value
	}
	made := r.metadata.Map("producedBy")
	if made.Node == nil {
		return
	}
	p := &Producer{Kind: r.text(made, "kind"), Name: r.text(made, "name"), Version: r.text(made, "version"), Digest: r.text(made, "digest")}
	if p.Kind != "" && !slices.Contains(producerKinds(), p.Kind) {
		made.Report("kind", "producer-unknown", diag.Info, fmt.Sprintf("metadata.producedBy.kind %q is not known", p.Kind), suggest(p.Kind, producerKinds(), ""))
	}
	if p.Kind == "skill" {
		p.Kind = "agent-skill"
	}
	r.k.ProducedBy = p
}

// fieldNames are the top-level fields of sections 3.2 and 3.3.
func fieldNames() []string {
	return []string{
		"name", "description", "type", "status", "profile", "version", "language", "license", "maintainers",
		"scope", "trust", "updated", "grounding", "runtime", "metadata", "compatibility",
	}
}

// unknown reports top-level fields that the format does not name; they are kept
// where they are.
func (r *reader) unknown() {
	for _, key := range r.top.Keys() {
		if slices.Contains(fieldNames(), key.Value) {
			continue
		}
		d := diag.Diagnostic{
			ID: "unknown-field", Severity: diag.Info, Path: EntryName, Line: key.Line, Column: key.Column,
			Message: fmt.Sprintf("field %q is not part of the format", key.Value),
			Hint:    "put fields of your own below metadata",
		}
		name, hint := misplaced(key.Value)
		if hint != "" {
			d.Severity, d.Hint = diag.Warning, hint
			d.Message += " and has no effect"
			r.meant(name, key)
		}
		if r.isMissing(name, &d) {
			continue
		}
		r.found.list = append(r.found.list, d)
	}
	for _, key := range r.metadata.Keys() {
		r.misplacedBelow(key)
	}
}

// meant notes the place of a field where it is misspelt or misplaced: that it is missing is not
// another fault.
func (r *reader) meant(name string, key *yaml.Node) {
	if name == "metadata" {
		name = "primaryDocument"
	}
	if field := "metadata." + name; slices.Contains(metadataNames(), name) && r.k.places[field] == (place{}) {
		r.k.places[field] = place{key.Line, key.Column}
	}
}

// isMissing reports whether a required field is missing that another was meant to be. The
// error about it takes the place and the hint of that one: the two are one fault.
func (r *reader) isMissing(name string, other *diag.Diagnostic) bool {
	for i := range r.found.list {
		if d := &r.found.list[i]; d.ID == metadataInvalid && d.Message == missingField(name) {
			d.Line, d.Column, d.Hint = other.Line, other.Column, other.Hint
			return true
		}
	}
	return false
}

func missingField(name string) string {
	return fmt.Sprintf("required field %q is missing or empty", name)
}

// misplaced says where a top-level field belongs that is a field of another level, or which
// one it was most likely meant to be, and names it; "" for a field of the author's own.
func misplaced(field string) (name, hint string) {
	below := map[string]string{"mode": "runtime"}
	for _, name := range metadataNames() {
		below[name] = "metadata"
	}
	if parent := below[field]; parent != "" {
		return field, fmt.Sprintf("indent it below %s:", parent)
	}
	names := slices.Concat(fieldNames(), metadataNames())
	if i := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, field) }); i >= 0 {
		name = names[i]
	} else {
		name = nearest.Within(strings.ToLower(field), names, len(field)/3)
	}
	switch {
	case name == "":
		return "", ""
	case below[name] != "" && strings.EqualFold(name, field):
		return name, fmt.Sprintf("did you mean %q, indented below %s:?", name, below[name])
	}
	return name, fmt.Sprintf("did you mean %q?", name)
}

// misplacedBelow reports a key of metadata that is a misspelt one of the format. Any other
// is the author's own.
func (r *reader) misplacedBelow(key *yaml.Node) {
	if slices.Contains(metadataNames(), key.Value) {
		return
	}
	if near := nearest.Within(key.Value, metadataNames(), min(2, len(key.Value)/4)); near != "" {
		r.meant(near, key)
		r.metadata.Report(key.Value, "unknown-field", diag.Warning,
			fmt.Sprintf("field metadata.%s is not part of the format and has no effect", key.Value), fmt.Sprintf("did you mean %q?", near))
	}
}

// metadataNames are the keys of metadata that packgen reads.
func metadataNames() []string {
	return []string{"primaryDocument", "primaryOntology", "primaryAnswers", "producedBy", "compile", "loadout"}
}

func (r *reader) error(m frontmatter.Map, key, message, hint string) {
	m.Report(key, metadataInvalid, diag.Error, message, hint)
	last := &r.found.list[len(r.found.list)-1]
	if last.Line == 0 {
		last.Line, last.Column = 1, 1 // an empty block has no place of its own
	}
}

func (r *reader) length(key, value string, most int) {
	if n := utf8.RuneCountInString(value); n > most {
		r.error(r.top, key, fmt.Sprintf("field %q has %d characters; at most %d are allowed", key, n, most), "shorten it")
	}
}

func (r *reader) oneOf(m frontmatter.Map, key, value string, all []string) {
	if value == "" || slices.Contains(all, value) {
		return
	}
	name := key
	if m.At != "" {
		name = m.At + "." + key
	}
	r.error(m, key, fmt.Sprintf("field %q is %q, not one of %s", name, value, strings.Join(all, ", ")), suggest(value, all, "write one of them"))
}

// checkFiles reports what KNOWLEDGE.md says of files that do not exist
// (section 3.8).
func (p *Pack) checkFiles(found *findings) {
	k := &p.Meta
	report := func(field string, severity diag.Severity, id, message, hint string) {
		line, column := k.Place(field)
		found.list = append(found.list, diag.Diagnostic{ID: id, Severity: severity, Path: EntryName, Line: line, Column: column, Message: message, Hint: hint})
	}
	for field, path := range map[string]string{
		"metadata.primaryDocument": k.PrimaryDocument, "metadata.primaryOntology": k.PrimaryOntology, "metadata.primaryAnswers": k.PrimaryAnswers,
	} {
		if path != "" && !p.Has(path) && !p.lacksLayer(path) {
			report(field, diag.Error, metadataInvalid, fmt.Sprintf("%s %q does not exist", field, path), suggestFile(p.Files, path, "add the file, or correct the path"))
		}
	}
	p.checkLayers(report)
	if k.Profile != documentFirst {
		return
	}
	if _, declared := k.places["metadata.primaryDocument"]; !declared {
		report("profile", diag.Warning, "primary-document-missing", "a document-first pack should name its default document", "add metadata.primaryDocument: documents/<file>.md")
	}
	if !p.HasDir("documents") {
		report("profile", diag.Warning, "documents-missing", "a document-first pack needs files in documents/", "add a page to documents/, or declare profile: wiki-first")
	}
}

// Shape says how a compile makes the files of compiled/, in tokens: metadata.compile,
// with the default for what is not declared.
type Shape struct {
	Join       int // sections below it are joined with small neighbours; 0 joins none
	Briefing   int // what compiled/briefing.md may have; 0 means any number, as for those below
	Facts      int // what compiled/facts.md may have
	Boundaries int // what compiled/boundaries.md may have beside the limits of the guide, which are never left out
}

func defaultShape() Shape { return Shape{Join: 120, Briefing: 2000, Facts: 4000, Boundaries: 2000} }

// shape reads metadata.compile.
func (r *reader) shape() {
	r.k.Shape = defaultShape()
	m := r.metadata.Map("compile")
	fields := map[string]*int{"join": &r.k.Shape.Join, "briefing": &r.k.Shape.Briefing, "facts": &r.k.Shape.Facts, "boundaries": &r.k.Shape.Boundaries}
	names := []string{"join", "briefing", "facts", "boundaries"}
	for _, key := range m.Keys() {
		into := fields[key.Value]
		if into == nil {
			m.Report(key.Value, "unknown-field", diag.Warning, fmt.Sprintf("metadata.compile.%s is not a setting of a compile", key.Value), suggest(key.Value, names, "the settings are "+strings.Join(names, ", ")))
			continue
		}
		v := m.Value(key.Value)
		if v == nil {
			continue // a key without a value is as good as none
		}
		n, ok := amount.Whole(v.Value)
		if !ok || n < 0 || n > maxShape || strictyaml.Type(v) != strictyaml.Number {
			r.error(m, key.Value, fmt.Sprintf("metadata.compile.%s must be a number of tokens up to %d, not %q", key.Value, maxShape, v.Value), "write it as "+strconv.Itoa(*into))
			continue
		}
		*into = int(n)
	}
}

// maxShape is the most tokens that a setting may ask for.
const maxShape = 1_000_000

// CatalogEntry returns what a catalog says of the pack (agent-knowledge section
// 12.4): declared values of the named keys, no body. location is the path of
// its KNOWLEDGE.md as the consumer sees it, "" to leave it out.
func (p *Pack) CatalogEntry(location string) schema.CatalogEntry {
	k := &p.Meta
	e := schema.CatalogEntry{
		Name: k.Name, Description: k.Description, Type: k.Type, Status: k.Status,
		Profile: k.Profile, RuntimeMode: k.RuntimeMode, Version: k.Version, Language: k.Language,
		Trust: k.Trust, Grounding: k.Grounding, Scope: k.Scope, Compatibility: k.Compatibility,
		PrimaryDocument: k.PrimaryDocument, PrimaryOntology: k.PrimaryOntology, Location: location,
	}
	if k.ProducedBy != nil {
		made := schema.CatalogProducer(*k.ProducedBy)
		e.ProducedBy = &made
	}
	return e
}

// InCatalog reports whether a catalog shows the pack: it can be selected (name,
// description, type and status are set) and is not archived (sections 3.8 and
// 14.1).
func (p *Pack) InCatalog() bool {
	k := &p.Meta
	return k.Name != "" && k.Description != "" && k.Type != "" && slices.Contains(schema.PackStatuses(), k.Status) && k.Status != schema.Archived
}

// NewCatalog wraps entries, in the order given.
func NewCatalog(entries []schema.CatalogEntry) schema.Catalog {
	return schema.Catalog{SchemaVersion: 1, Packs: entries}
}

// ReadEntry reads the front matter of the pack at the root of a file system and
// nothing else: it opens KNOWLEDGE.md and lists no files, so that a catalog of
// many packs is cheap (agent-knowledge sections 12.1 and 12.3). Diagnostics,
// error and dir are those of OpenFS; the pack has no Files.
func ReadEntry(fsys fs.FS, dir string) (*Pack, []diag.Diagnostic, error) {
	p := &Pack{Dir: dir, fsys: fsys}
	found := &findings{}
	name := dirName(dir)
	ok, err := p.readEntry(name, found)
	p.attribute(name, found)
	diag.Sort(found.list)
	if err != nil || !ok {
		return nil, found.list, err
	}
	return p, found.list, nil
}

// dirName is the last element of a directory's name, "" for none.
func dirName(dir string) string {
	if dir == "" {
		return ""
	}
	if name := path.Base(filepath.ToSlash(dir)); name != "." && name != "/" {
		return name
	}
	return ""
}

// Values that the fields of KNOWLEDGE.md may have (agent-knowledge sections
// 3.2 to 3.4 and 14). Each call returns a list of the caller's own.

// profiles returns the values of profile.
func profiles() []string { return []string{documentFirst, WikiFirst, Hybrid} }

// modes returns the values of runtime.mode.
func modes() []string { return []string{modeData, ModePersona} }

// Trusts returns the values of trust.
func Trusts() []string { return []string{"unreviewed", "user-confirmed", "official", "external"} }

// Groundings returns the values of grounding.
func Groundings() []string { return []string{"none", "recommended", "required"} }

// types returns the plain values of type; "custom:<namespace>" comes on top.
func types() []string {
	return []string{
		"personal-profile", "brand-persona", "brand-product", "organization-knowhow", "content-operations",
		"private-domain-operations", "live-commerce-operations", "campaign-operations", "growth-strategy",
		"content-ontology", "domain-reference", "research-wiki",
	}
}

// producerKinds returns the values of metadata.producedBy.kind (section 3.6).
func producerKinds() []string { return []string{"agent-skill", "skill", "tool", "manual", "import"} }

// The profiles and modes that decide what compile does.
const (
	documentFirst = "document-first"
	WikiFirst     = "wiki-first"
	Hybrid        = "hybrid"
	modeData      = "data"
	ModePersona   = "persona"
)

// KnownType reports whether t is a type of section 3.4: a plain value, or
// "custom:" and a namespace.
func KnownType(t string) bool {
	if namespace, ok := strings.CutPrefix(t, "custom:"); ok {
		return namespace != "" && !strings.ContainsAny(namespace, " \t\n")
	}
	return slices.Contains(types(), t)
}

// TrustRank orders trust for shadowing (section 12.2): the higher one wins.
// Absent counts as unreviewed.
func TrustRank(trust string) int {
	return slices.Index([]string{"external", "user-confirmed", "official"}, trust) + 1
}

// EffectiveProfile is the profile, wiki-first when absent or unknown (section
// 3.3).
func (k *Knowledge) EffectiveProfile() string { return known(k.Profile, WikiFirst, profiles()) }

// EffectiveMode is runtime.mode, data when absent or unknown, for every type
// (section 3.4).
func (k *Knowledge) EffectiveMode() string { return known(k.RuntimeMode, modeData, modes()) }

// EffectiveGrounding is the grounding, none when absent or unknown (section
// 3.3).
func (k *Knowledge) EffectiveGrounding() string { return known(k.Grounding, "none", Groundings()) }

// EffectiveTrust is the trust used for gating, unreviewed when absent or
// unknown; it is not printed as declared (section 3.3).
func (k *Knowledge) EffectiveTrust() string { return known(k.Trust, "unreviewed", Trusts()) }

// HasDocuments reports whether documents/ is a primary source (section 4).
func (k *Knowledge) HasDocuments() bool { return k.EffectiveProfile() != WikiFirst }

// HasWiki reports whether wiki/ is a primary source (section 4).
func (k *Knowledge) HasWiki() bool { return k.EffectiveProfile() != documentFirst }

func known(value, absent string, all []string) string {
	if slices.Contains(all, value) {
		return value
	}
	return absent
}
