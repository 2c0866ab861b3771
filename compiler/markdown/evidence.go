package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/parser"
)

// Some forms mean one thing in one system and another, or nothing, on GitHub: ~x~ is
// struck there and a subscript in MkDocs. A page has such a meaning where other marks of
// that system, which GitHub does not have, are on it.

// The keys under which a document keeps what is known of its marks.
var (
	vaultKey  = parser.NewContextKey()
	mystKey   = parser.NewContextKey()
	mkdocsKey = parser.NewContextKey()
)

// isVault reports a page with links as Obsidian writes them.
func isVault(source []byte, pc parser.Context) bool {
	return hasMark(source, pc, vaultKey, "[[")
}

// isMyST reports a page with marks of MyST that no other system has.
func isMyST(source []byte, pc parser.Context) bool {
	return hasMark(source, pc, mystKey, ")=\n", "\n```{note}", "\n```{warning}", "\n```{tip}", "\n```{code-block}", "\n```{admonition}", "\n```{figure}",
		"\n```{image}", "\n```{toctree}", "\n```{include}", "\n:::{", "{ref}`", "{doc}`", "{term}`", "{eq}`", "{numref}`", "{cite:")
}

// isMkDocs reports a page with marks of MkDocs and its extensions.
func isMkDocs(source []byte, pc parser.Context) bool {
	return hasMark(source, pc, mkdocsKey, "\n!!! ", "\n??? ", "\n=== \"", "\n/// ", "--8<--", "{ .", "{ #", "{: ",
		":material-", ":octicons-", ":fontawesome-", ":simple-", "++ctrl", "{++", "{--", "{~~", "{>>", "^^", "<!-- md:", "\n::: {")
}

// hasMark reports whether one of some marks is in a document, which is looked through once.
func hasMark(source []byte, pc parser.Context, key parser.ContextKey, marks ...string) bool {
	known, ok := pc.Get(key).(bool)
	if ok {
		return known
	}
	for _, mark := range marks {
		known = known || bytes.Contains(source, []byte(mark))
	}
	pc.Set(key, known)
	return known
}
