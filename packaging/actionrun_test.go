package packaging_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/starter"
)

// actionRun is what a runner gives the steps of an action.
type actionRun struct {
	t         *testing.T
	workspace string
	temp      string                       // RUNNER_TEMP
	path      string                       // GITHUB_ACTION_PATH
	program   string                       // packgen
	env       map[string]string            // on top of the usual ones
	answers   map[string]map[string]string // outputs of actions that are called, by step
	installed bool                         // packgen is on the PATH: the steps from check on are run

	log     strings.Builder              // what the steps printed
	used    map[string]map[string]string // actions that were called, with what
	outputs map[string]map[string]string // by step
}

func newActionRun(t *testing.T) *actionRun {
	t.Helper()
	for _, name := range []string{"bash", "git", "curl", "tar"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	root := oktest.Value(filepath.Abs(".."))(t)
	program := packgentest.Program(t, "packgen") // also where steps build it: the result depends on its sources
	return &actionRun{t: t, workspace: t.TempDir(), temp: t.TempDir(), path: root, program: program, env: map[string]string{}}
}

// file is one of the files that steps write to.
func (r *actionRun) file(name string) string { return filepath.Join(r.temp, "github-"+name) }

func (r *actionRun) read(name string) string {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Fatal(err)
	}
	return string(text)
}

// action runs the steps of action.yml in order, as far as the first that fails,
// and returns its exit code.
func (r *actionRun) action(inputs map[string]string) int {
	r.t.Helper()
	action := readAction(r.t)
	values := map[string]string{"github.action_path": r.path}
	for name, input := range action.Inputs {
		values["inputs."+name] = input.Default
	}
	for name, value := range inputs {
		values["inputs."+name] = value
	}
	r.used, r.outputs = map[string]map[string]string{}, map[string]map[string]string{}
	steps := action.Runs.Steps
	if r.installed {
		steps = steps[slices.IndexFunc(steps, func(s actionStep) bool { return s.ID == "check" }):]
	}
	for _, step := range steps {
		if !r.holds(step.If, values) {
			continue
		}
		if step.Uses != "" {
			r.used[step.Uses] = r.evaluated(step.With, values)
			for name, value := range r.answers[step.ID] {
				values["steps."+step.ID+".outputs."+name] = value
			}
			continue
		}
		if code := r.script(step.Run, r.evaluated(step.Env, values)); code != 0 {
			return code
		}
		r.outputs[step.ID] = map[string]string{}
		for line := range strings.Lines(r.read(r.file("output"))) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			r.outputs[step.ID][name] = value
			values["steps."+step.ID+".outputs."+name] = value
		}
		oktest.Check(r.t, os.RemoveAll(r.file("output")))
	}
	return 0
}

// holds evaluates a condition: comparisons with a text, joined by &&.
func (r *actionRun) holds(condition string, values map[string]string) bool {
	for part := range strings.SplitSeq(condition, "&&") {
		m := regexp.MustCompile(`^([a-z._-]+) (==|!=) '([a-z]*)'$`).FindStringSubmatch(strings.TrimSpace(part))
		switch {
		case condition == "":
		case m == nil:
			r.t.Fatalf("condition %q", condition)
		case (values[m[1]] == m[3]) != (m[2] == "=="):
			return false
		}
	}
	return true
}

// evaluated replaces the expressions of a table.
func (r *actionRun) evaluated(table, values map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range table {
		out[name] = expression.ReplaceAllStringFunc(text, func(e string) string {
			return values[strings.TrimSpace(expression.FindStringSubmatch(e)[1])]
		})
	}
	return out
}

