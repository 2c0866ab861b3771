package mcp

import (
	"context"
	"reflect"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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
