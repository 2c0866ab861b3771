// Package stem cuts English and Cyrillic words to what their forms have in common, for comparison
// alone: what it returns is not a word.
package stem
