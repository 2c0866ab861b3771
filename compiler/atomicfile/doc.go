// Package atomicfile reads and writes single files so that no reader ever sees half
// of one: a reader finds the old bytes or the new ones, whenever it looks and
// whatever happens to the writer.
package atomicfile