// script runs one step as the runner does.
func (r *actionRun) script(text string, env map[string]string) int {
	r.t.Helper()
	name := filepath.Join(r.temp, "step.sh")
	oktest.Check(r.t, os.WriteFile(name, []byte(text), 0o666))
	cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", name)
	cmd.Dir = r.workspace
	all := map[string]string{
		"GITHUB_ACTION_PATH": r.path, "GITHUB_WORKSPACE": r.workspace, "RUNNER_TEMP": r.temp, "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64",
		"GITHUB_OUTPUT": r.file("output"), "GITHUB_STEP_SUMMARY": r.file("summary"), "GITHUB_PATH": r.file("path"),
		"GOPROXY": "off", "GOTOOLCHAIN": "local", "NO_COLOR": "1", "no_proxy": "127.0.0.1",
		"PACKGEN_RELEASES_URL": "http://127.0.0.1:1/none",
	}
	maps.Copy(all, r.env)
	maps.Copy(all, env)
	path := strings.ReplaceAll(strings.TrimSpace(r.read(r.file("path"))), "\n", ":")
	if r.installed {
		path += ":" + filepath.Dir(r.program)
	}
	all["PATH"] = path + ":" + os.Getenv("PATH")
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if _, set := all[name]; !set && !strings.HasPrefix(name, "GITHUB_") && !strings.HasPrefix(name, "PACKGEN_") && !strings.HasPrefix(name, "CI_") && name != "SOURCE_DATE_EPOCH" {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		cmd.Env = append(cmd.Env, name+"="+all[name])
	}
	out, err := cmd.CombinedOutput()
	r.log.Write(out)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// repository makes a knowledge repository as init does, below the workspace, and commits it.
func (r *actionRun) repository(dir, profile, pack string) string {
	r.t.Helper()
	full := filepath.Join(r.workspace, dir)
	files := oktest.Value(starter.FilesOf(pack, profile))(r.t)
	for _, f := range files {
		packgentest.WriteText(r.t, filepath.Join(full, filepath.FromSlash(f.Path)), string(f.Data))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", append([]string{"-C", full, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			r.t.Fatalf("git %s: %v\n%s", args[0], err, out)
		}
	}
	return full
}

// fail ends the test with what the steps printed.
func (r *actionRun) fail(format string, args ...any) {
	r.t.Helper()
	r.t.Fatalf("%s\n[log]\n%s", fmt.Sprintf(format, args...), r.log.String())
}

// releaseFiles is what a server of releases holds, by path.
type releaseFiles map[string][]byte

// newRelease makes the release of a version: an archive whose packgen is a script
// that does nothing, and its checksum.
func newRelease(t *testing.T, version, arch string) releaseFiles {
	t.Helper()
	var packed bytes.Buffer
	squeezed := gzip.NewWriter(&packed)
	out := tar.NewWriter(squeezed)
	program := "#!/bin/sh\necho \"stub packgen $1\"\n"
	err := errors.Join(
		out.WriteHeader(&tar.Header{Name: "packgen", Mode: 0o755, Size: int64(len(program))}),
		func() error { _, err := out.Write([]byte(program)); return err }(),
		out.WriteHeader(&tar.Header{Name: "packgen-sign", Mode: 0o755}),
		out.Close(), squeezed.Close())
	oktest.Check(t, err)
	name := fmt.Sprintf("packgen_%s_linux_%s.tar.gz", version, arch)
	sum := sha256.Sum256(packed.Bytes())
	return releaseFiles{
		"/v" + version + "/" + name:       packed.Bytes(),
		"/v" + version + "/checksums.txt": []byte(strings.Repeat("0", 64) + "  other.tar.gz\n" + hex.EncodeToString(sum[:]) + "  " + name + "\n"),
	}
}

// serve answers with the files of a release, and otherwise with a status.
func (files releaseFiles) serve(t *testing.T, otherwise int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if data, ok := files[q.URL.Path]; ok {
			w.Write(data)
			return
		}
		w.WriteHeader(otherwise)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// asTag makes the runner keep the action as one that is used by a tag or branch.
func (r *actionRun) asTag(ref string) { r.asFork("packgen/packgen", ref) }

// asFork does so with an action of that repository.
func (r *actionRun) asFork(repository, ref string) {
	r.t.Helper()
	link := filepath.Join(r.t.TempDir(), "_actions", filepath.FromSlash(repository), filepath.FromSlash(ref))
	err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o777), os.Symlink(r.path, link))
	oktest.Check(r.t, err)
	r.path = link
}

