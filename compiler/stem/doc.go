// Package stem cuts English and Cyrillic words to what their forms have in common, for comparison
// alone: what it returns is not a word. It also finds the words that have signs, such as versions.
package stem
