// Package build makes the site of a repository: it compiles the packs, builds the
// loadout index over all of them, generates the pages and replaces the output
// directory as a whole or not at all. What nothing has changed since the last build
// is not made again.
//
// It is one package because what is built here, on several machines, as an action of a
// remote service or for a browser that waits is one build: each takes the same steps in
// the same order, and hands on what another has made of them.
package build
