//go:build race

package packgentest

// Race: the tests look for data races, and so do the programs they start.
const Race = true
