package packaging_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/starter"
)

// The workflow that init writes checks and builds the repository that it is in, and
// what its steps upload exists.
func TestInstallTheWorkflowOfInitBuildsWhatItUploads(t *testing.T) {
	t.Parallel()
	r := newActionRun(t)
	r.installed = true
	dir := r.repository(".", "document-first", "handbook")
	text := oktest.Value(os.ReadFile(filepath.Join(dir, ".github", "workflows", "pages.yml")))(t)
	ran, uploads := 0, map[string][]string{}
	for _, step := range stepsOf(t, "pages.yml", string(text)) {
		switch {
		case strings.HasPrefix(step.Run, "go install "):
			if want := "go install github.com/packgen/packgen/cmd/packgen@v" + compiler.Version; step.Run != want {
				t.Errorf("it installs by %q, want %q", step.Run, want)
			}
		case step.Run != "":
			ran++
			for name, value := range step.Env {
				step.Env[name] = strings.Replace(value, "${{ steps.pages.outputs.base_url }}", "https://you.github.io/my-knowledge", 1)
			}
			if code := r.script(step.Run, step.Env); code != 0 {
				r.fail("%s: exit %d", step.Name, code)
			}
		case step.With["path"] != "":
			uploads[step.Uses] = strings.Fields(step.With["path"])
		}
	}
	if ran != 2 || len(uploads) != 2 {
		r.fail("%d steps were run, %d upload", ran, len(uploads))
	}
	for uses, patterns := range uploads {
		for _, pattern := range patterns {
			if names, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern))); err != nil || len(names) == 0 {
				t.Errorf("%s uploads %s, which is not there", uses, pattern)
			}
		}
	}
	// The address and the dates are those that GitHub and the history say.
	for name, want := range map[string]string{
		"sitemap.xml": "<loc>https://you.github.io/my-knowledge/packs/handbook/</loc><lastmod>",
		"feed.xml":    "https://you.github.io/my-knowledge/packs/handbook/documents/guide.html",
		"index.html":  `<meta property=og:url content="https://you.github.io/my-knowledge/packs/handbook/">`,
	} {
		if !strings.Contains(r.read(filepath.Join(dir, "public", name)), want) {
			t.Errorf("%s has no %s", name, want)
		}
	}
	for line := range strings.Lines(r.log.String()) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") && !strings.Contains(line, "title=") {
			t.Errorf("a command to the runner is printed: %s", line)
		}
	}
	if r.read(r.file("summary")) == "" {
		t.Error("the job has no summary")
	}
	// What is wrong with the packs fails the job.
	steps := stepsOf(t, "pages.yml", string(text))
	check := steps[slices.IndexFunc(steps, func(s actionStep) bool { return strings.Contains(s.Run, "check") })]
	packgentest.WriteText(t, filepath.Join(dir, "packs/handbook/documents/other.md"), "# Caf\xe9\n")
	if code := r.script(check.Run, nil); code != 1 {
		r.fail("a broken page: exit %d", code)
	}
}

func TestInstallTheWorkflowOfInitSetsUpTheGoThatPackgenNeeds(t *testing.T) {
	mod := oktest.Value(os.ReadFile("../go.mod"))(t)
	m := regexp.MustCompile(`(?m)^go ([0-9]+\.[0-9]+)`).FindSubmatch(mod)
	text, err := starter.StarterFiles.ReadFile("starter/repository/pages.yml")
	if err != nil || m == nil || !strings.Contains(string(text), "go-version: \""+string(m[1])+"\"\n") {
		t.Errorf("go.mod needs %s, and the workflow says otherwise: %v", m[1], err)
	}
}
