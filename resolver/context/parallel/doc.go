// Package parallel runs a function on many small items on all processors.
package parallel
