package login

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

// A token is for one host: hosts that differ have variables that differ.
func TestHostsHaveVariablesOfTheirOwn(t *testing.T) {
	seen := map[string]string{}
	for host, want := range map[string]string{
		"packs.example.org": "PACKGEN_TOKEN_PACKS_EXAMPLE_ORG", "packs-example.org": "PACKGEN_TOKEN_PACKS__EXAMPLE_ORG",
		"Packs.Example.ORG": "PACKGEN_TOKEN_PACKS_EXAMPLE_ORG", "localhost:5000": "PACKGEN_TOKEN_LOCALHOST_5000",
		"127.0.0.1:5000": "PACKGEN_TOKEN_127_0_0_1_5000", "a--b.c": "PACKGEN_TOKEN_A____B_C",
		"a_b.c": "", "[::1]:5000": "", "-a.b": "", "a-.b": "", "a..b": "", "": "", "bücher.example": "",
	} {
		got := Variable(host)
		if got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
		if other, taken := seen[got]; taken && got != "" && !strings.EqualFold(host, other) {
			t.Errorf("%q and %q share %s", host, other, got)
		}
		seen[got] = host
	}
}

func environment(list map[string]string) func(string) string {
	return func(name string) string { return list[name] }
}

func TestVariableHoldsATokenOrANameAndPassword(t *testing.T) {
	f := Finder{Getenv: environment(map[string]string{
		"PACKGEN_TOKEN_A_EXAMPLE": "tok", "PACKGEN_TOKEN_B_EXAMPLE": "me:pass:word", "PACKGEN_TOKEN_C_EXAMPLE_8443": "port",
		"PACKGEN_TOKEN_D_EXAMPLE": "two\nlines", "PACKGEN_TOKEN_E_EXAMPLE": "me:",
	})}
	for host, want := range map[string]string{
		"a.example": "Bearer tok", "a.example:8443": "Bearer tok", "b.example": "Basic bWU6cGFzczp3b3Jk",
		"c.example:8443": "Bearer port", "c.example": "", "x.a.example": "", "example": "",
	} {
		l, err := f.Site(host)
		got := ""
		if l != nil {
			got = l.Header()
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, error %v", host, got, err)
		}
	}
	for _, host := range []string{"d.example", "e.example"} {
		if _, err := f.Site(host); err == nil || strings.Contains(err.Error(), "two") || !strings.Contains(err.Error(), "PACKGEN_TOKEN_") {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestNetrcIsReadForItsMachineAlone(t *testing.T) {
	const text = `# logins
machine a.example login me password "a \"b\" c"
machine b.example
	login you
	account x
	password hunter2
macdef init
machine evil.example login no password no

machine c.example:8443 login port password p
default login anonymous password guest
machine late.example login l password l
`
	dir := t.TempDir()
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "netrc"), []byte(text), 0o600))
	f := Finder{Getenv: environment(map[string]string{"NETRC": filepath.Join(dir, "netrc")})}
	for host, want := range map[string]string{
		"a.example": `me/a "b" c`, "A.EXAMPLE:8443": `me/a "b" c`, "b.example": "you/hunter2", "c.example:8443": "port/p",
		"c.example": "", "evil.example": "", "other.example": "", "late.example": "",
	} {
		l, err := f.Site(host)
		got := ""
		if l != nil {
			got = l.User + "/" + l.Password
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, error %v", host, got, err)
		}
	}
}

func FuzzNetrc(f *testing.F) {
	f.Add("machine a login b password \"c", "a")
	f.Add("macdef x\nmachine a", "a")
	f.Fuzz(func(t *testing.T, text, machine string) {
		if l := inNetrc(text, machine); l != nil && l.Token != "" {
			t.Error("a .netrc has no tokens")
		}
	})
}

// helper puts a credential helper into PATH and returns a configuration that names it.
func helper(t *testing.T, script string) Finder {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the helper of the test is a shell script")
	}
	dir := t.TempDir()
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "docker-credential-test"), []byte("#!/bin/sh\n"+script), 0o777))
	config := `{"auths":{"plain.example":{"auth":"bWU6cGFzcw=="}},"credHelpers":{"r.example:5000":"test"}}`
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return Finder{Getenv: environment(map[string]string{"DOCKER_CONFIG": dir})}
}

func TestDockerConfigurationAndItsHelpersAreAsked(t *testing.T) {
	f := helper(t, `read host; test -z "$(ls -A)" || exit 1 # it starts in an empty directory
echo "{\"ServerURL\":\"$host\",\"Username\":\"you\",\"Secret\":\"s3cret\"}"`+"\n")
	for host, want := range map[string]Login{
		"plain.example": {User: "me", Password: "pass"}, "r.example:5000": {User: "you", Password: "s3cret"},
	} {
		l, err := f.Registry(context.Background(), host)
		if err != nil || l == nil {
			t.Fatalf("%s: %v, error %v", host, l, err)
		}
		want.From = l.From
		if diff := cmp.Diff(want, *l); diff != "" {
			t.Errorf("%s: %s", host, diff)
		}
	}
	if l, err := f.Registry(context.Background(), "other.example"); l != nil || err != nil {
		t.Errorf("another host: %v, error %v", l, err)
	}
	if l, err := f.Site("plain.example"); l != nil || err != nil {
		t.Errorf("a site gets the login of a registry: %v, error %v", l, err)
	}
}

// The helper's child holds its output: killing the helper does not end the wait.
func TestAHelperThatHangsIsGivenUp(t *testing.T) {
	f := helper(t, "sleep 2 &\nwait\n")
	f.Wait = 50 * time.Millisecond
	if _, err := f.Registry(context.Background(), "r.example:5000"); !errors.Is(err, errHelper) {
		t.Errorf("error %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	f.Wait = time.Hour
	if _, err := f.Registry(ended, "r.example:5000"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestABrokenConfigurationIsNamed(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "config.json")
	oktest.Check(t, os.WriteFile(name, []byte(`{"auths": {"r.example": "s3cret"`), 0o600))
	f := Finder{Getenv: environment(map[string]string{"DOCKER_CONFIG": dir})}
	if _, err := f.Registry(context.Background(), "r.example"); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("error %v", err)
	}
}
