// Package prose finds words, sentences and quotations in Markdown text without parsing
// it, in linear time.
package prose
