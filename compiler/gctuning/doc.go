// Package gctuning tunes Go's garbage collector for a command that mostly ends before
// collecting would pay: hardly before main, seldom in a short command, and within the
// memory that a build needs. It imports the standard library alone, so that it comes
// early when a program sets itself up.
package gctuning
