package boot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlFault is a fault of the YAML itself, at a place counted as YAML counts.
type yamlFault struct {
	node *yaml.Node // where, or nil
	line int        // 1-based line when node is nil; 0 when unknown
	text string
}

// readDocument returns the root node of the one YAML document in data, or nil
// when there is none. It refuses what a lax reader would let pass: a second
// document, duplicate keys, and aliases that contain themselves or add more
// than [MaxAliasNodes] nodes (boot.yml section 2).
func readDocument(data []byte) (root *yaml.Node, faults []yamlFault) {
	defer func() {
		if v := recover(); v != nil {
			root, faults = nil, []yamlFault{{text: "the YAML reader could not make sense of it"}}
		}
	}()
	if !utf8.Valid(data) {
		return nil, []yamlFault{{line: 1 + bytes.Count(validPrefix(data), []byte("\n")), text: "the file is not UTF-8"}}
	}
	dec := yaml.NewDecoder(bytes.NewReader(asVersion11(data)))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, []yamlFault{faultOf(err)}
	}
	switch err := dec.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return nil, []yamlFault{faultOf(err)}
	default:
		return nil, []yamlFault{{node: &second, text: "more than one document in the file"}}
	}
	faults = duplicateKeys(&doc, nil)
	if at := aliasFault(&doc); at != nil {
		faults = append(faults, *at)
	}
	if len(faults) > 0 || len(doc.Content) == 0 {
		return nil, faults
	}
	return doc.Content[0], nil
}

// validPrefix returns the part of data before its first byte that is not UTF-8.
func validPrefix(data []byte) []byte {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return data[:i]
		}
		i += size
	}
	return data
}

var yamlLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:line (\d+): )?(?s:(.*))$`)
})

// version12 finds the directive that opens a file of YAML 1.2; only comments may
// stand before it.
var version12 = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(?:[ \t]*(?:#[^\n]*)?\n)*%YAML[ \t]+1\.2`) })

// asVersion11 names the version that the reader knows in place of 1.2, which it
// refuses although it reads what a boot.yml holds the same way. No place in the
// file moves.
func asVersion11(data []byte) []byte {
	at := version12().FindIndex(data)
	if at == nil {
		return data
	}
	data = bytes.Clone(data)
	data[at[1]-1] = '1'
	return data
}

// faultOf turns an error of the YAML package, which carries its place only in
// its text, into a fault.
func faultOf(err error) yamlFault {
	m := yamlLine().FindStringSubmatch(strings.TrimPrefix(err.Error(), "yaml: "))
	line, _ := strconv.Atoi(m[1])
	if line == 0 || ofGrammar(m[2]) {
		line++
	}
	return yamlFault{line: line, text: show(m[2])}
}

// ofGrammar reports the errors for which the YAML package counts lines from 0,
// and leaves line 0 out.
func ofGrammar(text string) bool {
	switch text {
	case "did not find expected <document start>", "did not find expected node content", "did not find expected '-' indicator",
		"did not find expected key", "did not find expected ',' or ']'", "did not find expected ',' or '}'",
		"found undefined tag handle", "found duplicate %YAML directive", "found incompatible YAML document", "found duplicate %TAG directive":
		return true
	}
	return false
}

// duplicateKeys collects the keys that occur twice in one mapping, anywhere in
// the document. Aliases are not entered: their target is visited where it stands.
func duplicateKeys(n *yaml.Node, faults []yamlFault) []yamlFault {
	if n.Kind == yaml.MappingNode {
		seen := make(map[[2]string]int, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode {
				continue
			}
			id := [2]string{key.ShortTag(), key.Value}
			if first, twice := seen[id]; twice {
				faults = append(faults, yamlFault{node: key,
					text: fmt.Sprintf("key %s stands twice, first in line %d", quote(key.Value), first)})
				continue
			}
			seen[id] = key.Line
		}
	}
	for _, child := range n.Content {
		faults = duplicateKeys(child, faults)
	}
	return faults
}

// aliasFault reports an alias that contains itself, or the alias with which the
// nodes added by aliases pass [MaxAliasNodes]. Each node is visited once.
func aliasFault(doc *yaml.Node) *yamlFault {
	const open = -1
	sizes := map[*yaml.Node]int{} // nodes below and including, aliases expanded; capped
	var fault *yamlFault
	var size func(n *yaml.Node) int
	size = func(n *yaml.Node) int {
		if s, done := sizes[n]; done {
			return s
		}
		sizes[n] = open
		total := 1
		for _, child := range n.Content {
			total = min(total+size(child), 4*MaxConfigBytes)
		}
		if n.Kind == yaml.AliasNode {
			switch s := size(n.Alias); {
			case s == open && fault == nil:
				fault = &yamlFault{node: n, text: fmt.Sprintf("alias %s contains itself", quote(n.Value))}
			case s != open:
				total = min(total+s, 4*MaxConfigBytes)
			}
		}
		sizes[n] = total
		return total
	}
	expanded := size(doc)
	if fault != nil {
		return fault
	}
	if expanded-len(sizes) > MaxAliasNodes {
		return &yamlFault{line: 1, text: fmt.Sprintf("its aliases add more than %d nodes", MaxAliasNodes)}
	}
	return nil
}

// deref follows an alias to the node it stands for.
func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// isNull reports whether a node is a key's missing value, or null written out.
func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// lineTable turns places as YAML counts them (lines also end at CR, NEL, LS and
// PS; columns count characters) into places as editors count them (lines end at
// LF; columns count bytes).
type lineTable struct {
	data   []byte
	starts []int // byte offset of each line as YAML counts
	lf     []int // line feeds before each of these offsets
}

func newLineTable(data []byte) *lineTable {
	t := &lineTable{data: data, starts: []int{0}, lf: []int{0}}
	lf := 0
	for i := 0; i < len(data); {
		size := breakSize(data[i:])
		if size == 0 {
			i++
			continue
		}
		if data[i+size-1] == '\n' {
			lf++
		}
		i += size
		t.starts, t.lf = append(t.starts, i), append(t.lf, lf)
	}
	return t
}

// breakSize returns the bytes of the YAML line break that starts text, or 0.
func breakSize(text []byte) int {
	switch {
	case text[0] == '\r' && len(text) > 1 && text[1] == '\n':
		return 2
	case text[0] == '\n', text[0] == '\r':
		return 1
	case bytes.HasPrefix(text, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(text, []byte("\u2028")), bytes.HasPrefix(text, []byte("\u2029")):
		return 3
	}
	return 0
}

// place converts; a column of 0 asks for the first character that is no blank.
func (t *lineTable) place(line, column int) (int, int) {
	line = min(max(line, 1), len(t.starts))
	start := t.starts[line-1]
	at := start
	if column == 0 {
		for at < len(t.data) && (t.data[at] == ' ' || t.data[at] == '\t') {
			at++
		}
	}
	for ; column > 1 && at < len(t.data); column-- {
		_, size := utf8.DecodeRune(t.data[at:])
		at += size
	}
	lineStart := bytes.LastIndexByte(t.data[:at], '\n') + 1
	return t.lf[line-1] + 1, at - lineStart + 1
}
