// Package scratch makes temporary files and directories that no run leaves for good, not
// even one that was killed: the next that makes one removes what has no owner any more.
package scratch