func TestInstallActionInstallsAReleaseOrBuildsFromSource(t *testing.T) {
	t.Parallel()
	version := compiler.Version
	good := newRelease(t, version, "amd64")
	changed := maps.Clone(good)
	changed["/v"+version+"/packgen_"+version+"_linux_amd64.tar.gz"] = []byte("something else")
	unlisted := maps.Clone(good)
	unlisted["/v"+version+"/checksums.txt"] = []byte("")
	for _, test := range []struct {
		name    string
		ref     string // how the action is used
		version string // the input
		files   releaseFiles
		status  int // of files that there are not
		code    int
		found   string
		says    string
	}{
		{name: "the release of the tag", ref: "v" + version, files: good, found: "true"},
		{name: "the release that is named", version: version, files: good, found: "true"},
		{name: "a tag without a release", ref: "v" + version, status: 404, found: "false", says: "no release"},
		{name: "a branch that ends like a tag", ref: "release/v" + version, files: good, found: "false", says: "not that of a release"},
		{name: "a commit", ref: strings.Repeat("0a", 20), files: good, found: "false", says: "not that of a release"},
		{name: "a branch", ref: "main", files: good, found: "false", says: "not that of a release"},
		{name: "a major version", ref: "v1", files: good, found: "false"},
		{name: "a local action", files: good, found: "false"},
		{name: "a wrong checksum", ref: "v" + version, files: changed, code: 1, says: "checksums.txt says"},
		{name: "no checksum", ref: "v" + version, files: unlisted, code: 1, says: "nothing about it"},
		{name: "a named release that there is not", version: "9.9.9", files: good, status: 404, code: 1, says: "no release"},
		{name: "a version that is none", version: "latest", files: good, code: 1, says: "not that of a release"},
		{name: "a version that leads elsewhere", version: "1.0.0/../../x", files: good, code: 1, says: "not that of a release"},
		{name: "a server that refuses", ref: "v" + version, status: 403, code: 1, says: "answered 403"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newActionRun(t)
			if test.ref != "" {
				r.asTag(test.ref)
			}
			r.env["PACKGEN_RELEASES_URL"] = test.files.serve(t, test.status)
			steps := readAction(t).Runs.Steps
			env := map[string]string{"VERSION": test.version, "FAIL_ON": "error", "BUILD": "true", "EVAL": "true", "ATTEST": "false"}
			code := r.script(steps[0].Run, env)
			if code != test.code || !strings.Contains(r.log.String(), test.says) {
				r.fail("exit %d, want %d", code, test.code)
			}
			want := ""
			if test.found != "" {
				want = "found=" + test.found + "\n"
			}
			if got := r.read(r.file("output")); got != want {
				r.fail("the step says %q, want %q", got, want)
			}
			_, err := os.Stat(filepath.Join(r.temp, "packgen-install", "bin", "packgen"))
			if installed := err == nil; installed != (test.found == "true") {
				r.fail("installed: %v", installed)
			}
		})
	}
}

// standIn puts a program before all others on the PATH, which notes how it is called
// and ends with a code. It returns the name of the notes.
func (r *actionRun) standIn(name, script string) string {
	r.t.Helper()
	bin := filepath.Join(r.temp, "stand-ins")
	notes := filepath.Join(r.temp, name+".calls")
	text := "#!/bin/sh\nprintf '%s\\n' \"" + name + " $*\" >>'" + notes + "'\n" + script + "\n"
	err := errors.Join(os.MkdirAll(bin, 0o777), os.WriteFile(filepath.Join(bin, name), []byte(text), 0o777))
	if path := r.read(r.file("path")); err == nil && !strings.Contains(path, bin) {
		err = os.WriteFile(r.file("path"), []byte(bin+"\n"+path), 0o666)
	}
	oktest.Check(r.t, err)
	return notes
}

