package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/policy"
)

func TestConfigReadsEveryKey(t *testing.T) {
	c := DefaultConfig()
	faults, _ := ReadConfig(nil, &c, "packgen.yaml", []byte(`
title: Kettle handbook
base_url: https://example.org/kettle
packs: [packs/*, "teams/**/packs/*"]
roles: [roles/*, packs/crew]
out: site
overlay: build/overlay
matcher: recall
site:
  sources: true
  highlight: false
  description: What the crew knows.
  examples: [descale the kettle]
  report: store/index.json
loadout:
  project: .claude/loadout/index.json
boot:
  allow_root: [../common]
runs: {keep: 5}
pull:
  files: 10
  bytes: 2 GiB
  file_bytes: 1048576
  archive_bytes: 3MiB
  path_bytes: 100
  depth: 4
  nested: 1
rules:
  - {rule: claim-unsourced, severity: off, packs: notes-*, reason: " they are  notes "}
  - rule: ref-broken
    severity: error
    files: [packs/a/documents, "**/x.md"]
    reason: it is printed
remote:
  cache: grpcs://cache.example
  upload: false
  headers: [x=y]
  platform: OSFamily=linux
  private: [packs/board]
`))
	if len(faults) > 0 {
		t.Fatalf("faults: %v", faults)
	}
	want := Config{
		Title: "Kettle handbook", BaseURL: "https://example.org/kettle/",
		Packs: []string{"packs/*", "teams/**/packs/*"}, Roles: []string{"roles/*", "packs/crew"}, Out: "site", Overlay: "build/overlay", Matcher: "recall",
		Site:    SiteConfig{Sources: true, Description: "What the crew knows.", Examples: []string{"descale the kettle"}, Report: "store/index.json"},
		Loadout: LoadoutConfig{Project: ".claude/loadout/index.json"}, Boot: BootConfig{AllowRoots: []string{"../common"}}, Runs: RunsConfig{Keep: 5},
		Pull: PullConfig{Files: 10, Bytes: 2 << 30, FileBytes: 1 << 20, ArchiveBytes: 3 << 20, PathBytes: 100, Depth: 4, Nested: 1},
		Rules: []policy.Rule{
			{Rule: "claim-unsourced", Level: policy.Off, Packs: []string{"notes-*"}, Reason: "they are notes", Line: 29},
			{Rule: "ref-broken", Level: policy.Error, Files: []string{"packs/a/documents", "**/x.md"}, Reason: "it is printed", Line: 30},
		},
		Remote: RemoteConfig{Cache: "grpcs://cache.example", Headers: []string{"x=y"}, Platform: []string{"OSFamily=linux"}, Private: []string{"packs/board"}},
	}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
}

