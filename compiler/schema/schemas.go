package schema

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/packpath"
)

//go:embed json/*.json
var files embed.FS

// Schemas returns the JSON Schemas (draft 2020-12) of every file that people write or
// packgen records, at the root of a file system: NAME.json for each of [Names].
func Schemas() fs.FS {
	sub, err := fs.Sub(files, "json")
	if err != nil { // "json" is a valid path, so this cannot happen
		return files
	}
	return sub
}

// Names returns the names of the schemas, sorted.
func Names() []string {
	entries, err := files.ReadDir("json")
	if err != nil { // it is embedded, so this cannot happen
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	slices.Sort(names) // without the suffix "-" comes after the end of a name
	return names
}

// Text returns a schema as it is published. The error names the nearest one that exists.
func Text(name string) ([]byte, error) {
	text, err := files.ReadFile(path.Join("json", name+".json"))
	if err == nil {
		return text, nil
	}
	err = fmt.Errorf("no schema has the name %q", name)
	if near := nearest.Name(name, Names()); near != "" {
		return nil, diag.WithHint(err, "did you mean %q?", near)
	}
	return nil, diag.WithHint(err, "write one of %s", strings.Join(Names(), ", "))
}

// Property is what a schema says of one value.
type Property struct {
	ID          string            `json:"$id"` // of the schema as a whole
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Examples    []json.RawMessage `json:"examples"`

	Enum                 []any                `json:"enum"`
	Default              any                  `json:"default"`
	Properties           map[string]*Property `json:"properties"`
	PatternProperties    map[string]*Property `json:"patternProperties"`
	AdditionalProperties *Property            `json:"additionalProperties"` // nil also where there are none
	Items                *Property            `json:"items"`
	AnyOf                []*Property          `json:"anyOf"`

	refused bool // no value is right
}

// UnmarshalJSON also takes true, which says nothing of a value, and false, which refuses
// every value.
func (p *Property) UnmarshalJSON(data []byte) error {
	if string(data) == "true" || string(data) == "false" {
		p.refused = string(data) == "false"
		return nil
	}
	type plain Property
	if err := json.Unmarshal(data, (*plain)(p)); err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	return nil
}

// Find returns what a schema says, for programs that help to write its file.
func Find(name string) (*Property, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	p := &Property{}
	return p, p.UnmarshalJSON(text)
}

// errNoKey says that a schema names no such key.
var errNoKey = errors.New("the schema has no such key")

// At returns what a schema says of the value at a path of keys; lists are passed
// through. The error says that it names no such key.
func (p *Property) At(keys ...string) (*Property, error) {
	for _, key := range keys {
		next := p.key(key)
		if next == nil {
			return nil, errNoKey
		}
		p = next
	}
	return p, nil
}

// key returns what is below a key of an object, of the elements of a list, or of one
// of several forms.
func (p *Property) key(key string) *Property {
	if p == nil {
		return nil
	}
	if next := p.Properties[key]; next != nil {
		return next
	}
	for pattern, next := range p.PatternProperties {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(key) {
			return next
		}
	}
	for _, form := range append([]*Property{p.Items}, p.AnyOf...) {
		if next := form.key(key); next != nil {
			return next
		}
	}
	if p.AdditionalProperties == nil || p.AdditionalProperties.refused {
		return nil
	}
	return p.AdditionalProperties
}

// Keys returns the keys of an object, of the elements of a list or of one of several
// forms, with what is said of each.
func (p *Property) Keys() map[string]*Property {
	if p == nil || len(p.Properties) > 0 {
		return p.properties()
	}
	for _, form := range append([]*Property{p.Items}, p.AnyOf...) {
		if keys := form.Keys(); len(keys) > 0 {
			return keys
		}
	}
	return nil
}

func (p *Property) properties() map[string]*Property {
	if p == nil {
		return nil
	}
	taken := maps.Clone(p.Properties)
	maps.DeleteFunc(taken, func(_ string, key *Property) bool { return key.refused })
	return taken
}

// Listed is a schema in the list of all of them.
type Listed struct {
	Name        string `json:"name"`
	ID          string `json:"id"` // its address
	Description string `json:"description"`
}

// List returns what each schema is about, by name.
func List() ([]Listed, error) {
	var list []Listed
	for _, name := range Names() {
		s, err := Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, Listed{name, s.ID, s.Description})
	}
	return list, nil
}

