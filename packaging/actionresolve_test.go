package packaging_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// zipped is a directory as GitHub keeps an artifact.
func zipped(t *testing.T, dir string) []byte {
	t.Helper()
	var packed bytes.Buffer
	out := zip.NewWriter(&packed)
	oktest.Check(t, errors.Join(out.AddFS(os.DirFS(dir)), out.Close()))
	return packed.Bytes()
}

// openUploaded opens what was uploaded as packs.
func openUploaded(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "packs.zip")
	packgentest.WriteText(t, name, string(zipped(t, dir)))
	ref := oktest.Value(remote.ParseRef(name + "#handbook"))(t)
	opened, err := remote.Open(t.Context(), ref, remote.Options{Cache: remote.NewCache(t.TempDir())})
	if err != nil {
		t.Fatalf("open the artifact: %v", err)
	}
	defer opened.Close()
	if guide, err := fs.ReadFile(opened.FS, "KNOWLEDGE.md"); err != nil || !strings.Contains(string(guide), "name: handbook") {
		t.Fatalf("the pack in the artifact is\n%s\n%v", guide, err)
	}
}

// uploaded runs the action on a new pack and keeps what it uploads in a stand-in
// for GitHub. The run that is returned has that GitHub in its environment.
func uploaded(t *testing.T, repository, pack string) *actionRun {
	t.Helper()
	r := newActionRun(t)
	r.installed = true
	r.repository("made", "document-first", pack)
	if code := r.action(map[string]string{"working-directory": "made"}); code != 0 {
		r.fail("exit %d", code)
	}
	github := fetchtest.NewGitHub(t)
	github.Add(repository, fetchtest.Artifact{
		Name: "packs", Data: zipped(t, r.used[pin("actions/upload-artifact")]["path"]), Workflow: ".github/workflows/pages.yml", WorkflowName: "pages",
	})
	oktest.Check(t, os.RemoveAll(filepath.Join(r.workspace, "made")))
	r.env["GITHUB_API_URL"] = github.API.URL
	r.env["GITHUB_REPOSITORY"] = repository
	r.env["PACKGEN_CACHE_DIR"] = t.TempDir()
	return r
}

// resolveStep finds the step of a workflow that resolves.
func resolveStep(t *testing.T, name, text string) actionStep {
	t.Helper()
	steps := stepsOf(t, name, text)
	i := slices.IndexFunc(steps, func(s actionStep) bool { return strings.Contains(s.Run, "packgen resolve") })
	if i < 0 {
		t.Fatalf("%s resolves nothing", name)
	}
	return steps[i]
}

// The second workflow finds in the first one's artifact what a query needs.
func TestInstallWorkflowResolvesFromTheArtifact(t *testing.T) {
	t.Parallel()
	r := uploaded(t, "packgen/packgen", "packgen-manual")
	text := oktest.Value(os.ReadFile("../.github/workflows/resolve.yml"))(t)
	step := resolveStep(t, "resolve.yml", string(text))
	env := r.evaluated(step.Env, map[string]string{
		"github.token": "github-token", "github.event.repository.default_branch": "main",
		"inputs.query || 'how do I publish the site'": "how do I cite a source",
	})
	if code := r.script(step.Run, env); code != 0 {
		r.fail("exit %d", code)
	}
	if summary := r.read(r.file("summary")); !strings.Contains(summary, `<knowledge_pack name="packgen-manual"`) || !strings.Contains(summary, "names its source in a bracket") {
		r.fail("the summary is\n%s", summary)
	}
	// A query is text, whatever it looks like.
	env["QUERY"] = "--no-context $(touch pwned)"
	if code := r.script(step.Run, env); code == 2 || slices.Contains(filesBelow(t, r.workspace), "pwned") {
		r.fail("the query is taken for something else: exit %d", code)
	}
}

// The workflow that the manual shows does so too, once the lock holds the pack.
func TestInstallManualResolvesFromTheArtifact(t *testing.T) {
	t.Parallel()
	r := uploaded(t, "you/my-knowledge", "handbook")
	var text string
	for _, block := range packgentest.Blocks(manualPage(t, "how-to/publish-a-site.md"), "yaml") {
		if strings.Contains(block, "packgen resolve") {
			text = block
		}
	}
	step := resolveStep(t, "publish-a-site.md", text)
	env := r.evaluated(step.Env, map[string]string{"github.token": "github-token"})
	if code := r.script(step.Run, env); code == 0 {
		r.fail("a pack that nobody vouches for is used")
	}
	ref := strings.Split(step.Run, `"`)[1]
	env["REF"] = ref
	if code := r.script(`packgen pull "$REF"`, env); code != 0 {
		r.fail("pull: exit %d", code)
	}
	if code := r.script(step.Run, env); code != 0 {
		r.fail("exit %d", code)
	}
	if context := r.read(filepath.Join(r.workspace, "context.md")); !strings.Contains(context, "names its source in a bracket") {
		r.fail("the context is\n%s", context)
	}
}
