package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/resolver/agent/hook"
)

func TestFlagsOfThePromptHook(t *testing.T) {
	dir, err := filepath.Abs("install")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]hook.Options{
		"":                            {},
		"--project install":           {Project: dir},
		"--project=install":           {Project: dir},
		"--reserve 2 --record-misses": {Reserve: 2, RecordMisses: true},
		"--record-misses=false":       {},
		"--record-misses=true":        {RecordMisses: true},
		"--time-limit 1s --reserve":   {TimeLimit: time.Second},
		"--time-limit -1s":            {},
		"--reserve many --else x":     {},
	} {
		args := strings.Fields(line)
		if namesVerb(args) {
			t.Errorf("%q is taken for a subcommand", line)
		}
		if got := hookOptions(args); got.Project != want.Project || got.Reserve != want.Reserve || got.RecordMisses != want.RecordMisses || got.TimeLimit != want.TimeLimit {
			t.Errorf("%q gives %+v", line, got)
		}
	}
	for line, want := range map[string]bool{"install": true, "--project x test": true, "uninstal": true, "quietly": false, "--reserve 2 uninstall": true} {
		if got := namesVerb(strings.Fields(line)); got != want {
			t.Errorf("%q: a subcommand %t", line, got)
		}
	}
}
