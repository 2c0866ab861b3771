package strictyaml

import (
	"regexp"
	"sync"

	"go.yaml.in/yaml/v3"
)

// ValueType is the type of a YAML value by the YAML 1.2 core schema.
type ValueType uint8

// The value types.
const (
	Null ValueType = iota
	String
	Bool
	Number
	List
	Mapping
)

// String names the type with its article, as messages use it.
func (t ValueType) String() string {
	return [...]string{"nothing", "a string", "a boolean", "a number", "a list", "a map"}[t]
}

// coreNumber matches plain numbers of the core schema.
var coreNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
})

// Type returns the type of a value. Plain scalars follow the core schema of
// YAML 1.2, not the wider rules of YAML 1.1: "yes", "on", "1_000" and dates are
// strings.
func Type(n *yaml.Node) ValueType {
	switch n.Kind {
	case yaml.SequenceNode:
		return List
	case yaml.MappingNode:
		return Mapping
	case yaml.ScalarNode:
	default:
		return Null
	}
	if n.Style&yaml.TaggedStyle != 0 {
		switch n.Tag {
		case "!!null":
			return Null
		case "!!bool":
			return Bool
		case "!!int", "!!float":
			return Number
		}
		return String
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return String
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return Null
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return Bool
	}
	if c := n.Value[0]; (c <= '9' && c != ' ') && coreNumber().MatchString(n.Value) {
		return Number
	}
	return String
}
