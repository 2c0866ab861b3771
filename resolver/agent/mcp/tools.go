package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
)

// addTools adds all tools. Each says in its description what it needs of the model.
func (s *service) addTools() {
	tool(s, "resolve_context", "Select context for a task",
		"Return the smallest useful text from the knowledge packs for a task, fenced as data, with what was selected and what is missing. It matches words: put search words and synonyms into also, and one question for each part of the task, of at most 60 tokens each.",
		s.resolveContext)
	tool(s, "match_knowledge", "Match index entries",
		"List the entries of the built index that a task selects, best first, with the words that hit. It reads no text; read_entry gives that of an entry.",
		s.matchKnowledge)
	tool(s, "explain_match", "Explain a match",
		"Say why an entry of the built index is or is not selected by a task, and the smallest change that would flip that.",
		s.explainMatch)
	tool(s, "read_entry", "Read a text",
		"Read a text of a pack, fenced as data: by the id of an index entry, or by a path such as handbook:documents/returns.md. Long texts are read in parts: continue at next_offset.",
		s.readEntry)
	tool(s, "search", "Search the packs",
		"Search the knowledge packs and list the texts that fit, best first. It matches words: write search words and synonyms, and one question for each part, of at most 60 tokens each. Then fetch the texts by id.",
		s.search)
	tool(s, "fetch", "Fetch a text",
		"Return a text of a pack by the id that search gave, fenced as data.",
		s.fetch)
}

// tool adds one tool. All of them read, and give the same answer again.
func tool[In, Out any](s *service, name, title, description string, answer func(context.Context, In) (Out, string, error)) {
	closed := false
	s.arguments[name] = argumentsOf(reflect.TypeFor[In]())
	sdk.AddTool(s.server, &sdk.Tool{
		Name: name, Title: title, Description: description, InputSchema: schemaOf(s.arguments[name]),
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed, Title: title},
	}, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		out, text, err := answer(ctx, in)
		if err != nil {
			return nil, out, withHint(err)
		}
		if text == "" {
			return nil, out, nil // the structured answer, as text too
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, out, nil
	})
}

// kind is what an argument of a tool holds, in the words of JSON Schema.
type kind string

// The kinds of arguments.
const (
	text    kind = "string"
	whole   kind = "integer"
	figure  kind = "number"
	listing kind = "array" // of texts
)

// plain says in words what a kind is.
func (k kind) plain() string {
	return map[kind]string{text: "a text", whole: "a whole number", figure: "a number", listing: "a list of texts"}[k]
}

// argument is one argument of a tool.
type argument struct {
	name, about string
	kind        kind
	required    bool
	words       []string // the only values of a text; nil for any
}

// argumentsOf reads the arguments of a tool from its input: from the tags json, jsonschema and
// words of the fields.
func argumentsOf(input reflect.Type) []argument {
	var list []argument
	for i := range input.NumField() {
		f := input.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		a := argument{name: name, about: f.Tag.Get("jsonschema"), required: options != "omitempty", kind: text}
		switch f.Type.Kind() {
		case reflect.Int:
			a.kind = whole
		case reflect.Pointer:
			a.kind = figure
		case reflect.Slice:
			a.kind = listing
		}
		if words := f.Tag.Get("words"); words != "" {
			a.words = strings.Fields(words)
		}
		list = append(list, a)
	}
	return list
}

// schemaOf is the JSON Schema of arguments. What is clear without being of it is accepted too:
// many clients send null for what they leave out, or write a list as a text.
func schemaOf(list []argument) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, a := range list {
		p := map[string]any{"type": string(a.kind), "description": a.about}
		if a.kind == listing {
			p["items"] = map[string]any{"type": string(text)}
		}
		if a.words != nil {
			p["enum"] = a.words
		}
		if a.required {
			required = append(required, a.name)
		}
		properties[a.name] = p
	}
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

// readArguments makes the arguments of each call what the schema of its tool says, or answers
// with a sentence that says which one is wrong.
func (s *service) readArguments(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		p, ok := req.GetParams().(*sdk.CallToolParamsRaw)
		if !ok || p == nil || s.arguments[p.Name] == nil {
			return next(ctx, method, req)
		}
		given, err := plainArguments(p.Name, s.arguments[p.Name], p.Arguments)
		if err != nil {
			return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: withHint(err).Error()}}}, nil
		}
		p.Arguments = given
		return next(ctx, method, req)
	}
}

