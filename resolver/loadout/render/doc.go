// Package render writes what the loadout answers as text for people: matches with their
// arithmetic, plans, layers, explanations, figures of use.
package render
