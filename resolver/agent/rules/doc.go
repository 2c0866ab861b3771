// Package rules splits an instruction file, such as a CLAUDE.md, into a short
// file that always loads and rule files that load when a task needs them
// (loadout section 20).
//
// Analyzing proposes, planning decides, splitting carries out. No line is ever lost: each
// line of the original is in the new file or in exactly one rule file, and a
// split either happens as a whole or not at all.
//
// It is one package because the steps share the sections and their proposals: an index
// that is made again, a check, and a split that continues after a kill all compare a rule
// file with what a split would write.
package rules
