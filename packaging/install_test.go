// Package packaging_test holds what the files that install packgen promise.
package packaging_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// release is a server with the files of one release.
type release struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
}

func (r *release) asked() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// serve answers below /download/v9.8.7 and /latest/download.
func serve(t *testing.T, files map[string]string) *release {
	t.Helper()
	r := &release{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.requests = append(r.requests, req.URL.Path)
		r.mu.Unlock()
		name := strings.TrimPrefix(strings.TrimPrefix(req.URL.Path, "/download/v9.8.7/"), "/latest/download/")
		text, ok := files[name]
		if !ok {
			http.NotFound(w, req)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(r.Close)
	return r
}

// archive is a release's archive whose programs are scripts.
func archive(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, f := range []struct{ name, text string }{
		{"LICENSE", "licence\n"},
		{"packgen", "#!/bin/sh\necho packgen 9.8.7\n"},
		{"packgen-hook", "#!/bin/sh\n"},
		{"packgen-sign", "#!/bin/sh\n"},
		{"../outside", "not unpacked\n"},
	} {
		oktest.Check(t, w.WriteHeader(&tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text))}))
		if _, err := w.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	oktest.Check(t, w.Close())
	oktest.Check(t, zipped.Close())
	return out.String()
}

func archiveName() string {
	return "packgen_9.8.7_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
}

func sum(text, name string) string {
	return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name)
}

// install runs a script with an environment of its own and returns what it printed.
func install(t *testing.T, script string, env ...string) (home, output string, err error) {
	t.Helper()
	switch runtime.GOOS {
	case "linux", "darwin":
	default:
		t.Skip("install.sh is for Linux and macOS")
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIPPED: curl is not installed, so install.sh is not tested")
	}
	home = t.TempDir()
	cmd := exec.Command("sh", "-s")
	cmd.Stdin = strings.NewReader(script)
	cmd.Dir = home
	cmd.Env = append([]string{"HOME=" + home, "TMPDIR=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	text, err := cmd.CombinedOutput()
	return home, string(text), err
}

func script(t *testing.T) string {
	t.Helper()
	return string(oktest.Value(os.ReadFile("../install.sh"))(t))
}

func TestInstallerPutsTheProgramsOfAReleaseInPlace(t *testing.T) {
	text := archive(t)
	checksums := sum("other", "packgen_9.8.7_plan9_amd64.tar.gz") + sum(text, archiveName())
	for _, tc := range []struct{ name, version, path string }{
		{"the newest", "", "/latest/download/"},
		{"the one that is named", "9.8.7", "/download/v9.8.7/"},
		{"the one whose tag is named", "v9.8.7", "/download/v9.8.7/"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, map[string]string{"checksums.txt": checksums, archiveName(): text})
			home, output, err := install(t, script(t), "PACKGEN_RELEASES_URL="+server.URL, "PACKGEN_VERSION="+tc.version)
			if err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			directory := filepath.Join(home, ".local/bin")
			for _, want := range []string{"packgen 9.8.7 is in " + directory, `export PATH="` + directory + `:$PATH"`} {
				if !strings.Contains(output, want) {
					t.Errorf("the output does not say %q:\n%s", want, output)
				}
			}
			for _, program := range []string{"packgen", "packgen-hook", "packgen-sign"} {
				info, err := os.Stat(filepath.Join(directory, program))
				if err != nil || info.Mode().Perm() != 0o755 {
					t.Errorf("%s: %v, %v", program, info, err)
				}
			}
			if names := entries(t, directory); len(names) != 3 {
				t.Errorf("the directory holds %v", names)
			}
			if want := []string{tc.path + "checksums.txt", tc.path + archiveName()}; !slices.Equal(server.asked(), want) {
				t.Errorf("it asked for %v, want %v", server.asked(), want)
			}
		})
	}
}

func TestInstallerReplacesAnOlderProgram(t *testing.T) {
	text := archive(t)
	server := serve(t, map[string]string{"checksums.txt": sum(text, archiveName()), archiveName(): text})
	directory := t.TempDir()
	old := filepath.Join(directory, "packgen")
	oktest.Check(t, os.WriteFile(old, []byte("old"), 0o500))
	_, output, err := install(t, script(t), "PACKGEN_RELEASES_URL="+server.URL, "PACKGEN_INSTALL_DIR="+directory)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if got, err := os.ReadFile(old); err != nil || string(got) == "old" {
		t.Errorf("the older program is still there: %q, %v", got, err)
	}
}

func TestInstallerInstallsNothingThatItCannotVerify(t *testing.T) {
	text := archive(t)
	good := sum(text, archiveName())
	for _, tc := range []struct {
		name  string
		files map[string]string
		env   string
		want  string
	}{
		{"another archive than the checksums say", map[string]string{"checksums.txt": sum("x", archiveName()), archiveName(): text}, "", "nothing is installed"},
		{"half an archive", map[string]string{"checksums.txt": good, archiveName(): text[:len(text)/2]}, "", "nothing is installed"},
		{"no checksums", map[string]string{archiveName(): text}, "", "checksums.txt could not be downloaded"},
		{"no archive", map[string]string{"checksums.txt": good}, "", archiveName() + " could not be downloaded"},
		{"no archive of the platform", map[string]string{"checksums.txt": sum(text, "packgen_9.8.7_plan9_amd64.tar.gz")}, "", "has no archive for"},
		{"a name that leaves the folder", map[string]string{"checksums.txt": sum(text, "../"+archiveName())}, "", "has no archive for"},
		{"a version that is a path", nil, "PACKGEN_VERSION=../1", "PACKGEN_VERSION is"},
		{"a repository that is an address", nil, "PACKGEN_REPOSITORY=https://example.org/a", "PACKGEN_REPOSITORY is"},
		{"a repository without an owner", nil, "PACKGEN_REPOSITORY=packgen", "PACKGEN_REPOSITORY is"},
		{"a server without https", nil, "PACKGEN_RELEASES_URL=http://example.org", "has to begin with https"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, tc.files)
			env := []string{"PACKGEN_RELEASES_URL=" + server.URL}
			if tc.env != "" {
				env = append(env, tc.env)
			}
			home, output, err := install(t, script(t), env...)
			if err == nil {
				t.Errorf("it succeeds:\n%s", output)
			}
			if !strings.Contains(output, tc.want) {
				t.Errorf("it does not say %q:\n%s", tc.want, output)
			}
			if names := entries(t, home); len(names) != 0 {
				t.Errorf("it left %v", names)
			}
			if tc.files == nil && len(server.asked()) != 0 {
				t.Errorf("it asked for %v", server.asked())
			}
		})
	}
}

func TestInstallerThatBreaksOffRunsNothing(t *testing.T) {
	whole := script(t)
	server := serve(t, nil)
	last := strings.LastIndex(strings.TrimSpace(whole), "\n")
	for _, end := range []int{last / 4, last / 2, last} {
		home, _, _ := install(t, whole[:end], "PACKGEN_RELEASES_URL="+server.URL)
		if names := entries(t, home); len(names) != 0 || len(server.asked()) != 0 {
			t.Errorf("the first %d bytes made %v and asked for %v", end, names, server.asked())
		}
	}
}

func entries(t *testing.T, directory string) []string {
	t.Helper()
	list := oktest.Value(os.ReadDir(directory))(t)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}
