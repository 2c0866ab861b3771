package packaging_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// guidePage is the document of a repository that init made.
const guidePage = "packs/handbook/documents/guide.md"

// appendText adds text to a file.
func appendText(t *testing.T, name, text string) {
	t.Helper()
	old := oktest.Value(os.ReadFile(name))(t)
	packgentest.WriteText(t, name, string(old)+text)
}

func TestInstallActionFailsOnTheFindingsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	warning := "\n## More\n\n- A claim without any source stands here.\n"
	broken := "\n- See [source: sources/../../up.md].\n"
	for _, test := range []struct {
		name, text, failOn string
		code               int
		uploads            bool
	}{
		{"nothing to find", "", "warning", 0, true},
		{"a warning, errors fail", warning, "error", 0, true},
		{"a warning, warnings fail", warning, "warning", 1, false},
		{"an error, errors fail", broken, "error", 1, false},
		{"an error, nothing fails, and no site can be built", broken, "never", 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newActionRun(t)
			r.installed = true
			dir := r.repository("a,b: 50%", "document-first", "handbook")
			appendText(t, filepath.Join(dir, guidePage), test.text)
			code := r.action(map[string]string{"working-directory": "a,b: 50%", "fail-on": test.failOn})
			if code != test.code {
				r.fail("exit %d, want %d", code, test.code)
			}
			if _, ok := r.used[pin("actions/upload-artifact")]; ok != test.uploads {
				r.fail("uploaded: %v", ok)
			}
			if test.text == "" {
				return
			}
			if place := " file=a%2Cb%3A 50%25/" + guidePage + ",line="; !strings.Contains(r.log.String(), place) {
				r.fail("no annotation at %s", place)
			}
			if summary := r.read(r.file("summary")); !strings.Contains(summary, "guide.md") {
				r.fail("the summary is\n%s", summary)
			}
		})
	}
}

func TestInstallActionFailsOnAMissedEval(t *testing.T) {
	t.Parallel()
	r := newActionRun(t)
	r.installed = true
	dir := r.repository(".", "document-first", "handbook")
	suite := filepath.Join(dir, "packs/handbook/evals/discovery.train.json")
	text := oktest.Value(os.ReadFile(suite))(t)
	packgentest.WriteText(t, suite, strings.Replace(string(text), "My insurance claim was refused", "Which bracket names the source of a claim, please?", 1))
	if code := r.action(nil); code != 1 || !strings.Contains(r.log.String(), "An eval was missed") {
		r.fail("exit %d", code)
	}
	if code := r.action(map[string]string{"eval": "false"}); code != 0 {
		r.fail("exit %d", code)
	}
}

// Nothing that an input says is run, and no line of a pack is a workflow command.
func TestInstallActionRunsNoTextOfStrangers(t *testing.T) {
	t.Parallel()
	hostile := []string{"$(touch pwned)", "`touch pwned`", "'; touch pwned; '", `"; touch pwned; "`, "x\ntouch pwned", "--dry-run", "-", "%0A::error::x"}
	r := newActionRun(t)
	r.repository("kn", "document-first", "handbook")
	for _, input := range []string{"version", "build", "fail-on", "eval", "working-directory", "base-url"} {
		r.installed = input == "working-directory" || input == "base-url"
		for _, text := range hostile {
			r.log.Reset()
			if code := r.action(map[string]string{"working-directory": "kn", input: text}); code == 0 {
				r.fail("%s = %q is accepted", input, text)
			}
			for _, name := range append(filesBelow(t, r.workspace), filesBelow(t, r.temp)...) {
				if filepath.Base(name) == "pwned" {
					r.fail("%s = %q is run", input, text)
				}
			}
			for line := range strings.Lines(r.log.String()) {
				if strings.HasPrefix(line, "::error::x") {
					r.fail("%s = %q gives a command", input, text)
				}
			}
		}
	}
}

func TestInstallActionPrintsPacksWithCommandsStopped(t *testing.T) {
	t.Parallel()
	r := newActionRun(t)
	r.installed = true
	dir := r.repository("kn", "document-first", "handbook")
	appendText(t, filepath.Join(dir, guidePage), "\n## ::error::x\n\n- ::error::y\n\n::set-output name=a::b\n")
	if code := r.action(map[string]string{"working-directory": "kn"}); code != 0 {
		r.fail("exit %d", code)
	}
	stopped := ""
	for line := range strings.Lines(r.log.String()) {
		line = strings.TrimSuffix(line, "\n")
		token, stop := strings.CutPrefix(line, "::stop-commands::")
		switch {
		case stop:
			stopped = token
		case line == "::"+stopped+"::":
			stopped = ""
		case strings.HasPrefix(line, "::") && stopped == "" && !strings.HasPrefix(line, "::warning file=kn/") && !strings.HasPrefix(line, "::notice file=kn/"):
			r.fail("the line %q is a command", line)
		}
	}
	if stopped != "" {
		r.fail("commands stay stopped")
	}
}
