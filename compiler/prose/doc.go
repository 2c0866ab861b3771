// Package prose reads text without a parser, as far as a scan needs it: words
// and sentences, and where Markdown quotes what it says. All of it is linear in
// the text.
package prose
