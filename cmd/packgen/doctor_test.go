package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/resolver/agent/doctor"
)

// Whatever the doctor finds, it says what to do.
func TestEveryFindingOfTheDoctorHasARemedy(t *testing.T) {
	t.Parallel()
	command := program(t) // the doctor runs itself as the hook
	home := ".ai-loadout/index.json"
	settings := ".claude/settings.json"
	for name, files := range map[string]map[string]string{
		"nothing":           {},
		"broken":            {home: "{", settings: "{ // mine\n}", "MEMORY.md": "- A → `gone.md`\n", ".claude/loadout/index.json": "[", "packgen.yaml": "x"},
		"no index":          {home: "[]", settings: `{"hooks":[]}`, "MEMORY.md": "\xff"},
		"other writer":      {home: `{"version":"1","generated":"x","entries":[]}`, settings: `{}`, ".ai-loadout/usage.jsonl": ""},
		"faults":            {home: `{"version":"1","generated":"x","entries":[{"id":"a"}]}`, "MEMORY.md": "- A → `a.md`\n", "a.md": "x", "b.md": "x"},
		"wired twice":       {settings: `{"hooks":{"UserPromptSubmit":[{"hooks":[{"command":"packgen hook"},{"command":"packgen hook"}]}]}}`},
		"a site of another": {"public/manifest.json": `{"files":[{"path":"x"}]}`},
	} {
		dir := t.TempDir()
		for at, text := range files {
			writeText(t, filepath.Join(dir, filepath.FromSlash(at)), text)
		}
		var stdout, stderr bytes.Buffer
		cmd := exec.Command(command, "-C", dir, "doctor", "--json")
		cmd.Env = append(os.Environ(), "HOME="+dir)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		_ = cmd.Run() // it fails when a check does
		var got struct {
			Result struct{ Checks []doctor.Check }
		}
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
			t.Fatalf("%s: %v\n%s%s", name, err, &stdout, &stderr)
		}
		if len(got.Result.Checks) != 16 {
			t.Errorf("%s: %d checks", name, len(got.Result.Checks))
		}
		for _, c := range got.Result.Checks {
			if c.Message == "" || c.Hint == "" && (c.Status == doctor.Warn || c.Status == doctor.Fail) || c.Hint != "" && c.Status == doctor.Pass {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}
