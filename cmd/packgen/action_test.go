package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler"
)

// actionStep is a step of an action or of a workflow's job.
type actionStep struct {
	ID    string            `yaml:"id"`
	Name  string            `yaml:"name"`
	If    string            `yaml:"if"`
	Uses  string            `yaml:"uses"`
	Shell string            `yaml:"shell"`
	Run   string            `yaml:"run"`
	Env   map[string]string `yaml:"env"`
	With  map[string]string `yaml:"with"`
	Dir   string            `yaml:"working-directory"`
}

// actionFile is action.yml.
type actionFile struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Inputs      map[string]struct {
		Description string `yaml:"description"`
		Default     string `yaml:"default"`
	} `yaml:"inputs"`
	Outputs map[string]struct {
		Description string `yaml:"description"`
		Value       string `yaml:"value"`
	} `yaml:"outputs"`
	Runs struct {
		Using string       `yaml:"using"`
		Steps []actionStep `yaml:"steps"`
	} `yaml:"runs"`
}

// readAction reads action.yml; a key that is none of an action is a fault.
func readAction(t *testing.T) *actionFile {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	action := &actionFile{}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(action); err != nil {
		t.Fatal(err)
	}
	return action
}

// workflowTexts returns the workflows by name: those of this repository, the one
// that init writes, and those that the manual shows.
func workflowTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	names, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(name)] = string(text)
	}
	files, err := starter("handbook", "document-first")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.path, ".github/") {
			texts["init: "+f.path] = string(f.data)
		}
	}
	pages, err := os.ReadDir(manual)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		for i, block := range blocks(manualPage(t, page.Name()), "yaml") {
			if strings.Contains(block, "runs-on:") {
				texts[fmt.Sprintf("manual: %s %d", page.Name(), i)] = block
			}
		}
	}
	return texts
}

// stepsOf returns the steps of all jobs of a workflow.
func stepsOf(t *testing.T, name, text string) []actionStep {
	t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Steps []actionStep `yaml:"steps"`
		} `yaml:"jobs"`
	}
	if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var steps []actionStep
	for _, job := range slices.Sorted(maps.Keys(workflow.Jobs)) {
		steps = append(steps, workflow.Jobs[job].Steps...)
	}
	if len(steps) == 0 {
		t.Fatalf("%s has no steps", name)
	}
	return steps
}

// allSteps returns the steps of the action and of each workflow, by file.
func allSteps(t *testing.T) map[string][]actionStep {
	t.Helper()
	all := map[string][]actionStep{"action.yml": readAction(t).Runs.Steps}
	for name, text := range workflowTexts(t) {
		all[name] = stepsOf(t, name, text)
	}
	return all
}

// An expression in a script is text of a stranger that runs as one.
func TestNoExpressionStandsInAScript(t *testing.T) {
	for name, steps := range allSteps(t) {
		for i, step := range steps {
			if strings.Contains(step.Run, "${{") || strings.Contains(step.Shell, "${{") {
				t.Errorf("%s, step %d: an expression stands in the script:\n%s", name, i, step.Run)
			}
		}
	}
}

func TestScriptsStopAtTheFirstFault(t *testing.T) {
	for name, steps := range allSteps(t) {
		for i, step := range steps {
			if name == "action.yml" && step.Run != "" && step.Shell != "bash" {
				t.Errorf("%s, step %d: a composite action names the shell, found %q", name, i, step.Shell)
			}
			if strings.Count(strings.TrimSpace(step.Run), "\n") == 0 {
				continue
			}
			if !strings.HasPrefix(step.Run, "set -euo pipefail\n") {
				t.Errorf("%s, step %d: the script does not start with set -euo pipefail:\n%s", name, i, step.Run)
			}
			checkSyntax(t, fmt.Sprintf("%s, step %d", name, i), step.Run)
		}
	}
}