func TestConfigFaultsNameThePlaceAndTheWayOut(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"unknown key", "titel: x\n", `packgen.yaml:1:1: the key "titel" is not known (did you mean "title"?)`},
		{"unknown nested key", "site:\n  source: true\n", `packgen.yaml:2:3: the key "site.source" is not known (did you mean "site.sources"?)`},
		{"unknown key far from any", "zzzzzzzz: x\n", `packgen.yaml:1:1: the key "zzzzzzzz" is not known (write one of base_url, boot, documents, loadout, matcher, out, overlay, packs, pull, remote, roles, rules, runs, site, title, trust)`},
		{"key twice", "title: a\nout: b\ntitle: c\n", `packgen.yaml:3:1: key "title" is given twice; the first is on line 1 (keep one of them)`},
		{"number for text", "title: 1.10\n", `packgen.yaml:1:8: the value must be a string, not a number (put text in quotes when it looks like something else)`},
		{"text for a flag", "site:\n  sources: yes\n", `packgen.yaml:2:12: the value must be true or false, not a string (write true or false, without quotes)`},
		{"map for a list", "packs: {a: b}\n", `packgen.yaml:1:8: the value must be a list, not a map (write one a line, each after a dash)`},
		{"empty list", "packs: []\n", `packgen.yaml:1:8: the list is empty (name at least one)`},
		{"pattern that leaves", "packs: [ok/*, ../x]\n", `packgen.yaml:1:15: pattern "../x" leads out of the repository (write a pattern relative to the repository root, with /)`},
		{"role that leaves", "roles: ../mech\n", `packgen.yaml:1:8: pattern "../mech" leads out of the repository (write a pattern relative to the repository root, with /)`},
		{"malformed pattern", "packs: ['[']\n", `packgen.yaml:1:9: pattern "[" is malformed (write a pattern such as packs/* or teams/**/packs/*)`},
		{"no address", "base_url: example.org\n", `packgen.yaml:1:11: "example.org" is not the address of a site (write it in full, such as https://example.org/packs/)`},
		{"a limit in words", "pull:\n  bytes: much\n", `packgen.yaml:2:10: "much" is no such number (write a number of bytes, or one followed by KiB, MiB or GiB)`},
		{"a limit of nothing", "pull:\n  files: 0\n", `packgen.yaml:2:10: 0 is not between 1 and 2147483647 (write a whole number)`},
		{"a limit with a unit that has none", "pull:\n  files: 1 MiB\n", `packgen.yaml:2:10: the value must be a number, not a string (write a whole number)`},
		{"a limit beyond all", "pull:\n  bytes: 99999999999 GiB\n", `packgen.yaml:2:10: "99999999999 GiB" is no such number (write a number of bytes, or one followed by KiB, MiB or GiB)`},
		{"half a limit", "pull:\n  bytes: 1.5\n", `packgen.yaml:2:10: "1.5" is no such number (write a number of bytes, or one followed by KiB, MiB or GiB)`},
		{"alias", "title: &t x\nout: *t\n", "packgen.yaml:1:8: anchor &t is not allowed (remove the anchor)\npackgen.yaml:2:6: alias *t is not allowed (write the value out)"},
		{"list at the top", "- a\n", `packgen.yaml:1:1: the value must be a map, not a list (write "key: value" lines)`},
		{"two documents", "title: a\n---\ntitle: b\n", "packgen.yaml:2:1: there is more than one YAML document (remove the line \"...\" or \"---\" inside)"},
		{"not YAML", "title: [a\n", `packgen.yaml:2:1: this is not valid YAML: did not find expected ',' or ']' (correct the YAML there, or in the line before)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := DefaultConfig()
			faults, _ := ReadConfig(nil, &c, "packgen.yaml", []byte(tt.file))
			if got := shortFaults(faults); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func shortFaults(list []diag.Diagnostic) string {
	var lines []string
	for _, d := range list {
		line := d.Place() + ": " + d.Message
		if d.Hint != "" {
			line += " (" + d.Hint + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestConfigReportsEveryFaultOfTheFile(t *testing.T) {
	c := DefaultConfig()
	faults, _ := ReadConfig(nil, &c, "packgen.yaml", []byte("titel: x\nout: 3\nsite: 4\nbase_url: nowhere\n"))
	if len(faults) != 4 {
		t.Errorf("got %d faults, want 4:\n%s", len(faults), shortFaults(faults))
	}
}

func TestEmptyConfigIsTheDefault(t *testing.T) {
	for _, file := range []string{"", "\n", "# nothing yet\n", "null\n", "site:\n"} {
		c := DefaultConfig()
		if faults, _ := ReadConfig(nil, &c, "packgen.yaml", []byte(file)); len(faults) > 0 {
			t.Errorf("%q: %s", file, shortFaults(faults))
		}
		if d := cmp.Diff(DefaultConfig(), c); d != "" {
			t.Errorf("%q: %s", file, d)
		}
	}
}

func TestEnvironmentOverridesTheFile(t *testing.T) {
	c := DefaultConfig()
	c.Title, c.Out = "from the file", "from-the-file"
	env := map[string]string{
		"PACKGEN_OUT": "from-env", "PACKGEN_PACKS": "a/* b/*", "PACKGEN_BASE_URL": "https://example.org", "PACKGEN_TITLE": "",
		"PACKGEN_DATES": "true",
	}
	oktest.Check(t, applyEnvironment(&c, func(k string) string { return env[k] }))
	want := DefaultConfig()
	want.Site.Dates = true
	want.Title, want.Out, want.Packs, want.BaseURL = "from the file", "from-env", []string{"a/*", "b/*"}, "https://example.org/"
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
	for name, value := range map[string]string{"PACKGEN_MATCHER": "fuzzy", "PACKGEN_DATES": "yes"} {
		err := applyEnvironment(&c, func(k string) string { return map[string]string{name: value}[k] })
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a wrong variable gave %v", err)
		}
	}
}

func TestSourceDateEpochIsAWholeNumberOfSeconds(t *testing.T) {
	for _, tt := range []struct {
		value string
		want  string
	}{
		{"", "0001-01-01 00:00:00 +0000 UTC"},
		{"0", "1970-01-01 00:00:00 +0000 UTC"},
		{"1767225600", "2026-01-01 00:00:00 +0000 UTC"},
		{"-1", "error"},
		{"12 ", "error"},
		{"1e9", "error"},
		{"yesterday", "error"},
		{"253402300800", "error"},
	} {
		at, err := RunTime(func(string) string { return tt.value })
		got := fmt.Sprint(at)
		if err != nil {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("SOURCE_DATE_EPOCH=%q gave %s, want %s", tt.value, got, tt.want)
		}
	}
}

func FuzzConfigNeverPanics(f *testing.F) {
	f.Add("title: x\nsite: {sources: true}\n")
	f.Add("? [a]\n: b\n")
	f.Add("- \x00")
	f.Fuzz(func(t *testing.T, file string) {
		c := DefaultConfig()
		faults, _ := ReadConfig(nil, &c, "packgen.yaml", []byte(file))
		for _, d := range faults {
			if d.Message == "" || d.ID == "" {
				t.Errorf("a fault without a message: %+v", d)
			}
		}
	})
}

func TestHeadersOfARemoteCacheMayHaveNoVariableButItsOwn(t *testing.T) {
	env := map[string]string{"PACKGEN_REMOTE_TOKEN": "tea", "SECRET": "x"}
	w := &Repo{Paths: Paths{Dir: t.TempDir()}, Environment: func(name string) string { return env[name] }}
	for header, want := range map[string]string{"x=$PACKGEN_REMOTE_TOKEN": "tea", "x=plain": "plain", "x=$SECRET": "", "x=$PACKGEN_REMOTE_OTHER": ""} {
		w.Config.Remote = RemoteConfig{Cache: "grpcs://cache.example", Headers: []string{header}}
		o, ok, err := RemoteOptions(w)
		if (err == nil) != (want != "") || ok && o.Headers["x"] != want {
			t.Errorf("%s: %q, %v", header, o.Headers["x"], err)
		}
	}
}

func TestAConfigurationOfAnotherNameIsNotLost(t *testing.T) {
	dir := t.TempDir()
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "packgen.yml"), []byte("matcher: weighted\n"), 0o644))
	w := &Repo{Paths: Paths{Dir: dir, Start: dir}}
	if err := w.Load(); err == nil || err.Error() != "packgen.yml is not read" || diag.HintOf(err) != "rename it to packgen.yaml" {
		t.Errorf("the error is %v", err)
	}
}

func TestTheEnvironmentTurnsUploadsOff(t *testing.T) {
	c := DefaultConfig()
	if !c.Remote.Upload {
		t.Error("uploads are off by default")
	}
	env := map[string]string{"PACKGEN_REMOTE_UPLOAD": "false", "PACKGEN_REMOTE_CACHE": "grpc://localhost:1"}
	if err := applyEnvironment(&c, func(name string) string { return env[name] }); err != nil || c.Remote.Upload || c.Remote.Cache != "grpc://localhost:1" {
		t.Errorf("%+v: %v", c.Remote, err)
	}
	for name, bad := range map[string]string{"PACKGEN_REMOTE_UPLOAD": "perhaps", "PACKGEN_REMOTE_CACHE": "http://x", "PACKGEN_REMOTE_EXECUTOR": "x"} {
		if applyEnvironment(&c, func(n string) string { return map[string]string{name: bad}[n] }) == nil {
			t.Errorf("%s=%s is taken", name, bad)
		}
	}
}
