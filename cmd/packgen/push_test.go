package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// A pack goes from one repository through a registry that wants a login to the agent of
// another one, in three commands; the login is in nothing that is printed or written.
func TestAPackGoesFromOneRepositoryToAnotherThroughARegistry(t *testing.T) {
	t.Parallel()
	server, source, reader := fetchtest.NewRegistry(t), packgentest.Repository(t), t.TempDir()
	server.Token = true
	env := cacheOf(t)
	env["PACKGEN_TOKEN_127_0_0_1"] = "me:" + fetchtest.RegistryPassword
	pack := commands(t, env)
	ref := "oci://" + server.Host() + "/acme/p:1.0"
	if out := pack(exitDone, source, "push", ref, "--dry-run"); !strings.Contains(out, "sha256:") || len(server.Requests()) != 0 {
		t.Errorf("a trial asked the server: %s", out)
	}
	pack(exitDone, source, "push", ref, "--tag", "latest")
	pack(exitDone, source, "push", "--all", "oci://"+server.Host()+"/acme/packs")
	if out := pack(exitDone, reader, "pull", ref, "oci://"+server.Host()+"/acme/packs#p"); !strings.Contains(out, "added") {
		t.Error(out)
	}
	if out := pack(exitDone, reader, "resolve", "--from", ref, "--json", "text"); !strings.Contains(out, `"ok": true`) {
		t.Error(out)
	}
	lock, err := os.ReadFile(filepath.Join(reader, "packgen.lock"))
	if err != nil || !strings.Contains(string(lock), `"oci": "sha256:`) || strings.Contains(string(lock), fetchtest.RegistryPassword) {
		t.Errorf("%s, %v", lock, err)
	}
	env["PACKGEN_CACHE_DIR"] = t.TempDir()
	pack(exitDone, reader, "pull", "--frozen")
	pack(exitMisuse, reader, "pull", "oci://me:"+fetchtest.RegistryPassword+"@"+server.Host()+"/acme/p")
	pack(exitMisuse, reader, "pull", "--json", "https://me:"+fetchtest.RegistryPassword+"@example.org/#p")
	env["PACKGEN_TOKEN_127_0_0_1"] = ""
	if out := pack(exitMisuse, source, "push", ref); !strings.Contains(out, "docker login") {
		t.Error(out)
	}
	for _, args := range [][]string{
		{"push"}, {"push", "https://example.org"}, {"push", ref + "#p"}, {"push", ref, "--tag", "a/b"}, {"push", "--all", ref, "p"}, {"push", ref, "nopack"},
		{"push", "oci://" + server.Host() + "/p@sha256:" + strings.Repeat("a", 64)},
	} {
		if out := pack(exitMisuse, source, args...); !strings.Contains(out, "fix: ") {
			t.Errorf("%v: %s", args, out)
		}
	}
}
