// Package grammar runs the rules of chroma's lexers in its own way.
//
// It is here although chroma runs them too, for two reasons. Lexing is by far the
// slowest thing that a first build does: with chroma's own loop the whole build of
// 1,000 pages that are half code takes a fifth more processor time. And chroma gives
// up on a match by the clock, in silence, so that a busy machine would write other
// pages than an idle one. Every lexer is compared with chroma's own tokens in tests.
package grammar
