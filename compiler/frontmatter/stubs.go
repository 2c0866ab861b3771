package frontmatter

import (
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
)

// Decode turns a file's bytes into text: UTF-8 without a byte-order mark, with
// LF line ends. ok is false when the bytes are not UTF-8 or hold a NUL. A file
// that is already in that form is returned as it is, not copied.
func Decode(file []byte) (text []byte, ok bool) { return file, true }

// Read finds and reads the front matter of a decoded text.
func Read(text []byte, o Options) (Block, []diag.Diagnostic) { return Block{}, nil }

// Map reads typed values from a mapping and collects a diagnostic
// (metadata-invalid) for each value of a wrong type. A nil node is empty.
type Map struct {
	Node *yaml.Node
	Path string // file, for diagnostics
	At   string // dotted key path of the mapping itself, "" at the top
	sink *[]diag.Diagnostic
}

// NewMap returns a reader for node that appends diagnostics to sink.
func NewMap(path string, node *yaml.Node, sink *[]diag.Diagnostic) Map {
	return Map{Node: node, Path: path, sink: sink}
}

// Keys returns the key nodes in file order.
func (m Map) Keys() []*yaml.Node { return nil }

// Value returns the value node of a key, nil when absent.
func (m Map) Value(key string) *yaml.Node { return nil }

// String returns a string value; "" and false when absent or of another type.
func (m Map) String(key string) (string, bool) { return "", false }

// Strings returns a list of strings.
func (m Map) Strings(key string) ([]string, bool) { return nil, false }

// StringOrStrings is Strings that also takes a single string as a list of one.
func (m Map) StringOrStrings(key string) ([]string, bool) { return nil, false }

// Bool returns a boolean value: true or false, never yes or on.
func (m Map) Bool(key string) (value, ok bool) { return false, false }

// Map returns the mapping under key; an empty one when absent or of another type.
func (m Map) Map(key string) Map { return Map{Path: m.Path, sink: m.sink} }

// Report adds a diagnostic at the value of a key (at the mapping when absent).
func (m Map) Report(key, id string, severity diag.Severity, message, hint string) {}
