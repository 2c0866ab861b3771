package packaging_test

import (
	"crypto/sha256"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// What a workflow can use of a run is in the outputs, and what a reviewer wants to know in
// the summary: findings, budget, evals, and what routing became against the base.
func TestInstallActionSaysWhatCameOfARun(t *testing.T) {
	t.Parallel()
	r := newActionRun(t)
	r.installed = true
	dir := r.repository("a kn", "document-first", "handbook")
	cmd := exec.Command("git", "-C", dir, "update-ref", "refs/remotes/origin/main", "HEAD")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.env["GITHUB_BASE_REF"] = "main"
	var suite strings.Builder
	suite.WriteString("pack_name: handbook\nbudget: 3000\ncases:\n")
	for i := range 12 { // of which some are in each half
		fmt.Fprintf(&suite, "  - query: which bracket %d names the source of a claim\n    required: [documents/guide.md#cite-a-claim]\n", i)
	}
	packgentest.WriteText(t, filepath.Join(dir, "packs/handbook/evals/context.yaml"), suite.String())
	appendText(t, filepath.Join(dir, guidePage), "\n## Samovar\n\n- A claim about `</code>` without any source.\n")
	if code := r.action(map[string]string{"working-directory": "a kn"}); code != 0 {
		r.fail("exit %d", code)
	}
	check, build := r.outputs["check"], r.outputs["build"]
	if check["errors"] != "0" || check["warnings"] != "1" || check["findings"] != "passed" {
		r.fail("the outputs of check are %v", check)
	}
	manifest := r.read(filepath.Join(build["site"], "manifest.json"))
	if want := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(manifest))); manifest == "" || build["digest"] != want || build["recall"] != "1.00" {
		r.fail("the outputs of build are %v, want the digest %s", build, want)
	}
	if !strings.Contains(r.read(build["index"]), `"handbook-guide-samovar"`) {
		r.fail("the index is %s", build["index"])
	}
	summary := r.read(check["summary"])
	for _, want := range []string{"### Budget\n\n    index: ", "### Evals\n\n    SUITE ", "### Routing changes\n\n    ", "handbook-guide-samovar", "claim-unsourced"} {
		if !strings.Contains(summary, want) {
			r.fail("no %q in the summary\n%s", want, summary)
		}
	}
	if shown := r.read(r.file("summary")); shown != summary {
		r.fail("the page of the run shows\n%s", shown)
	}
}

// With attest, GitHub attests the archives, and what it answers is beside each of them, on
// the site and in the artifact.
func TestInstallActionAttestsThePacks(t *testing.T) {
	t.Parallel()
	r := newActionRun(t)
	r.installed = true
	dir := r.repository("kn", "document-first", "handbook")
	second := exec.Command(r.program, "-C", dir, "init", "--name", "second")
	if out, err := second.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	bundle := filepath.Join(r.temp, "attestation of several.json")
	packgentest.WriteText(t, bundle, "{}\n")
	r.answers = map[string]map[string]string{"attest": {"bundle-path": bundle}}
	if code := r.action(map[string]string{"working-directory": "kn", "attest": "true"}); code != 0 {
		r.fail("exit %d", code)
	}
	packs := r.outputs["packs"]["packs"]
	if got := r.used[pin("actions/attest-build-provenance")]["subject-path"]; packs == "" || got != packs+"/packs/*/pack.tar.gz" {
		r.fail("attested: %v", r.used)
	}
	for _, dir := range []string{packs, r.outputs["build"]["site"]} {
		for _, name := range []string{"handbook", "second"} {
			if got := r.read(filepath.Join(dir, "packs", name, "pack.tar.gz.sigstore.json")); got != "{}\n" {
				r.fail("beside %s in %s: %q", name, dir, got)
			}
		}
	}
}

// The manual's steps comment on a pull request with the output that the action has.
func TestInstallTheManualCommentsOnAPullRequest(t *testing.T) {
	t.Parallel()
	var steps []actionStep
	for _, block := range packgentest.Blocks(manualPage(t, "how-to/publish-a-site.md"), "yaml") {
		if strings.Contains(block, "gh pr comment") {
			oktest.Check(t, yaml.Unmarshal([]byte(block), &steps))
		}
	}
	if len(steps) != 2 || steps[0].ID != "packgen" || steps[1].Env["SUMMARY"] != "${{ steps.packgen.outputs.summary }}" || readAction(t).Outputs["summary"].Value == "" {
		t.Fatalf("the steps are %+v", steps)
	}
	r := newActionRun(t)
	notes := r.standIn("gh", "cat >body")
	summary := filepath.Join(r.temp, "a summary.md")
	packgentest.WriteText(t, summary, strings.Repeat("x", 70_000))
	if code := r.script(steps[1].Run, map[string]string{"NUMBER": "7", "SUMMARY": summary}); code != 0 || !strings.HasPrefix(r.read(notes), "gh pr comment 7 --edit-last --create-if-none --body-file -") {
		r.fail("exit %d: %s", code, r.read(notes))
	}
	if body := r.read(filepath.Join(r.workspace, "body")); len(body) != 60_000 {
		r.fail("the comment has %d bytes, and a comment holds 65,536", len(body))
	}
}
