package faults_test

import (
	"testing"

	"github.com/packgen/packgen/compiler/torturetest"
)

// kills counts the kills of a command: few in an ordinary run, 1,000 in make torture.
func kills(t *testing.T, part string, few int) *torturetest.Count {
	t.Helper()
	if testing.Short() {
		few = min(few, 6)
	}
	return torturetest.Start(t, "kill", part, few, 1000)
}
