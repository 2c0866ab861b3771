// Package build makes the site of a repository: it compiles the packs, builds the
// loadout index over all of them, generates the pages and replaces the output
// directory as a whole or not at all. What nothing has changed since the last build
// is not made again.
package build
