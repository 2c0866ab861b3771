// Package pack opens a knowledge pack on disk, safely: every read is confined
// to the pack root, and every fault of KNOWLEDGE.md becomes a diagnostic with a
// place (agent-knowledge sections 2, 3, 12 and 18.1).
package pack
