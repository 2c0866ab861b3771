// Package collector says when the garbage collector runs: hardly before main, seldom
// in a short command, and within what a build needs. It imports the standard library
// alone, so that it comes early when a program sets itself up.
package collector
