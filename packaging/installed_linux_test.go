package packaging_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
)

// dist is where make dist left a release; make dist-test passes it on.
var dist = flag.String("dist", "", "test the release in this directory")

func needDist(t *testing.T) {
	t.Helper()
	if *dist == "" {
		t.Skip("SKIPPED: needs a release; make dist dist-test")
	}
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can change the root directory")
	}
}

// program is an installed packgen: Chroot is the root it runs in, if not this one.
type program struct {
	chroot, path, dir string
	env               []string
}

func (p program) run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(p.path, args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	if p.chroot != "" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: p.chroot}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("packgen %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// firstSteps are the README's: a repository, built, connected to an agent, and questions
// to it.
func (p program) firstSteps(t *testing.T, work string) {
	t.Helper()
	if got := p.run(t, "version"); !strings.HasPrefix(got, "packgen "+compiler.Version) {
		t.Errorf("packgen version prints %q", got)
	}
	p.run(t, "init", "my-knowledge")
	p.run(t, "-C", "my-knowledge", "build")
	if _, err := os.Stat(filepath.Join(work, "my-knowledge/public/index.html")); err != nil {
		t.Error(err)
	}
	p.run(t, "-C", "my-knowledge", "connect", "claude")
	if _, err := os.Stat(filepath.Join(work, "my-knowledge/.mcp.json")); err != nil {
		t.Error(err)
	}
	if got := p.run(t, "-C", "my-knowledge", "resolve", "which bracket names the source of a claim"); !strings.Contains(got, "<knowledge_pack name=\"handbook\"") {
		t.Errorf("packgen resolve prints %q", got)
	}
	if got := p.run(t, "-C", "my-knowledge", "match", "which bracket names the source of a claim"); !strings.Contains(got, "score") {
		t.Errorf("packgen match prints %q", got)
	}
}

// emptyRoot is a root directory with nothing but a place to work in and one for
// temporary files.
func emptyRoot(t *testing.T) (root string, installed program) {
	t.Helper()
	root = t.TempDir()
	for _, d := range []string{"work", "tmp"} {
		oktest.Check(t, os.MkdirAll(filepath.Join(root, d), 0o777))
	}
	return root, program{chroot: root, path: "/usr/bin/packgen", dir: "/work", env: []string{"HOME=/work", "PATH=/usr/bin"}}
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

func artifact(suffix string) string {
	return filepath.Join(*dist, "packgen_"+compiler.Version+"_linux_"+runtime.GOARCH+suffix)
}

func TestInstalledDebianPackageBuilds(t *testing.T) {
	needDist(t)
	root, installed := emptyRoot(t)
	for _, d := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates"} {
		oktest.Check(t, os.MkdirAll(filepath.Join(root, d), 0o755))
	}
	oktest.Check(t, os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644))
	output(t, "dpkg", "--root="+root, "-i", artifact(".deb"))
	installed.firstSteps(t, filepath.Join(root, "work"))
	for _, file := range []string{"usr/bin/packgen-hook", "usr/bin/packgen-sign", "usr/share/man/man1/packgen.1.gz", "usr/share/man/man1/packgen-build.1.gz", "usr/share/bash-completion/completions/packgen", "usr/share/zsh/site-functions/_packgen", "usr/share/fish/vendor_completions.d/packgen.fish", "usr/share/doc/packgen/copyright"} {
		if _, err := os.Stat(filepath.Join(root, strings.TrimSuffix(file, ".gz"))); err == nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			t.Error(err)
		}
	}
	output(t, "dpkg", "--root="+root, "-r", "packgen")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/packgen")); err == nil {
		t.Error("the program is still there after dpkg -r")
	}
}

func TestInstalledArchiveBuilds(t *testing.T) {
	needDist(t)
	root, installed := emptyRoot(t)
	oktest.Check(t, os.MkdirAll(filepath.Join(root, "usr/bin"), 0o755))
	times := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(output(t, "tar", "--full-time", "-tvzf", artifact(".tar.gz"))), "\n") {
		f := strings.Fields(line)
		times[f[3]+" "+f[4]] = true
	}
	if len(times) != 1 { // otherwise a second build has another hash
		t.Errorf("the files have the times %v, and should have that of the commit", times)
	}
	output(t, "tar", "-xzf", artifact(".tar.gz"), "-C", filepath.Join(root, "usr/bin"))
	installed.firstSteps(t, filepath.Join(root, "work"))
}

