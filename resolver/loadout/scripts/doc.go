// Package scripts finds words in texts of any script, those without spaces between words
// included.
package scripts
