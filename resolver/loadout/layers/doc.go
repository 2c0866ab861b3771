// Package layers finds the layers of a loadout stack on disk, reads and merges
// them, plans what to load for a task, and keeps the usage log (loadout
// sections 12, 14 and 15). What it decides is decided by package loadout; this
// package knows files, the environment and the clock.
//
// A missing layer is normal. A layer that cannot be read, is not JSON or is not
// an index is reported in Stack.Searched and skipped; an entry of the wrong
// shape is reported in Stack.Faults and never takes its layer down.
package layers