// plainArguments returns the arguments of a call as the schema has them.
func plainArguments(tool string, list []argument, raw json.RawMessage) (json.RawMessage, error) {
	given, err := objectOf(raw)
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("the arguments of %s are not an object", tool), `write an object such as {"%s": "…"}`, list[0].name)
	}
	if err := checkNames(tool, list, given); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, a := range list {
		value, err := a.read(given[a.name])
		switch {
		case err != nil:
			return nil, diag.WithHint(fmt.Errorf("%s of %s is %s: %w", a.name, tool, a.kind.plain(), err), "write %s", a.about)
		case value != nil:
			out[a.name] = value
		case a.required:
			return nil, diag.WithHint(fmt.Errorf("%s needs %s", tool, a.name), "write %s", a.about)
		}
	}
	return json.Marshal(out)
}

// objectOf reads an object, also one that is written as a text; no text is an empty one.
func objectOf(raw json.RawMessage) (map[string]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, nil
	}
	value, err := valueOf(raw)
	if err != nil {
		return nil, err
	}
	if written, ok := value.(string); ok {
		if value, err = valueOf([]byte(written)); err != nil {
			return nil, err
		}
	}
	object, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, errors.New("it is not an object")
	}
	return object, nil
}

// valueOf reads a JSON value; numbers keep their digits.
func valueOf(raw []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("text follows the value")
	}
	return value, nil
}

