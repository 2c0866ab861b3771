package schema

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/packgen/packgen/compiler/diag"
)

// DecodeIndex reads compiled/index.json (agent-knowledge section 6.7): our
// shape, or the camelCase one of another implementation, whose names are mapped.
// Unknown members, wrong types and missing members are a *DecodeError.
func DecodeIndex(data []byte) (*Index, error) {
	if isCamelCase(data) {
		return decodeCamelCase(data)
	}
	return decode[Index](data)
}

// DecodeSourceMap reads indexes/source-map.json (section 8.1), a closed object.
// Faults are a *DecodeError.
func DecodeSourceMap(data []byte) (*SourceMap, error) { return decode[SourceMap](data) }

// DecodeRun reads a compile run record (section 9), a closed object. Faults are
// a *DecodeError; a record that has none fits the schema. What packgen knows of the run
// besides is in the ledger beside it; ReadRun reads all of it.
func DecodeRun(data []byte) (*Run, error) { return decode[Run](data) }

// longLists names the members that grow with the text of a pack.
func longLists() []string {
	return []string{"documents", "claims", "removed_claims", "chapters", "routing"}
}

// DecodeCatalog reads a catalog of packs (section 12.4). Faults are a
// *DecodeError.
func DecodeCatalog(data []byte) (*Catalog, error) { return decode[Catalog](data) }

// decode reads one record of type T and nothing after it.
func decode[T any](data []byte) (*T, error) { return decodeWith[T](newScanner(data)) }

func decodeWith[T any](s *scanner) (*T, error) {
	record := new(T)
	if err := s.record(reflect.ValueOf(record).Elem()); err != nil {
		return nil, err
	}
	return record, s.end()
}

// record reads an object into a struct.
func (s *scanner) record(v reflect.Value) error {
	members := fieldsOf(v.Type())
	seen := make([]int, len(members.list)) // where each member is, from 1 on
	start := s.at()
	err := s.members(func(name string, at int) error {
		i, ok := members.byName[name]
		if !ok && members.open {
			return s.skip()
		}
		if !ok {
			return s.fail(at, "unknown field; known are %s", names(members))
		}
		if seen[i] > 0 {
			return s.fail(at, "%s", diag.GivenTwice(name, 1+bytes.Count(s.data[:seen[i]-1], []byte("\n"))))
		}
		seen[i] = at + 1
		if len(s.path) == 1 && slices.Contains(s.pass, name) {
			return s.passOver()
		}
		return s.value(v.Field(members.list[i].index), &members.list[i])
	})
	if err != nil {
		return err
	}
	for i, f := range members.list {
		if f.required && seen[i] == 0 {
			return s.fail(start, "field %q is missing", f.name)
		}
	}
	return nil
}

func names(members *fields) string {
	list := make([]string, len(members.list))
	for i, f := range members.list {
		list[i] = f.name
	}
	return strings.Join(list, ", ")
}

// value reads one value into v; f holds the rules of the field it belongs to.
func (s *scanner) value(v reflect.Value, f *field) error {
	at := s.at()
	switch v.Kind() {
	case reflect.Pointer:
		if f.null && s.dec.PeekKind() == 'n' {
			return s.skip()
		}
		v.Set(reflect.New(v.Type().Elem()))
		return s.value(v.Elem(), f)
	case reflect.Struct:
		return s.record(v)
	case reflect.Slice:
		return s.list(v, f)
	case reflect.String, reflect.Uint8:
		return s.word(v, f)
	case reflect.Int, reflect.Int64:
		n, err := s.integer()
		if err != nil {
			return err
		}
		if f.min != nil && n < *f.min {
			return s.fail(at, "%d is less than %d", n, *f.min)
		}
		if f.max != nil && n > *f.max {
			return s.fail(at, "%d is more than %d", n, *f.max)
		}
		v.SetInt(n)
		return nil
	case reflect.Float64:
		n, err := s.number()
		if err != nil {
			return err
		}
		if f.min != nil && n < float64(*f.min) || f.max != nil && n > float64(*f.max) {
			return s.fail(at, "the number is out of its range")
		}
		v.SetFloat(n)
		return nil
	case reflect.Bool:
		if s.dec.PeekKind() == 'f' {
			return s.skip()
		}
		_, err := s.want('t', "true or false")
		v.SetBool(err == nil)
		return err
	}
	return s.fail(at, "no rule for %s", v.Type())
}

// word reads a string, or the word of a severity, into v.
func (s *scanner) word(v reflect.Value, f *field) error {
	at := s.at()
	text, err := s.text()
	if err == nil {
		err = s.checkText(text, at, f)
	}
	if err != nil {
		return err
	}
	if v.Kind() == reflect.Uint8 {
		return v.Addr().Interface().(*diag.Severity).UnmarshalText([]byte(text))
	}
	v.SetString(text)
	return nil
}

