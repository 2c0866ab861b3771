// Package model is what the pages of a site know of a pack and of each other: pages and
// folders in the author's order, links between them, claims and their sources, what is
// stale or disputed, the runs of the compiler. [Of] reads it from a compiled pack; after
// that nothing of it changes.
package model
