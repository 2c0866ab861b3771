package strictyaml

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

	"github.com/packgen/packgen/compiler/diag"
)

const (
	// MaxDepth is how deep lists and mappings may nest.
	MaxDepth = 32
	// maxFaults is how many faults of the YAML of one file are reported.
	maxFaults = 50
)

// Options say what a file is and what it may hold.
type Options struct {
	ID   string // rule id of the diagnostics
	Path string // file, for the diagnostics
	// Aliases is how many nodes aliases may add to the document. 0 refuses
	// aliases and anchors, tags outside the core schema and keys that are not
	// scalars; a file that may have aliases may have these too, and nest as deep
	// as it likes.
	Aliases int
	Prefix  string // is before each message
}

// Parse reads the one YAML document of a file: UTF-8, with or without a
// byte-order mark. It returns the document node, or nil when the file holds
// nothing or cannot be read. With some faults, such as a key given twice, the
// document is returned all the same, so that more faults can be found in it; it
// must not be used. The Line and Column of every node are places in the file as
// editors count them: lines end at LF, columns count bytes, both from 1.
func Parse(data []byte, o Options) (doc *yaml.Node, faults []diag.Diagnostic) {
	p := &parser{Options: o}
	// The YAML library reports its faults by panics that it recovers itself;
	// this is for those it does not, so that a hostile file stays a finding.
	defer func() {
		if recover() != nil {
			doc, faults = nil, []diag.Diagnostic{p.diagnostic(1, 1, "this is not valid YAML", yamlHint)}
		}
	}()
	doc = p.parse(data)
	return doc, p.faults
}

// parser collects what is wrong with one file.
type parser struct {
	Options
	places *places
	faults []diag.Diagnostic
}

func (o *Options) diagnostic(line, column int, message, hint string) diag.Diagnostic {
	return diag.Diagnostic{
		ID: o.ID, Severity: diag.Error, Path: o.Path,
		Line: line, Column: column, Message: o.Prefix + message, Hint: hint,
	}
}

// add appends a fault, as long as there are not too many.
func (o *Options) add(faults []diag.Diagnostic, d diag.Diagnostic) []diag.Diagnostic {
	switch n := len(faults); {
	case n < maxFaults:
		return append(faults, d)
	case n == maxFaults:
		return append(faults, o.diagnostic(0, 0, "there are more faults", "correct these first"))
	}
	return faults
}

func (p *parser) fault(n *yaml.Node, hint, format string, args ...any) {
	p.faults = p.add(p.faults, p.diagnostic(n.Line, n.Column, fmt.Sprintf(format, args...), hint))
}

func (p *parser) parse(data []byte) *yaml.Node {
	p.places = newPlaces(data)
	data = p.places.data
	if line := InvalidLine(data); line > 0 {
		p.fault(&yaml.Node{Line: line, Column: 1}, "save it as UTF-8 text", "the file is not UTF-8 text")
		return nil
	}
	decoder := yaml.NewDecoder(bytes.NewReader(asVersion11(data)))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		p.syntax(err)
		return nil
	}
	if err := decoder.Decode(&second); err == nil {
		p.places.set(&second)
		p.fault(&second, `remove the line "..." or "---" inside`, "there is more than one YAML document")
		return nil
	} else if !errors.Is(err, io.EOF) {
		p.syntax(err)
		return nil
	}
	if len(doc.Content) == 0 {
		return nil
	}
	p.places.set(&doc)
	p.node(doc.Content[0], 1)
	if p.Aliases > 0 {
		p.expansion(&doc)
	}
	if root := doc.Content[0]; len(p.faults) == 0 && root.Kind == yaml.ScalarNode && Type(root) == Null {
		return nil
	}
	return &doc
}

// InvalidLine returns the line, from 1 on, of the first byte that is not UTF-8;
// 0 when the text is.
func InvalidLine(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return 1 + bytes.Count(text[:i], []byte("\n"))
		}
		i += size
	}
	return 0
}