// element holds the rules for what is in an array: none beyond the type.
var element = &field{}

func (s *scanner) list(v reflect.Value, f *field) error {
	at := s.at()
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	err := s.elements(func(i int) error {
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		return s.value(v.Index(i), element)
	})
	if err == nil && f.nonEmpty && v.Len() == 0 {
		err = s.fail(at, "the array is empty")
	}
	return err
}

func (s *scanner) checkText(text string, at int, f *field) error {
	switch {
	case f.nonEmpty && text == "":
		return s.fail(at, "the string is empty")
	case f.enum != nil && !slices.Contains(f.enum, text):
		return s.fail(at, "%q is not one of %s", text, strings.Join(f.enum, ", "))
	case f.form == "sha256" && !isSHA256(text):
		return s.fail(at, "%q is not 64 lower-case hex digits", text)
	case f.form == "digest" && !isDigest(text):
		return s.fail(at, "%q is not sha256: and 64 lower-case hex digits", text)
	case f.form == "tree" && !isTree(text):
		return s.fail(at, "%q is not h1: and a hash in base64", text)
	}
	return nil
}

func isSHA256(text string) bool {
	return len(text) == 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// isDigest reports the digest of an archive.
func isDigest(text string) bool {
	sum, ok := strings.CutPrefix(text, "sha256:")
	return ok && isSHA256(sum)
}

// isTree reports the hash of a tree: "h1:" and 32 bytes in base64, which end in
// one "=" (golang.org/x/mod/sumdb/dirhash).
func isTree(text string) bool {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	hash, ok := strings.CutPrefix(text, "h1:")
	return ok && len(hash) == 44 && strings.Trim(hash[:43], digits) == "" && hash[43] == '='
}

// field is what the tags of a struct field say:
//
//	json:"name,omitempty"            the member's name; left out when empty
//	check:"required,nonempty,null"   must be there; a string or array must not be empty; null stands for absent
//	min:"1" max:"1"                  the smallest and the largest number
//	enum:"a|b"                       the strings allowed
//	form:"sha256"                    64 lower-case hex digits
//	form:"digest"                    "sha256:" and 64 lower-case hex digits
//	form:"tree"                      "h1:" and 32 bytes in base64
//
// A blank field of a record tagged check:"open" says that the record may hold
// members of other names.
type field struct {
	name     string
	index    int
	required bool
	nonEmpty bool
	null     bool
	min, max *int64
	enum     []string
	form     string
}

// fields are the members of one record type, in table order.
type fields struct {
	list   []field
	byName map[string]int
	open   bool // other members are skipped
}

// known keeps the fields by type; tags are read once.
var known sync.Map

func fieldsOf(t reflect.Type) *fields {
	if f, ok := known.Load(t); ok {
		return f.(*fields)
	}
	f := &fields{byName: map[string]int{}}
	for i := range t.NumField() {
		sf := t.Field(i)
		f.open = f.open || sf.Tag.Get("check") == "open"
		if sf.IsExported() && sf.Tag.Get("json") != "-" {
			f.byName[nameOf(sf)] = len(f.list)
			f.list = append(f.list, readTags(sf, i))
		}
	}
	known.Store(t, f)
	return f
}

func nameOf(sf reflect.StructField) string {
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	if name == "" {
		return sf.Name
	}
	return name
}

func readTags(sf reflect.StructField, index int) field {
	check := strings.Split(sf.Tag.Get("check"), ",")
	f := field{
		name:     nameOf(sf),
		index:    index,
		required: slices.Contains(check, "required"),
		nonEmpty: slices.Contains(check, "nonempty"),
		null:     slices.Contains(check, "null"),
		form:     sf.Tag.Get("form"),
	}
	if enum := sf.Tag.Get("enum"); enum != "" {
		f.enum = strings.Split(enum, "|")
	}
	f.min, f.max = limit(sf.Tag.Get("min")), limit(sf.Tag.Get("max"))
	return f
}

func limit(tag string) *int64 {
	if n, err := strconv.ParseInt(tag, 10, 64); err == nil {
		return &n
	}
	return nil
}

// Encode writes a record as JSON in the form of agent-knowledge section 6.12:
// two-space indent, fields in table order (the order of the struct), one final
// LF, "[]" for an empty or nil array, and in strings only the quote, the
// backslash, control characters, U+2028 and U+2029 escaped. Bytes that are not
// UTF-8 become U+FFFD.
//
// It takes structs with json tags, slices, pointers, maps with string keys
// (written in key order), strings, booleans, integers and finite floats, and
// gives an error for anything else.
func Encode(v any) ([]byte, error) {
	var out bytes.Buffer
	err := Write(&out, v)
	return out.Bytes(), err
}

// Compact is Encode on one line and without a line feed at its end, for text that
// becomes a part of other JSON: U+2028 and U+2029 are written as they are.
func Compact(v any) ([]byte, error) {
	return json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))
}

