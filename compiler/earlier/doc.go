// Package earlier reads what earlier runs left of a pack: the files below
// compiled/, indexes/ and runs/, in the pack or in the directory that is
// before it, and how they compare with what a run wants there. Reads cannot leave
// those directories.
package earlier
