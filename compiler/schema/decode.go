package schema

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

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