// Limits on the records of what is published.
const (
	MaxPackManifest  = 64 << 20  // bytes of a pack.json
	MaxPackFiles     = 100_000   // files that a pack.json lists
	MaxSiteManifest  = 256 << 20 // bytes of a manifest.json
	maxPublishedView = 10_000    // views that a pack.json lists
)

// PackManifest is pack.json, the record of a published pack. The same bytes are
// on the site and in the archive. It is not one of the files it lists.
type PackManifest struct {
	SchemaVersion int             `json:"schema_version" check:"required" min:"1" max:"1"` // 1
	Name          string          `json:"name" check:"required,nonempty"`
	Version       string          `json:"version,omitempty"`
	Profile       string          `json:"profile" check:"required" enum:"document-first|wiki-first|hybrid"`
	Status        Status          `json:"status" check:"required" enum:"draft|ready|needs-review|stale|disputed|archived"`
	Trust         string          `json:"trust,omitempty" enum:"unreviewed|user-confirmed|official|external"`
	Tree          string          `json:"tree" check:"required" form:"tree"` // "h1:" and the hash of the files in base64
	Views         []PublishedView `json:"views" check:"required"`            // in the order of compiled/index.json
	Files         []PublishedFile `json:"files" check:"required,nonempty"`   // in path order
}

// PublishedView is what was known of a view when the pack was published, its
// sources at hand: its status as agent-knowledge section 13.7 works it out, and
// what made it that.
type PublishedView struct {
	Path     string   `json:"path" check:"required,nonempty"`
	Status   Status   `json:"status" check:"required" enum:"passed|needs-review|stale|disputed|failed"`
	Warnings []string `json:"warnings,omitempty"`
}

// PublishedFile is a file of a published pack or site.
type PublishedFile struct {
	Path   string `json:"path" check:"required,nonempty"`        // relative to the pack or to the site, with slashes
	Size   int64  `json:"size" check:"required" min:"0"`         // bytes
	SHA256 string `json:"sha256" check:"required" form:"sha256"` // 64 lower-case hex digits
}

// SiteManifest is manifest.json, the list of the files of a published site, itself
// left out.
type SiteManifest struct {
	SchemaVersion int             `json:"schema_version" check:"required" min:"1" max:"1"` // 1
	Files         []PublishedFile `json:"files" check:"required"`                          // in path order
}

// The names of the records of what is published.
const (
	PackManifestName = "pack.json"
	SiteManifestName = "manifest.json"
)

// DecodePackManifest reads a pack.json of at most [MaxPackManifest] bytes, a closed
// object. Its files are in path order, each path one that [packpath.CheckPublished]
// takes. Faults are a *DecodeError. Whether the tree hash fits the files is not
// looked at.
func DecodePackManifest(data []byte) (*PackManifest, error) {
	m, err := decodeUpTo[PackManifest](data, MaxPackManifest)
	if err != nil {
		return nil, err
	}
	if err := checkFiles(m.Files, MaxPackFiles, packpath.CheckPublished); err != nil {
		return nil, err
	}
	if len(m.Views) > maxPublishedView {
		return nil, &DecodeError{Pointer: "/views", Line: 1, Column: 1, Message: fmt.Sprintf("more than %d views", maxPublishedView)}
	}
	if !isPackName(m.Name) {
		return nil, &DecodeError{Pointer: "/name", Line: 1, Column: 1, Message: fmt.Sprintf("%q is not the name of a pack", m.Name)}
	}
	return m, nil
}

// isPackName reports what may be the name of a pack, which is that of a folder
// wherever it is unpacked (agent-knowledge section 3.2).
func isPackName(name string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
	return len(name) <= maxPackName && strings.Trim(name, letters) == "" && name != "" && packpath.CheckName(name) == nil
}

// maxPackName is how long the name of a pack may be, in bytes.
const maxPackName = 64

