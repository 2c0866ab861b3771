package schema

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

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
