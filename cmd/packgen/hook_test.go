package main

import (
	"strings"
	"testing"
)

func TestSubcommandsOfTheHook(t *testing.T) {
	for line, want := range map[string]bool{"install": true, "--project x test": true, "uninstal": true, "quietly": false, "--reserve 2 uninstall": true, "--time-limit 1s --reserve": false, "--inject": false} {
		if got := namesVerb(strings.Fields(line)); got != want {
			t.Errorf("%q: a subcommand %t", line, got)
		}
	}
}
