// Package scratch makes temporary files and directories that no run leaves for good, not
// even one that was killed: the next that makes one removes what has no owner any more.
// Programs that a checkout must not choose or mislead are found and run here.
package scratch
