// Package torturetest says how often tests go through a fault, in an ordinary run and in
// make torture, and writes the fault figures of the latter, for tests.
package torturetest