// Write is Encode for a record too large to hold as text: it goes to w in
// pieces. An error of w ends it and is returned as it is.
func Write(w io.Writer, v any) error {
	to := &sink{w: w}
	err := json.MarshalWrite(to, v, jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.EscapeForJS(true),
		jsontext.AllowInvalidUTF8(true), json.Deterministic(true), jsonv1.OmitEmptyWithLegacySemantics(true))
	if to.err == nil && err == nil {
		_, _ = to.Write([]byte("\n"))
	}
	if to.err == nil && err != nil {
		return fmt.Errorf("encode %T: %w", v, err)
	}
	return to.err
}

// sink keeps the error of a writer.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, s.err = s.w.Write(p)
	return n, s.err
}

// HasSum reports whether data has a SHA-256, as records have it: 64 lower-case hex digits.
// A text has it also where only its line ends differ, all LF or all CRLF, because git
// changes these from one checkout to the next.
func HasSum(data []byte, sum string) bool {
	if sum == "" {
		return false
	}
	if SHA256(data) == sum {
		return true
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return false
	}
	lf := WithLF(data)
	return len(lf) < len(data) && SHA256(lf) == sum || SHA256(bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))) == sum
}

// WithLF returns a text with LF where it has CRLF.
func WithLF(text []byte) []byte {
	if !bytes.Contains(text, []byte("\r\n")) {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
}

// SHA256 is a SHA-256 as records have it: 64 lower-case hex digits.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// camelIndex is compiled/index.json as another implementation writes it, in
// camelCase (section 6.7). It has no schema_version.
type camelIndex struct {
	Pack            string       `json:"pack"`
	Profile         string       `json:"profile"`
	RuntimeMode     string       `json:"runtimeMode"`
	PrimaryDocument *string      `json:"primaryDocument" check:"null"`
	GeneratedAt     string       `json:"generatedAt"`
	Splits          []camelSplit `json:"splits" check:"required"`
	TotalTokens     int          `json:"totalTokens" min:"0"`
}

type camelSplit struct {
	ID             string   `json:"id" check:"required,nonempty"`
	Order          *int     `json:"order" check:"null"`
	Title          string   `json:"title"`
	RelativePath   string   `json:"relativePath" check:"required,nonempty"`
	SourceDocument string   `json:"sourceDocument"`
	CharCount      int      `json:"charCount" min:"0"`
	TokenEstimate  int      `json:"tokenEstimate" min:"0"`
	SourceAnchors  []string `json:"sourceAnchors"`
	SHA256         string   `json:"sha256"`
}

// isCamelCase reports whether an index has members of the camelCase shape and lacks
// schema_version. It looks at names up to the first that decides.
func isCamelCase(data []byte) bool {
	s := newScanner(data)
	camel := false
	_ = s.members(func(name string, at int) error {
		switch name {
		case "runtimeMode", "primaryDocument", "generatedAt", "totalTokens":
			camel = true
		case "profile", "pack":
			_, err := s.text()
			return err
		}
		return s.fail(at, "decided")
	})
	return camel
}

// decodeCamelCase maps the camelCase shape to ours. Anchors are dropped: that
// implementation lists every source of the pack there, not those of the split.
func decodeCamelCase(data []byte) (*Index, error) {
	camel, err := decode[camelIndex](data)
	if err != nil {
		return nil, err
	}
	index := &Index{
		SchemaVersion: 1, Pack: camel.Pack, Profile: camel.Profile, RuntimeMode: camel.RuntimeMode,
		Views: []View{}, Splits: make([]Split, len(camel.Splits)),
	}
	if camel.PrimaryDocument != nil {
		index.PrimaryDocument = *camel.PrimaryDocument
	}
	for i, s := range camel.Splits {
		index.Splits[i] = Split{
			ID: s.ID, Order: i + 1, Title: s.Title, Document: s.SourceDocument, Path: camelPath(s.RelativePath),
			TokenEstimate: s.TokenEstimate, SHA256: s.SHA256, SourceAnchors: []string{},
		}
		index.TotalTokenEstimate += s.TokenEstimate
	}
	return index, nil
}

// camelPath makes a split's path relative to the pack root.
func camelPath(path string) string {
	for _, missing := range []string{"", "compiled/"} {
		if full := missing + path; strings.HasPrefix(full, "compiled/splits/") {
			return full
		}
	}
	return "compiled/splits/" + path
}
