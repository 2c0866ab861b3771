// Package check runs every check of a repository: the rules and the health of each
// pack, what a compile would report and change, the records of evals, and the loadout
// index that would be made of all packs (agent-knowledge sections 15 and 16, loadout
// sections 16 and 17).
//
// It reads and never writes; only [fix] does, and only where that changes nothing
// that a pack says.
package check
