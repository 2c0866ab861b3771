package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// ciWorkflow is a workflow of this repository, as far as these tests look.
type ciWorkflow struct {
	On struct {
		Schedule []map[string]string `yaml:"schedule"`
	} `yaml:"on"`
	Jobs map[string]struct {
		Strategy struct {
			Matrix struct {
				OS []string `yaml:"os"`
			} `yaml:"matrix"`
		} `yaml:"strategy"`
		Steps []actionStep `yaml:"steps"`
	} `yaml:"jobs"`
}

// runs returns the systems of the matrix of the job that runs a command, and
// whether there is one.
func (w *ciWorkflow) runs(command string) (systems []string, found bool) {
	for _, job := range w.Jobs {
		if slices.ContainsFunc(job.Steps, func(s actionStep) bool { return s.Run == command }) {
			return job.Strategy.Matrix.OS, true
		}
	}
	return nil, false
}

func readWorkflow(t *testing.T, name string) *ciWorkflow {
	t.Helper()
	data, err := os.ReadFile("../../.github/workflows/" + name)
	if err != nil {
		t.Fatal(err)
	}
	w := &ciWorkflow{}
	if err := yaml.Unmarshal(data, w); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return w
}

// Every change is tested as it is, under the race detector and on other systems,
// and each fuzz target runs every night.
func TestEveryTestIsRunByAWorkflow(t *testing.T) {
	ci := readWorkflow(t, "ci.yml")
	for _, command := range []string{".ci/run", "make race", "make check", ".ci/systems"} {
		if _, found := ci.runs(command); !found {
			t.Errorf("ci.yml does not run %s", command)
		}
	}
	if systems, _ := ci.runs(".ci/systems"); !slices.Contains(systems, "macos-latest") || !slices.Contains(systems, "windows-latest") {
		t.Errorf(".ci/systems is run on %q", systems)
	}
	nightly := readWorkflow(t, "nightly.yml")
	if _, found := nightly.runs("make fuzz FUZZTIME=10s"); !found || len(nightly.On.Schedule) != 1 {
		t.Error("nightly.yml does not run make fuzz every night")
	}
}

// The checks that hold what no test sees are steps of make check.
func TestMakeCheckLooksForWhatNothingReaches(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, check, _ := strings.Cut(string(makefile), "\ncheck:\n")
	check, _, _ = strings.Cut(check, "\n\n")
	for _, tool := range []string{"vet ./...", "$(STATICCHECK) ./...", "$(DEADCODE) ./...", "mod tidy -diff"} {
		if !strings.Contains(check, tool) {
			t.Errorf("make check does not run %s", tool)
		}
	}
}
