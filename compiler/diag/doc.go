// Package diag holds diagnostics: what is wrong, or worth knowing, in a file
// that a user wrote.
//
// A fault in a user's file is a [Diagnostic] with a stable id and a place. A Go
// error is for work that could not be done at all.
package diag
