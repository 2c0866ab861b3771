package strictyaml

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
)

// Keys says who reads the value of each key of a mapping.
type Keys map[string]func(*yaml.Node)

// Reader reads a file whose keys are closed and collects every fault.
type Reader struct {
	Options
	Faults []diag.Diagnostic
}

// Document parses a file that holds a mapping; nil when it is empty or cannot be
// read. Faults may be there all the same.
func (r *Reader) Document(data []byte) *yaml.Node {
	doc, faults := Parse(data, r.Options)
	r.Faults = append(r.Faults, faults...)
	if doc == nil || !r.isMapping(doc.Content[0]) {
		return nil
	}
	return doc
}

// Fault reports what is wrong at a node; nil is the file. What the parser has
// refused already is not reported again.
func (r *Reader) Fault(n *yaml.Node, hint, format string, args ...any) {
	if n == nil {
		n = &yaml.Node{}
	}
	if n.Kind != yaml.AliasNode {
		r.Faults = r.add(r.Faults, r.diagnostic(n.Line, n.Column, fmt.Sprintf(format, args...), hint))
	}
}

// WrongType reports a value that is not what is wanted, such as "a list".
func (r *Reader) WrongType(n *yaml.Node, want, hint string) {
	r.Fault(n, hint, "the value must be %s, not %s", want, Type(n))
}

func (r *Reader) isMapping(n *yaml.Node) bool {
	if n.Kind != yaml.MappingNode {
		r.WrongType(n, "a map", `write "key: value" lines`)
		return false
	}
	return true
}

// Mapping hands each value of a mapping to the reader of its key. The prefix,
// such as "site.", is before keys in messages. It is false when n is not a
// mapping.
func (r *Reader) Mapping(n *yaml.Node, prefix string, keys Keys) bool {
	if !r.isMapping(n) {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch read, known := keys[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			// The parser has refused it.
		case !known:
			names := slices.Sorted(maps.Keys(keys))
			hint := "write one of " + strings.Join(names, ", ")
			if near := nearest.Name(key.Value, names); near != "" {
				hint = fmt.Sprintf("did you mean %q?", prefix+near)
			}
			r.Fault(key, hint, "the key %q is not known", prefix+shown(key.Value))
		case value.Kind != yaml.AliasNode:
			read(value)
		}
	}
	return true
}

// Section reads a mapping below a key; no value is an empty one.
func (r *Reader) Section(name string, keys Keys) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || Type(n) != Null {
			r.Mapping(n, name+".", keys)
		}
	}
}

// Text reads a string.
func (r *Reader) Text(field *string) func(*yaml.Node) {
	return r.Checked(field, Any)
}

// Checked reads a string and refuses one that check refuses. An error of
// check may carry a hint.
func (r *Reader) Checked(field *string, check func(string) error) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if Type(n) != String {
			r.WrongType(n, String.String(), "put text in quotes when it looks like something else")
			return
		}
		if err := check(n.Value); err != nil {
			r.Fault(n, diag.HintOf(err), "%v", err)
			return
		}
		*field = n.Value
	}
}

// Bool reads true or false; never yes or on.
func (r *Reader) Bool(field *bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if Type(n) != Bool {
			r.WrongType(n, "true or false", "write true or false, without quotes")
			return
		}
		*field = strings.EqualFold(n.Value, "true")
	}
}

// Whole reads a whole number that is not below least.
func (r *Reader) Whole(field *int, least int) func(*yaml.Node) {
	return func(n *yaml.Node) {
		number, ok := amount.Whole(n.Value)
		if !ok || Type(n) != Number || number < int64(least) {
			found := Type(n).String()
			if Type(n) == Number {
				found = shown(n.Value)
			}
			r.Fault(n, "write the number without quotes and fractions", "the value must be a whole number from %d on, not %s", least, found)
			return
		}
		*field = int(number)
	}
}

// Each reads the elements of a list of at most the given number; 0 means no limit.
func (r *Reader) Each(most int, read func(*yaml.Node)) func(*yaml.Node) {
	return func(n *yaml.Node) {
		switch {
		case n.Kind != yaml.SequenceNode:
			r.WrongType(n, List.String(), "write one a line, each after a dash")
		case most > 0 && len(n.Content) > most:
			r.Fault(n, "shorten the list", "the list has more than %d elements", most)
		default:
			for _, item := range n.Content {
				read(item)
			}
		}
	}
}

// List reads a list of strings, each checked.
func (r *Reader) List(field *[]string, check func(string) error) func(*yaml.Node) {
	return func(n *yaml.Node) {
		items := []string{}
		r.Each(0, func(item *yaml.Node) {
			var text string
			r.Checked(&text, check)(item)
			items = append(items, text)
		})(n)
		*field = items
	}
}

// Any is the check of strings that may be anything.
func Any(string) error { return nil }