// DecodeSiteManifest reads a manifest.json of at most [MaxSiteManifest] bytes, a
// closed object. Its files are in path order, each path a clean relative path.
// Faults are a *DecodeError.
func DecodeSiteManifest(data []byte) (*SiteManifest, error) {
	m, err := decodeUpTo[SiteManifest](data, MaxSiteManifest)
	if err != nil {
		return nil, err
	}
	return m, checkFiles(m.Files, len(m.Files), packpath.Check)
}

// decodeUpTo reads one record that has a limit in bytes.
func decodeUpTo[T any](data []byte, limit int) (*T, error) {
	if len(data) > limit {
		return nil, &DecodeError{Line: 1, Column: 1, Message: fmt.Sprintf("the record is larger than %s", bytesize.Text(int64(limit)))}
	}
	return decode[T](data)
}

// PathError is the cause of a [DecodeError] about a path in a list of files.
type PathError struct {
	Path string // as listed. Hostile: print it escaped
	Err  error  // of package packpath
}

// Error returns what is wrong with the path.
func (e *PathError) Error() string { return e.Err.Error() }

// Unwrap returns the error of package packpath.
func (e *PathError) Unwrap() error { return e.Err }

// checkFiles checks what no JSON Schema can say of a list of files: paths that
// check takes, in order, none twice.
func checkFiles(files []PublishedFile, limit int, check func(path string) error) error {
	fault := func(i int, format string, args ...any) *DecodeError {
		return &DecodeError{Pointer: "/files/" + strconv.Itoa(i) + "/path", Line: 1, Column: 1, Message: fmt.Sprintf(format, args...)}
	}
	if len(files) > limit {
		return fault(limit, "more than %d files", limit)
	}
	for i, f := range files {
		if err := check(f.Path); err != nil {
			bad := fault(i, "%q: %v", f.Path, err)
			bad.Cause = &PathError{f.Path, err}
			return bad
		}
		if i > 0 && f.Path <= files[i-1].Path {
			return fault(i, "%q does not come after %q in path order", f.Path, files[i-1].Path)
		}
	}
	return nil
}

// Kind names a record, as its schema file does: compile-run.json holds the
// schema of "compile-run".
type Kind string

// The kinds of records.
const (
	KindCompileRun    Kind = "compile-run"
	KindRunLedger     Kind = "run-ledger"
	KindContext       Kind = "context-resolution"
	KindEvalRun       Kind = "eval-run"
	KindHealth        Kind = "health"
	KindLint          Kind = "lint"
	KindSourceMap     Kind = "source-map"
	KindSuite         Kind = "discovery-eval"
	KindCompiledIndex Kind = "compiled-index"
	KindCatalog       Kind = "catalog"
	KindPackManifest  Kind = "pack-manifest"
	KindSiteManifest  Kind = "site-manifest"
	KindLock          Kind = "lock"
)

// kindRule is what is known about one kind.
type kindRule struct {
	kind     Kind
	prefixes []string // of file names
	key      string   // a member that tells it from the others; "" when none does
	marks    []string // a record without any of them was written by something else
	check    func([]byte) error
}

// kindRules returns the kinds in the order in which keys are looked at (section
// 17.4); a health report is distinguished from a lint report by its dimensions.
func kindRules() []kindRule {
	return []kindRule{
		{KindContext, []string{"context-"}, "activated_packs", []string{"activated_packs", "run_id", "query"}, checkOf(DecodeContext)},
		{KindSuite, []string{"discovery."}, "cases", []string{"cases", "queries", "pack_name"}, checkOf(DecodeSuite)},
		{KindRunLedger, []string{"ledger-"}, "record_sha256", []string{"run_id", "record_sha256"}, checkOf(DecodeRunLedger)},
		{KindSourceMap, []string{"source-map"}, "claims", []string{"claims"}, checkOf(DecodeSourceMap)},
		{KindCompileRun, []string{"compile-"}, "trigger", []string{"run_id", "trigger"}, checkOf(DecodeRun)},
		{KindHealth, []string{"health-"}, "dimensions", []string{"dimensions", "findings"}, checkOf(decodeHealth)},
		{KindLint, []string{"lint-"}, "findings", []string{"findings", "command"}, checkOf(decodeLint)},
		{KindEvalRun, []string{"eval-discovery-", "discovery-eval-"}, "results", []string{"results", "summary", "suite"}, checkOf(decodeEvalRun)},
		{KindCompiledIndex, nil, "splits", []string{"splits", "schema_version"}, checkOf(DecodeIndex)},
		{KindCatalog, nil, "", []string{"packs", "schema_version"}, checkOf(DecodeCatalog)},
		{KindPackManifest, []string{PackManifestName}, "tree", []string{"tree", "files"}, checkOf(DecodePackManifest)},
		{KindSiteManifest, []string{SiteManifestName}, "", []string{"files", "schema_version"}, checkOf(DecodeSiteManifest)},
		{KindLock, []string{LockName}, "references", []string{"references", "schema_version"}, checkOf(DecodeLock)},
	}
}

