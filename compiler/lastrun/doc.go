// Package lastrun reads what earlier runs left in a pack, its outputs and run records,
// and compares the outputs with what a run wants in their place. Reads cannot leave
// the directories of the outputs.
package lastrun
