// Package lexers holds chroma's lexers as data and reads them when the first one is needed.
//
// Chroma's own package of that name reads the heads of 280 XML files before main, in every
// start of a program that links it: half of the processor time of packgen version. lexers.zip
// holds the same rules, made from chroma's by the tests of this package (go test -update). What
// is not rules is in special.go. Raku is left out: its lexer is a program of 1,700 lines.
package lexers
