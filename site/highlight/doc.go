// Package highlight colours code blocks with few and short tags.
//
// A block comes out the same on every machine, however busy. What takes a lexer too
// long, breaks it, or does not come back as the text that went in is not coloured.
package highlight