func checkOf[T any](decode func([]byte) (*T, error)) func([]byte) error {
	return func(data []byte) error {
		_, err := decode(data)
		return err
	}
}

// Kinds returns the names of all kinds, sorted.
func Kinds() []string {
	var list []string
	for _, r := range kindRules() {
		list = append(list, string(r.kind))
	}
	slices.Sort(list)
	return list
}

// errUnknownKind says that neither name nor content say what a record is.
var errUnknownKind = errors.New("neither the file name nor its keys say which record this is")

// Infer says which kind of record a file holds: by the prefix of its name, otherwise
// by distinctive keys (section 17.4).
func Infer(name string, data []byte) (Kind, error) {
	base := path.Base(name)
	rules := kindRules()
	for _, r := range rules {
		for _, prefix := range r.prefixes {
			if strings.HasPrefix(base, prefix) {
				return r.kind, nil
			}
		}
	}
	members := topMembers(data)
	for _, r := range rules {
		if r.key != "" && slices.Contains(members, r.key) {
			return r.kind, nil
		}
	}
	if slices.Contains(members, "queries") {
		return KindSuite, nil
	}
	return "", fmt.Errorf("infer the schema of %s: %w", base, errUnknownKind)
}

// ForeignError says that a file has the name of a record and none of its keys:
// another tool wrote it, for itself.
type ForeignError struct {
	Kind Kind // what the name promises
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("not a %s record of the standard; another tool wrote it", e.Kind)
}

// Validate checks a file against the schema of a kind. Faults are a
// *DecodeError; a well-formed object of something else is a *ForeignError.
func Validate(kind Kind, data []byte) error {
	rules := kindRules()
	i := slices.IndexFunc(rules, func(r kindRule) bool { return r.kind == kind })
	if i < 0 {
		return fmt.Errorf("validate: no schema %q", kind)
	}
	err := rules[i].check(data)
	if err == nil {
		return nil
	}
	if members, whole := membersOf(data); whole && isForeign(members, rules[i].marks) {
		return &ForeignError{kind}
	}
	return err
}

// isForeign reports an object that something else wrote: it has none of the marks of
// a record, or lacks the run id that every run has and spells names in camelCase,
// which no record of the standard does.
func isForeign(members, marks []string) bool {
	has := func(name string) bool { return slices.Contains(members, name) }
	switch {
	case len(members) == 0:
		return false
	case !slices.ContainsFunc(marks, has):
		return true
	case !slices.Contains(marks, "run_id") || has("run_id"):
		return false
	}
	return slices.ContainsFunc(members, func(name string) bool {
		return strings.ContainsFunc(name, func(c rune) bool { return c >= 'A' && c <= 'Z' })
	})
}

// topMembers returns the names of an object's members, as far as it can be read.
func topMembers(data []byte) []string {
	list, _ := membersOf(data)
	return list
}

// membersOf returns the names of an object's members; whole is false when the
// text is not one object and nothing after it.
func membersOf(data []byte) (list []string, whole bool) {
	s := newScanner(data)
	err := s.members(func(name string, _ int) error {
		list = append(list, name)
		return s.skip()
	})
	return list, err == nil && s.end() == nil
}
