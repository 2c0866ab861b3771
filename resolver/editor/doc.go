// Package editor helps in editors while a pack is written: a language server (LSP 3.17)
// on standard input and output, with findings, completion, definitions, hovers,
// and edits that keep links right. It writes no file: edits go to the editor.
package editor
