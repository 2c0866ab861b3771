// Package goldentest reads the golden vectors of the loadout format for tests
// (loadout section 30). It is imported by tests alone.
package goldentest
