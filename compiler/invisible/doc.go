// Package invisible finds the characters of a text that are invisible and that nothing
// in it needs: zero-width characters, bidirectional controls, Unicode tags, runs of
// variation selectors. They carry text past a reader to a model, or turn what a
// reader sees around (agent-knowledge section 18.3).
package invisible
