// Package suites runs the evals that a repository keeps, in its packs and at its
// root, and writes their records and goldens.
package suites
