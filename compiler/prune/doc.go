// Package prune removes the run records of a pack that no later compile needs
// (agent-knowledge section 6.9).
package prune
