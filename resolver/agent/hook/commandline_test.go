package hook

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestArgumentsOfThePromptHook(t *testing.T) {
	dir := oktest.Value(filepath.Abs("wiring"))(t)
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
		"--inject 500 --reserve 1":    {Inject: 500, Reserve: 1},
		"--inject --reserve 1":        {Inject: DefaultInject, Reserve: 1},
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

func TestDebugModeNamesWhatIsSkipped(t *testing.T) {
	var out strings.Builder
	o := arguments([]string{"--inject=abc", "--mine", "x"})
	o.Home, o.Stdin, o.Stdout, o.Stderr = t.TempDir(), strings.NewReader("{}"), &strings.Builder{}, &out
	o.Lookup = func(name string) (string, bool) { return "debug", name == Variable }
	Run(o)
	for _, want := range []string{"skipped --inject=abc: not a number of tokens", "skipped --mine: no flag of the hook", "skipped x: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("debug mode says %q, without %q", out.String(), want)
		}
	}
}
