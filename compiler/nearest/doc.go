// Package nearest finds the name that a misspelt one was most likely meant to be,
// for hints such as "did you mean".
package nearest
