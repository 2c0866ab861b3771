package hook

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestArgumentsOfThePromptHook(t *testing.T) {
	dir, err := filepath.Abs("wiring")
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]Options{
		"":                            {},
		"--project wiring":            {Project: dir},
		"--project=wiring":            {Project: dir},
		"--reserve 2 --record-misses": {Reserve: 2, RecordMisses: true},
		"--record-misses=false":       {},
		"--record-misses=true":        {RecordMisses: true},
		"--time-limit 1s --reserve":   {TimeLimit: time.Second},
		"--time-limit -1s":            {},
		"--reserve many --else x":     {},
		"--inject":                    {Inject: DefaultInject},
		"--inject=800 --reserve 1":    {Inject: 800, Reserve: 1},
		"--inject=99999":              {Inject: MaxInject},
		"--inject=many":               {Inject: DefaultInject},
		"--inject=0":                  {},
		"--matcher recall":            {Matcher: "recall"},
	} {
		got := arguments(strings.Fields(line))
		if got.Project != want.Project || got.Reserve != want.Reserve || got.RecordMisses != want.RecordMisses || got.TimeLimit != want.TimeLimit || got.Inject != want.Inject || got.Matcher != want.Matcher {
			t.Errorf("%q gives %+v", line, got)
		}
	}
}
