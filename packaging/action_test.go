package packaging_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/starter"
)

const manual = "../packs/packgen-manual/documents"

// manualPages names the pages of the manual below its folder.
func manualPages(t *testing.T) []string {
	t.Helper()
	var pages []string
	for _, pattern := range []string{"*.md", "*/*.md"} {
		names, err := fs.Glob(os.DirFS(manual), pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("the manual has no pages %s: %v", pattern, err)
		}
		pages = append(pages, names...)
	}
	return pages
}

func manualPage(t *testing.T, name string) string {
	t.Helper()
	return string(oktest.Value(os.ReadFile(filepath.Join(manual, name)))(t))
}

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

// readAction reads action.yml; a key that is not one of an action is a fault.
func readAction(t *testing.T) *actionFile {
	t.Helper()
	text := oktest.Value(os.ReadFile("../action.yml"))(t)
	action := &actionFile{}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	oktest.Check(t, dec.Decode(action))
	return action
}

// workflowTexts returns the workflows by name: those of this repository, the one
// that init writes, and those that the manual shows.
func workflowTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	names, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	for _, name := range names {
		text := oktest.Value(os.ReadFile(name))(t)
		texts[filepath.Base(name)] = string(text)
	}
	files := oktest.Value(starter.FilesOf("handbook", "document-first"))(t)
	for _, f := range files {
		if strings.HasPrefix(f.Path, ".github/") {
			texts["init: "+f.Path] = string(f.Data)
		}
	}
	for _, page := range manualPages(t) {
		for i, block := range packgentest.Blocks(manualPage(t, page), "yaml") {
			if strings.Contains(block, "runs-on:") {
				texts[fmt.Sprintf("manual: %s %d", page, i)] = block
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
func TestNoExpressionIsInAScript(t *testing.T) {
	for name, steps := range allSteps(t) {
		for i, step := range steps {
			if strings.Contains(step.Run, "${{") || strings.Contains(step.Shell, "${{") {
				t.Errorf("%s, step %d: an expression stands in the script:\n%s", name, i, step.Run)
			}
		}
	}
}

// A folder that a job names may look like a repository whose configuration names a program.
func TestScriptsAskNoEmbeddedRepository(t *testing.T) {
	scripts := map[string]string{gitlabTemplate: strings.Join(readGitLab(t).Packgen.Script, "\n")}
	for name, steps := range allSteps(t) {
		for i, step := range steps {
			scripts[fmt.Sprintf("%s, step %d", name, i)] = step.Run
		}
	}
	seen := 0
	for name, script := range scripts {
		before, _, asks := strings.Cut(script, "git -C ")
		if !asks {
			continue
		}
		seen++
		if !strings.Contains(before, "git() { command git -c safe.bareRepository=explicit ") {
			t.Errorf("%s: git is asked in a folder before safe.bareRepository is set", name)
		}
	}
	if seen < 2 {
		t.Errorf("only %d scripts ask git", seen)
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

// pins are the third-party actions that are used: the commit, and the version that it
// is.
var pins = map[string][2]string{
	"actions/attest-build-provenance": {"977bb373ede98d70efbf0b7b13af9c3d6651dc60", "v4.1.0"},
	"actions/checkout":                {"11bd71901bbe5b1630ceea73d27597364c9af683", "v4.2.2"},
	"actions/configure-pages":         {"983d7736d9b0ae728b81ab479565c72886d7745b", "v5.0.0"},
	"actions/deploy-pages":            {"d6db90164ac5ed86f2b6aed7e0febac5b3c0c03e", "v4.0.5"},
	"actions/setup-go":                {"d35c59abb061a4a6fb18e82ac0862c26744d6ab5", "v5.5.0"},
	"actions/setup-node":              {"49933ea5288caeca8642d1e84afbd3f7d6820020", "v4.4.0"},
	"actions/upload-artifact":         {"ea165f8d65b6e75b540449e92b4886f43607fa02", "v4.6.2"},
	"actions/upload-pages-artifact":   {"fc324d3547104276b827a68afc52ff2a11cc49c9", "v5.0.0"},
}

// pin is how an action is used.
func pin(action string) string { return action + "@" + pins[action][0] }

// usesLine is a line that calls an action, in a workflow or in a text about one.
var usesLine = regexp.MustCompile(`(?m)^[\s#>-]*uses:[ \t]*(.*)$`)

// textsWithActions are all files that call actions, by name: the action, the
// workflows, the templates of other systems, what init writes, and the pages that
// show how.
func textsWithActions(t *testing.T) map[string]string {
	t.Helper()
	texts := workflowTexts(t)
	add := func(name string) {
		text := oktest.Value(os.ReadFile(name))(t)
		texts[name] = string(text)
	}
	add("../action.yml")
	for _, pattern := range []string{"../*.md", "../.gitlab/*.yml", filepath.Join(manual, "*.md"), filepath.Join(manual, "*", "*.md"), "../resolver/starter/starter/repository/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, name := range names {
			add(name)
		}
	}
	return texts
}

// Whoever can move a tag of an action runs programs in our workflows and in those
// that init writes: each action is fixed by its commit, and a comment names the
// version for people and for what updates it. Pages, which cannot know the commit of
// the release they come with, leave its place open.
func TestEveryActionIsPinnedByItsCommit(t *testing.T) {
	sha := regexp.MustCompile(`^[0-9a-f]{40}$`)
	seen := map[string]bool{}
	for name, text := range textsWithActions(t) {
		for _, m := range usesLine.FindAllStringSubmatch(text, -1) {
			ref, comment, _ := strings.Cut(m[1], " # ")
			action, commit, _ := strings.Cut(ref, "@")
			want := pins[action]
			switch {
			case ref == "./":
			case action == "packgen/packgen" && strings.HasSuffix(name, ".md") || action == "packgen/packgen" && strings.HasPrefix(name, "manual: "):
				if commit != "COMMIT" || comment != "v"+compiler.Version {
					t.Errorf("%s uses %s", name, m[1])
				}
			case !sha.MatchString(commit) || commit != want[0] || comment != want[1]:
				t.Errorf("%s uses %q; want a commit of 40 hex digits and its version, %s@%s # %s", name, m[1], action, want[0], want[1])
			}
			seen[action] = true
		}
	}
	for action := range pins {
		if !seen[action] {
			t.Errorf("%s is pinned and not used", action)
		}
	}
}

func TestTheActionGetsInputsThatItHas(t *testing.T) {
	inputs := readAction(t).Inputs
	for name, steps := range allSteps(t) {
		for _, step := range steps {
			if step.Uses != "./" && !strings.HasPrefix(step.Uses, "packgen/packgen@") {
				continue
			}
			for input := range step.With {
				if _, ok := inputs[input]; !ok {
					t.Errorf("%s gives the input %q, which the action has not", name, input)
				}
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
	written := map[string]bool{"attest.bundle-path": true} // STEP.OUTPUT; that of an action which is called
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
	page := manualPage(t, "how-to/publish-a-site.md")
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