// A fork has releases of its own: used at its tag, or given a version, it installs
// those and never the program of somebody else.
func TestInstallAForkInstallsItsOwnRelease(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, repository, ref, version, want string }{
		{"at its tag", "somebody/packgen-fork", "v1.2.3", "", "https://github.com/somebody/packgen-fork/releases/download/v1.2.3/checksums.txt"},
		{"at a commit, with a version", "somebody/kn", strings.Repeat("0a", 20), "v1.2.3", "https://github.com/somebody/kn/releases/download/v1.2.3/checksums.txt"},
		{"the action itself", "packgen/packgen", "v1.2.3", "", "https://github.com/packgen/packgen/releases/download/v1.2.3/checksums.txt"},
		{"a local action with a version", "", "", "v1.2.3", "https://github.com/packgen/packgen/releases/download/v1.2.3/checksums.txt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newActionRun(t)
			if test.repository != "" {
				r.asFork(test.repository, test.ref)
			}
			r.env["PACKGEN_RELEASES_URL"] = ""
			notes := r.standIn("curl", "printf 404")
			r.script(readAction(t).Runs.Steps[0].Run, map[string]string{"VERSION": test.version, "FAIL_ON": "error", "BUILD": "true", "EVAL": "true", "ATTEST": "false"})
			calls := strings.Fields(r.read(notes))
			if len(calls) == 0 || calls[len(calls)-1] != test.want || !slices.Contains(calls, "=https") {
				r.fail("curl is called with %q, want %s", calls, test.want)
			}
		})
	}
}

func TestInstallActionOnlyInstalls(t *testing.T) {
	t.Parallel()
	r := newActionRun(t)
	r.asTag("v" + compiler.Version)
	r.env["PACKGEN_RELEASES_URL"] = newRelease(t, compiler.Version, "amd64").serve(t, 404)
	if code := r.action(map[string]string{"build": "false"}); code != 0 {
		r.fail("exit %d", code)
	}
	if len(r.used) > 0 || !strings.Contains(r.log.String(), "stub packgen version") || strings.Contains(r.log.String(), "stub packgen build") {
		r.fail("actions called: %v", r.used)
	}
}

func TestInstallActionBuildsAndUploads(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the steps run as on a Linux runner")
	}
	r := newActionRun(t)
	r.repository("knowledge", "hybrid", "handbook")
	if code := r.action(map[string]string{"working-directory": "./knowledge", "fail-on": "warning", "base-url": "https://example.org/kn"}); code != 0 {
		r.fail("exit %d", code)
	}
	if _, ok := r.used[pin("actions/setup-go")]; !ok {
		r.fail("Go was not set up: %v", r.used)
	}
	site := r.used[pin("actions/upload-pages-artifact")]["path"]
	if r.used[pin("actions/upload-pages-artifact")]["include-hidden-files"] != "true" {
		t.Error(".well-known would not be published")
	}
	for _, name := range []string{"index.html", "packs/handbook/index.html", "sitemap.xml"} {
		if _, err := os.Stat(filepath.Join(site, name)); err != nil {
			r.fail("%v", err)
		}
	}
	packs := r.used[pin("actions/upload-artifact")]
	if packs["name"] != "packs" || packs["path"] != r.outputs["packs"]["packs"] || r.outputs["check"]["findings"] != "passed" {
		r.fail("uploaded: %v", packs)
	}
	want := []string{"catalog.json", "index.bin", "index.json", "packs/handbook/pack.json", "packs/handbook/pack.tar.gz"}
	if got := filesBelow(t, packs["path"]); !slices.Equal(got, want) {
		r.fail("the artifact holds %q, want %q", got, want)
	}
	openUploaded(t, packs["path"])
	if summary := r.read(r.file("summary")); !strings.HasPrefix(summary, "## Knowledge packs\n") {
		r.fail("summary %q", summary)
	}
	first := r.read(filepath.Join(site, "manifest.json"))
	if code := r.action(map[string]string{"working-directory": "knowledge", "base-url": "https://example.org/kn"}); code != 0 {
		r.fail("exit %d", code)
	}
	if r.read(filepath.Join(site, "manifest.json")) != first {
		r.fail("a second build of the same commit differs")
	}
}

// filesBelow lists the files below a directory, in order.
func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, strings.TrimPrefix(name, dir+"/"))
		}
		return err
	})
	oktest.Check(t, err)
	slices.Sort(list)
	return list
}