// checkSyntax asks bash, and shellcheck where there is one, about a script.
func checkSyntax(t *testing.T, what, script string) {
	t.Helper()
	for _, command := range [][]string{{"bash", "-n"}, {"shellcheck", "--shell=bash", "-"}} {
		if _, err := exec.LookPath(command[0]); err != nil {
			continue
		}
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Stdin = strings.NewReader(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v\n%s", what, command[0], err, out)
		}
	}
}

// pinned is an action at a major version.
var pinned = regexp.MustCompile(`^actions/[a-z-]+@v[1-9][0-9]*$`)

func TestActionsArePinned(t *testing.T) {
	own := "packgen/packgen@v" + compiler.Version
	inputs := readAction(t).Inputs
	for name, steps := range allSteps(t) {
		for _, step := range steps {
			switch {
			case step.Uses == "":
			case step.Uses == own || step.Uses == "./":
				for input := range step.With {
					if _, ok := inputs[input]; !ok {
						t.Errorf("%s gives the input %q, which the action has not", name, input)
					}
				}
			case !pinned.MatchString(step.Uses):
				t.Errorf("%s uses %q, which is neither %s nor an action at a major version", name, step.Uses, own)
			}
		}
	}
}

// expression finds expressions; name the values that they read.
var (
	expression = regexp.MustCompile(`\$\{\{(.*?)\}\}`)
	valueName  = regexp.MustCompile(`\b(inputs|steps|github|env|runner|needs|secrets|vars)\.([a-z_-]+)(?:\.outputs\.([a-z_-]+))?`)
)

// Every input that is used exists and is used, and every output of a step is
// written by a step before it.
func TestActionReadsOnlyWhatThereIs(t *testing.T) {
	action := readAction(t)
	if action.Runs.Using != "composite" || action.Name == "" || action.Description == "" {
		t.Errorf("the action is %q, a %q", action.Name, action.Runs.Using)
	}
	used := map[string]bool{}
	written := map[string]bool{} // STEP.OUTPUT
	check := func(where, text string) {
		for _, m := range valueName.FindAllStringSubmatch(text, -1) {
			switch {
			case m[1] == "inputs":
				used[m[2]] = true
				if _, ok := action.Inputs[m[2]]; !ok {
					t.Errorf("%s reads the input %q, which there is not", where, m[2])
				}
			case m[1] == "steps" && !written[m[2]+"."+m[3]]:
				t.Errorf("%s reads %s, which no step before it writes", where, m[0])
			case m[1] != "steps" && m[0] != "github.action_path":
				t.Errorf("%s reads %s", where, m[0])
			}
		}
	}
	for i, step := range action.Runs.Steps {
		where := fmt.Sprintf("step %d", i)
		check(where, step.If)
		for _, table := range []map[string]string{step.Env, step.With} {
			for _, value := range table {
				for _, m := range expression.FindAllStringSubmatch(value, -1) {
					check(where, m[1])
				}
			}
		}
		for _, m := range regexp.MustCompile(`printf '([a-z]+)=[^']*' ?.*>>"\$GITHUB_OUTPUT"`).FindAllStringSubmatch(step.Run, -1) {
			written[step.ID+"."+m[1]] = true
		}
	}
	for name, output := range action.Outputs {
		check("the output "+name, output.Value)
	}
	for name, input := range action.Inputs {
		if !used[name] {
			t.Errorf("the input %q is not used", name)
		}
		if input.Description == "" {
			t.Errorf("the input %q is not described", name)
		}
	}
}

// The manual has a row for each input and output of the action.
func TestManualNamesEveryInputOfTheAction(t *testing.T) {
	page := manualPage(t, "publishing.md")
	action := readAction(t)
	for name := range action.Inputs {
		if !strings.Contains(page, "| `"+name+"` |") {
			t.Errorf("publishing.md has no row for the input %q", name)
		}
	}
	for name := range action.Outputs {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("publishing.md does not name the output %q", name)
		}
	}
}