// version12 finds the directive that opens a file of YAML 1.2; only comments may
// come before it.
var version12 = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\A(?:[ \t]*(?:#[^\n]*)?\n)*%YAML[ \t]+1\.2`) })

// asVersion11 names the version that the library knows in place of 1.2, which it
// refuses although it reads the same. No place in the file moves.
func asVersion11(data []byte) []byte {
	if !bytes.Contains(data, []byte("%YAML")) {
		return data
	}
	at := version12().FindIndex(data)
	if at == nil {
		return data
	}
	data = bytes.Clone(data)
	data[at[1]-1] = '1'
	return data
}

// syntax reports an error of the YAML library, which carries its place only in
// its text: "yaml: line 3: message". Without a line it is the first.
func (p *parser) syntax(err error) {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if number, message, ok := strings.Cut(rest, ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				line, text = n, message
			}
		}
	}
	if line == 0 || countsFromZero(text) {
		line++
	}
	message, hint := "this is not valid YAML: "+shown(text), yamlHint
	if p.Prefix != "" { // it says so
		message = shown(text)
	}
	switch {
	case strings.HasPrefix(text, "unknown anchor '"):
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "unknown anchor '"), "'")
		before, _, _ := bytes.Cut(p.places.data, []byte("*"+name))
		line = bytes.Count(before, []byte("\n")) + 1
		message, hint = fmt.Sprintf("alias *%s has no anchor", shown(name)), "write the value out, or quote it"
	case strings.Contains(text, "mapping values are not allowed"):
		hint = `quote a value that holds ": "`
	case strings.Contains(text, "cannot start any token") && p.places.indentedByTab(line):
		message, hint = "the line is indented with a tab; YAML allows only spaces", "indent the line with spaces"
	case strings.Contains(text, "cannot start any token"):
		hint = "quote a value that starts with a special character, and indent with spaces"
	}
	line, column := p.places.of(line, 0)
	p.fault(&yaml.Node{Line: line, Column: column}, hint, "%s", message)
}

// yamlHint says what to do about YAML of which only the library knows what is wrong.
const yamlHint = "correct the YAML there, or in the line before"

// countsFromZero reports the messages for which the library counts lines from 0:
// those of its parser, not those of its scanner.
func countsFromZero(message string) bool {
	switch message {
	case "did not find expected <document start>", "did not find expected node content", "did not find expected '-' indicator",
		"did not find expected key", "did not find expected ',' or ']'", "did not find expected ',' or '}'",
		"found undefined tag handle", "found duplicate %YAML directive", "found incompatible YAML document", "found duplicate %TAG directive":
		return true
	}
	return false
}

// node reports what is refused at a node and below it. Aliases are not entered:
// their target is visited where it is written.
func (p *parser) node(n *yaml.Node, depth int) {
	if p.Aliases == 0 {
		switch {
		case n.Kind == yaml.AliasNode:
			p.fault(n, "write the value out", "alias *%s is not allowed", shown(n.Value))
			return
		case n.Anchor != "":
			p.fault(n, "remove the anchor", "anchor &%s is not allowed", shown(n.Anchor))
		}
		if n.Style&yaml.TaggedStyle != 0 && !coreTag(n.Tag) {
			p.fault(n, "remove the tag", "tag %s is not allowed", shown(n.Tag))
		}
		if depth > MaxDepth {
			p.fault(n, "write it with fewer levels", "the YAML is nested deeper than %d levels", MaxDepth)
			return
		}
	}
	if n.Kind == yaml.MappingNode {
		p.keys(n)
	}
	for _, child := range n.Content {
		p.node(child, depth+1)
	}
}

// keys reports keys given twice and keys that are not text.
func (p *parser) keys(n *yaml.Node) {
	type id struct{ tag, value string }
	seen := make(map[id]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Value == "" {
			if p.Aliases == 0 && key.Kind != yaml.AliasNode {
				p.fault(key, "write the key as one word, or in quotes", "a key must be text")
			}
			continue
		}
		k := id{value: key.Value}
		if p.Aliases > 0 {
			k.tag = key.ShortTag() // 1 and "1" are two keys
		}
		if first, twice := seen[k]; twice {
			p.fault(key, "keep one of them", "%s", diag.GivenTwice(shown(key.Value), first))
			continue
		}
		seen[k] = key.Line
	}
}

// coreTag reports whether a short tag names a type of the core schema.
func coreTag(tag string) bool {
	switch tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map":
		return true
	}
	return false
}

// expansion reports an alias that contains itself, or that aliases add more
// nodes than they may. Each node is visited once.
func (p *parser) expansion(doc *yaml.Node) {
	const open = -1
	most := 1 << 24               // sizes stop here, so that they cannot overflow
	sizes := map[*yaml.Node]int{} // nodes below and including, aliases expanded
	loops := false
	var size func(n *yaml.Node) int
	size = func(n *yaml.Node) int {
		if s, done := sizes[n]; done {
			return s
		}
		sizes[n] = open
		total := 1
		for _, child := range n.Content {
			total = min(total+size(child), most)
		}
		if n.Kind == yaml.AliasNode {
			switch s := size(n.Alias); {
			case s != open:
				total = min(total+s, most)
			case !loops:
				loops = true
				p.fault(n, "write the value out", "alias *%s contains itself", shown(n.Value))
			}
		}
		sizes[n] = total
		return total
	}
	if expanded := size(doc); !loops && expanded-len(sizes) > p.Aliases {
		p.fault(&yaml.Node{Line: 1, Column: 1}, "write the values out", "aliases add more than %d nodes", p.Aliases)
	}
}

// shown makes text from a file fit for a message: not longer than 200
// characters. What is invisible is escaped where the message is printed.
func shown(text string) string {
	n := 0
	for i := range text {
		if n++; n > 200 {
			return text[:i] + "…"
		}
	}
	return text
}