// checkNames refuses the first argument, in order of names, that a tool does not have.
func checkNames(tool string, list []argument, given map[string]any) error {
	var known, unknown []string
	for _, a := range list {
		known = append(known, a.name)
	}
	for name, value := range given {
		if value != nil && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if unknown == nil {
		return nil
	}
	first := slices.Min(unknown)
	err := fmt.Errorf("%s has no argument %q", tool, shortened(first, maxLabel))
	if near := nearest.Name(first, known); near != "" {
		return diag.WithHint(err, "did you mean %s?", near)
	}
	return diag.WithHint(err, "name one of %s", strings.Join(known, ", "))
}

// read returns the value of an argument: nil for one that is left out. An empty text leaves out
// all but a text.
func (a *argument) read(value any) (any, error) {
	written, isText := value.(string)
	if value == nil || isText && a.kind != text && strings.TrimSpace(written) == "" {
		return nil, nil
	}
	switch a.kind {
	case whole, figure:
		return a.number(value)
	case listing:
		return a.list(value)
	}
	if list, ok := value.([]any); ok && len(list) == 1 {
		written, isText = list[0].(string)
	}
	switch {
	case !isText:
		return nil, fmt.Errorf("%s was given", nameOf(value))
	case a.words == nil:
		return written, nil
	}
	return a.word(written)
}

// word returns the word that a text is but for blanks and capitals.
func (a *argument) word(written string) (any, error) {
	written = strings.TrimSpace(written)
	if i := slices.IndexFunc(a.words, func(word string) bool { return strings.EqualFold(word, written) }); i >= 0 {
		return a.words[i], nil
	}
	if written == "" {
		return nil, nil
	}
	return nil, fmt.Errorf("%q is not one of %s", shortened(written, 40), strings.Join(a.words, ", "))
}

// number reads a number, also one that is written as a text.
func (a *argument) number(value any) (any, error) {
	digits := ""
	switch v := value.(type) {
	case json.Number:
		digits = v.String()
	case string:
		digits = strings.TrimSpace(v)
	}
	f, err := strconv.ParseFloat(digits, 64)
	switch {
	case digits == "":
		return nil, fmt.Errorf("%s was given", nameOf(value))
	case err != nil || math.IsNaN(f) || math.IsInf(f, 0):
		return nil, fmt.Errorf("%q is not one", shortened(digits, 40))
	case a.kind == figure:
		return f, nil
	case f != math.Trunc(f):
		return nil, fmt.Errorf("%s is not one", shortened(digits, 40))
	case f > math.MaxInt32 || f < math.MinInt32:
		return nil, fmt.Errorf("%s is out of range", shortened(digits, 40))
	}
	return int64(f), nil
}

// list reads a list of texts: also one text alone, and a list that is written as a text. Names
// of packs may have commas between them, since no name has one.
func (a *argument) list(value any) (any, error) {
	if written, ok := value.(string); ok {
		inner, err := valueOf([]byte(written))
		if items, isList := inner.([]any); err == nil && isList {
			return a.list(items)
		}
		if a.name != "packs" {
			return []string{written}, nil
		}
		var names []string
		for name := range strings.SplitSeq(written, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
		return names, nil
	}
	items, ok := value.([]any)
	if !ok {
		return nil, fmt.Errorf("%s was given", nameOf(value))
	}
	texts := []string{}
	for _, item := range items {
		switch v := item.(type) {
		case string:
			texts = append(texts, v)
		case nil:
		default:
			return nil, fmt.Errorf("%s is in it", nameOf(item))
		}
	}
	return texts, nil
}

// nameOf says in words what a JSON value is.
func nameOf(value any) string {
	switch value.(type) {
	case bool:
		return "true or false"
	case json.Number:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	}
	return "an object"
}

// batchVersion is the one version of the protocol that has batches: several messages in
// one line, of which the answers are one line too.
const batchVersion = "2025-03-26"

// item is a message that was read, and the batch that it is of; nil when it came alone.
type item struct {
	message jsonrpc.Message
	batch   *batch
}

// batch collects the answers to the requests of a batch. Its lock is that of the
// connection's requests.
type batch struct {
	left    int // requests without an answer
	answers [][]byte
}

// deliver hands a message on; false when the connection is closed.
func (c *lineConn) deliver(i item) bool {
	select {
	case c.incoming <- i:
		return true
	case <-c.closed:
		return false
	}
}

// receiveBatch decodes a line that is a list of messages and hands them on; false when
// the connection is closed. What is not a message is answered with an error in the answer
// to the batch.
func (c *lineConn) receiveBatch(line []byte) bool {
	if version, _ := c.version.Load().(string); version != batchVersion {
		c.refuse(codeInvalid, nil, "batches are not read: send each message in a line of its own")
		return true
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(line, &parts); err != nil || len(parts) == 0 || len(parts) > maxCalls {
		c.refuse(codeInvalid, nil, fmt.Sprintf("a batch has 1 to %d messages", maxCalls))
		return true
	}
	b := &batch{}
	var list []item
	for _, part := range parts {
		m, why := decoded(part)
		r, isRequest := m.(*jsonrpc.Request)
		switch {
		case why != "":
			b.answers = append(b.answers, fault(codeInvalid, idOf(part), why))
		case isRequest && r.Method == "initialize":
			b.answers = append(b.answers, fault(codeInvalid, idOf(part), "initialize is not part of a batch"))
		case isRequest && r.IsCall():
			b.left++
			list = append(list, item{m, b})
		default:
			list = append(list, item{m, nil})
		}
	}
	if b.left == 0 && len(b.answers) > 0 {
		_ = c.writeLine(b.text())
	}
	for _, i := range list {
		if !c.deliver(i) {
			return false
		}
	}
	return true
}

// text is the answer to a batch.
func (b *batch) text() []byte {
	return append(append([]byte{'['}, bytes.Join(b.answers, []byte{','})...), ']')
}

// add notes the answer to a request of a batch, and returns what is to be written: nil as
// long as others have none.
func (c *lineConn) add(b *batch, answer []byte) []byte {
	c.asking.Lock()
	defer c.asking.Unlock()
	b.answers = append(b.answers, answer)
	if b.left--; b.left > 0 {
		return nil
	}
	return b.text()
}

// note keeps the version of the protocol that a session starts with.
func (c *lineConn) note(r *jsonrpc.Response) {
	if c.version.Load() != nil || len(r.Result) == 0 {
		return
	}
	var start sdk.InitializeResult
	if json.Unmarshal(r.Result, &start) == nil && start.ProtocolVersion != "" {
		c.version.Store(start.ProtocolVersion)
	}
}
