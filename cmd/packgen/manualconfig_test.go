package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/resolver/workspace"
)

// keysOf returns the keys that the configuration reader takes in a section; "" is
// the top level. The reader names them when it meets another one.
func keysOf(t *testing.T, section string) []string {
	t.Helper()
	texts := []string{"quite_another: x\n"}
	if section != "" { // a mapping, or a list of them
		texts = []string{section + ":\n  quite_another: x\n", section + ":\n  - quite_another: x\n"}
	}
	for _, text := range texts {
		c := workspace.DefaultConfig()
		for _, d := range workspace.ReadConfig(&c, "packgen.yaml", []byte(text)) {
			if list, ok := strings.CutPrefix(d.Hint, "write one of "); ok {
				return strings.Split(list, ", ")
			}
		}
	}
	return nil
}

// The configuration page has a row for each key that the reader takes, and for no
// other; its example is taken as it is.
func TestManualNamesEveryConfigurationKey(t *testing.T) {
	page := manualPage(t, "reference/configuration.md")
	var want []string
	for _, key := range keysOf(t, "") {
		below := keysOf(t, key)
		if below == nil {
			want = append(want, key)
		}
		for _, name := range below {
			want = append(want, key+"."+name)
		}
	}
	if len(want) < 20 {
		t.Fatalf("the reader takes only %q", want)
	}
	page, _, found := strings.Cut(page, "\n## Environment")
	if !found {
		t.Fatal("the page has no section on the environment")
	}
	var got []string
	for _, match := range regexp.MustCompile("(?m)^\\| `([a-z_.]+)` \\|").FindAllStringSubmatch(page, -1) {
		got = append(got, match[1])
	}
	for _, key := range want {
		if n := len(got) - len(slices.DeleteFunc(slices.Clone(got), func(k string) bool { return k == key })); n != 1 {
			t.Errorf("the page has %d rows for %s", n, key)
		}
	}
	for _, key := range got {
		if !slices.Contains(want, key) {
			t.Errorf("the page names %s, which the reader does not take", key)
		}
	}
	c := workspace.DefaultConfig()
	if faults := workspace.ReadConfig(&c, "packgen.yaml", []byte(blocks(page, "yaml")[0])); len(faults) > 0 {
		t.Errorf("the example has faults: %v", faults)
	}
}