// The Dockerfile's own COPY line says what goes into the image: its base has no
// program, so what is run here is all that an image runs.
func TestInstalledImageRootBuilds(t *testing.T) {
	needDist(t)
	root, installed := emptyRoot(t)
	text := oktest.Value(os.ReadFile("Dockerfile"))(t)
	unpacked := t.TempDir()
	output(t, "tar", "-xzf", artifact(".tar.gz"), "-C", unpacked)
	for _, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "COPY" {
			continue
		}
		to := filepath.Join(root, fields[len(fields)-1])
		oktest.Check(t, os.MkdirAll(to, 0o755))
		for _, from := range fields[1 : len(fields)-1] {
			name, ok := strings.CutPrefix(from, "$TARGETPLATFORM/")
			if !ok {
				t.Fatalf("%s is copied from outside the platform's folder", from)
			}
			output(t, "cp", filepath.Join(unpacked, name), to)
		}
	}
	installed.firstSteps(t, filepath.Join(root, "work"))
}

func TestInstalledNPMPackageBuilds(t *testing.T) {
	needDist(t)
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("SKIPPED: npm is not installed")
	}
	cpu := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	work := t.TempDir()
	packages := filepath.Join(*dist, "npm")
	cmd := exec.Command("npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts",
		filepath.Join(packages, "packgen-"+compiler.Version+".tgz"),
		filepath.Join(packages, "packgen-linux-"+cpu+"-"+compiler.Version+".tgz"))
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "npm_config_cache="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	installed := program{path: filepath.Join(work, "node_modules/.bin/packgen"), dir: work, env: []string{"HOME=" + work, "PATH=" + os.Getenv("PATH")}}
	installed.firstSteps(t, work)
	wrong := exec.Command(installed.path, "build", "--no-such-flag")
	wrong.Dir, wrong.Env = work, installed.env
	if err := wrong.Run(); wrong.ProcessState == nil || wrong.ProcessState.ExitCode() != 2 {
		t.Errorf("the exit code of a wrong flag is not passed on: %v", err)
	}
}

func TestInstalledCaskAndManifestNameTheArchives(t *testing.T) {
	needDist(t)
	cask := oktest.Value(os.ReadFile(filepath.Join(*dist, "homebrew/Casks/packgen.rb")))(t)
	text := oktest.Value(os.ReadFile(filepath.Join(*dist, "scoop/packgen.json")))(t)
	var manifest struct {
		Version      string `json:"version"`
		Architecture map[string]struct {
			URL  string   `json:"url"`
			Hash string   `json:"hash"`
			Bin  []string `json:"bin"`
		} `json:"architecture"`
	}
	oktest.Check(t, json.Unmarshal(text, &manifest))
	checksums := oktest.Value(os.ReadFile(filepath.Join(*dist, "checksums.txt")))(t)
	for _, platform := range []string{"windows_amd64", "windows_arm64"} {
		key := map[string]string{"windows_amd64": "64bit", "windows_arm64": "arm64"}[platform]
		got := manifest.Architecture[key]
		name := "packgen_" + compiler.Version + "_" + platform + ".tar.gz"
		if !strings.HasSuffix(got.URL, "/v"+compiler.Version+"/"+name) || !strings.Contains(string(checksums), got.Hash+"  "+name) {
			t.Errorf("%s: the manifest says %+v", key, got)
		}
		if !slices.Contains(got.Bin, "packgen.exe") || !slices.Contains(got.Bin, "packgen-hook.exe") || !slices.Contains(got.Bin, "packgen-sign.exe") {
			t.Errorf("%s: the manifest has the programs %v", key, got.Bin)
		}
	}
	unpacked := output(t, "tar", "-tzf", artifact(".tar.gz"))
	for _, name := range strings.Fields(unpacked) {
		if strings.HasPrefix(name, "man/") && !strings.Contains(string(cask), `manpage "`+name+`"`) {
			t.Errorf("the cask leaves %s out", name)
		}
	}
	if !strings.Contains(string(cask), `"com.apple.quarantine", "{{staged_path}}"`) {
		t.Error("macOS would not run what the cask installs")
	}
	for _, want := range []string{"/releases/download/v", `version "` + compiler.Version + `"`, `binary "packgen"`, `binary "packgen-hook"`, `binary "packgen-sign"`, "manpage", "bash_completion"} {
		if !strings.Contains(string(cask), want) {
			t.Errorf("the cask does not say %s", want)
		}
	}
	if strings.Contains(string(cask), "v0.0.0") {
		t.Error("the cask names a release that does not exist")
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		output(t, ruby, "-c", filepath.Join(*dist, "homebrew/Casks/packgen.rb"))
	}
}
