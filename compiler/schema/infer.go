package schema

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

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
