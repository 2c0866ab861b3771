// Package memory turns a MEMORY.md and the topic files it refers to into a
// loadout index (loadout section 19) and publishes it to the global layer
// (loadout section 22).
//
// A store is written by people, or by an agent on their behalf, and read without
// trust: nothing outside it is opened, links do not lead out, files are limited
// in size, and text that could forge a line of another's output is made plain.
package memory
